-- SPDX-License-Identifier: MIT
-- The branches that are mispredicted most often, with their addresses in the file.
SELECT program, object, build_id, symbol, printf('0x%x', object_address) AS address,
	any_value(file) AS file, any_value(line) AS line, count(*) AS samples, count(*) FILTER (event_bits & 128 <> 0) AS mispredicted,
	100 * count(*) FILTER (event_bits & 128 <> 0) / count(*) AS rate, sum(period) FILTER (event_bits & 128 <> 0) AS mispredictions
FROM sample WHERE op_class = 2 AND object_address IS NOT NULL
GROUP BY program, object, build_id, symbol, object_address HAVING mispredicted > 0
ORDER BY mispredictions DESC, program, object, build_id, object_address LIMIT 20;
