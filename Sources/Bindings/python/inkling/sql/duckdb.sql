-- Which sightings may have been contacts (Specs/matching.md, "The join"), for DuckDB.
--
-- sightings: time timestamptz, minor usmallint, name blob, rssi tinyint, source varchar, row ubigint; minor or name can be null
--   create view sightings as from 'sightings/*/*.parquet';
-- or the log that inkling-kit match reads, if its times are texts:
--   create view sightings as select row_number() over () as row, time, minor, rssi,
--     case when regexp_full_match(name, '[0-9a-f]{32}') then unhex(name) end as name from read_json('sightings.jsonl', columns =
--     {'time': 'timestamptz', 'minor': 'usmallint', 'name': 'varchar', 'rssi': 'tinyint'});
-- predictions: what inkling-kit predict wrote as Parquet, or as CSV:
--   create view predictions as from 'predictions/*/*.parquet';
--   create view predictions as select * replace (unhex(name) as name) from read_csv('predictions/*/*.csv', types =
--     {'epoch': 'uinteger', 'minor': 'usmallint', 'name': 'varchar', 'contact': 'varchar', 'device': 'utinyint'});

with counted as (
    -- The epochs whose values count at this time: clocks can differ by 120 s.
    select row, minor, name,
        unnest(generate_series(
            (epoch_us(time) - 120_000_000) // 900_000_000,
            (epoch_us(time) + 120_000_000) // 900_000_000)) as epoch
    from sightings
)
-- Files of neighbouring days contain the same epochs at their ends; each prediction is one match.
select row, 'name' as value, contact, device, epoch
from counted join (select distinct epoch, name, contact, device from predictions) using (epoch, name)
union all
select row, 'minor' as value, contact, device, epoch
from counted join (select distinct epoch, minor, contact, device from predictions) using (epoch, minor)
