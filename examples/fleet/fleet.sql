-- SPDX-License-Identifier: MIT
-- What the ten questions ask: samples and recordings of a fleet, in ./fleet as examples/fleet/collect puts them there.

CREATE VIEW sample AS
SELECT * FROM read_parquet('fleet/samples/*/*/*/*.parquet', hive_partitioning = true);

CREATE VIEW recording AS
SELECT * FROM read_json('fleet/recordings/*/*/*/*.json', hive_partitioning = true, columns = {
	samples: 'BIGINT', truncated_buffers: 'BIGINT', collided_buffers: 'BIGINT', lost_events: 'BIGINT', damaged_bytes: 'BIGINT', cut_off: 'BOOLEAN'});

-- The builds of each program; number 1 is the one that was seen last for the first time.
CREATE VIEW build AS
SELECT program, build_id, row_number() OVER (PARTITION BY program ORDER BY min(day) DESC, build_id) AS number
FROM sample WHERE object = program AND build_id IS NOT NULL GROUP BY program, build_id;
