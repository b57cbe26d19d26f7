-- Which sightings may have been contacts (Specs/matching.md, "The join"), for ClickHouse.
--
-- sightings: time DateTime64(6, 'UTC'), minor Nullable(UInt16), name Nullable(FixedString(16)), rssi Int8, source String,
--   row UInt64; minor or name can be null
--   create view sightings as select * from file('sightings/*/*.parquet');
-- predictions: what inkling-kit predict wrote as Parquet, as Arrow, or as CSV:
--   create view predictions as select * from file('predictions/*/*.parquet');
--   create view predictions as select * replace (toFixedString(unhex(name), 16) as name) from file('predictions/*/*.csv',
--     CSVWithNames, 'epoch UInt32, minor UInt16, name String, contact String, device UInt8');

with counted as (
    -- The epochs whose values count at this time: clocks can differ by 120 s.
    -- A String of 16 bytes differs from the same FixedString if it ends with zeros.
    select row, minor, toFixedString(name, 16) as name,
        arrayJoin(range(
            toUInt32(intDiv(toUnixTimestamp64Micro(time) - 120000000, 900000000)),
            toUInt32(intDiv(toUnixTimestamp64Micro(time) + 120000000, 900000000) + 1))) as epoch
    from sightings
)
-- Files of neighbouring days contain the same epochs at their ends; each prediction is one match.
select row, 'name' as value, contact, device, epoch
from counted inner join (select distinct epoch, name, contact, device from predictions) as named using (epoch, name)
union all
select row, 'minor' as value, contact, device, epoch
from counted inner join (select distinct epoch, minor, contact, device from predictions) as numbered using (epoch, minor)
