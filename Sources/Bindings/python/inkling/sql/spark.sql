-- Which sightings may have been contacts (Specs/matching.md, "The join"), for Spark 3.4 and later.
--
-- sightings: time timestamp, minor int, name binary, rssi byte, source string, row decimal(20,0); minor or name can be null
--   spark.read.parquet("sightings").createOrReplaceTempView("sightings")
-- predictions: what inkling-kit predict wrote as Parquet, or as CSV:
--   spark.read.parquet("predictions").createOrReplaceTempView("predictions")
--   spark.read.csv("predictions", header=True, escape='"', schema=
--     "epoch bigint, minor int, name string, contact string, device smallint") \
--     .selectExpr("* except (name)", "unhex(name) as name").createOrReplaceTempView("predictions")

with counted as (
    -- The epochs whose values count at this time: clocks can differ by 120 s.
    select row, minor, name,
        explode(sequence(
            (unix_micros(time) - 120000000) div 900000000,
            (unix_micros(time) + 120000000) div 900000000)) as epoch
    from sightings
)
-- Files of neighbouring days contain the same epochs at their ends; each prediction is one match. There are few predictions, so
-- each worker gets all of them.
select /*+ broadcast(named) */ row, 'name' as value, contact, device, epoch
from counted join (select distinct epoch, name, contact, device from predictions) as named using (epoch, name)
union all
select /*+ broadcast(numbered) */ row, 'minor' as value, contact, device, epoch
from counted join (select distinct epoch, minor, contact, device from predictions) as numbered using (epoch, minor)
