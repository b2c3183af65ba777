-- SPDX-License-Identifier: MIT
-- The views that the ten queries use: the samples and recordings of a fleet, in ./fleet, where examples/fleet/collect puts them.

CREATE VIEW sample AS
SELECT * FROM read_parquet('fleet/samples/*/*/*/*.parquet', hive_partitioning = true);

CREATE VIEW recording AS
SELECT * FROM read_json('fleet/recordings/*/*/*/*.json', hive_partitioning = true, columns = {
	samples: 'BIGINT', truncated_buffers: 'BIGINT', collided_buffers: 'BIGINT', lost_events: 'BIGINT', damaged_bytes: 'BIGINT', cut_off: 'BOOLEAN'});

-- The builds of each program. Number 1 is the build whose first sample has the latest day.
CREATE VIEW build AS
SELECT program, build_id, row_number() OVER (PARTITION BY program ORDER BY min(day) DESC, build_id) AS number
FROM sample WHERE object = program AND build_id IS NOT NULL GROUP BY program, build_id;
