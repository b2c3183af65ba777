-- SPDX-License-Identifier: MIT
-- Percentiles of the latency of loads for each source of the data: the smallest latency that the given percentage of loads does not
-- exceed. The number of samples for each latency is a small table, which can be added up across any number of samples and engines.
WITH counted AS (
	SELECT source_name, total, count(*) AS n FROM sample
	WHERE op_class = 1 AND op_subclass & 1 = 0 AND source_name IS NOT NULL AND total IS NOT NULL GROUP BY source_name, total
), summed AS (
	SELECT *, sum(n) OVER (PARTITION BY source_name ORDER BY total) AS so_far, sum(n) OVER (PARTITION BY source_name) AS loads
	FROM counted
)
SELECT source_name, loads, min(total) FILTER (so_far * 2 >= loads) AS p50, min(total) FILTER (so_far * 10 >= loads * 9) AS p90,
	min(total) FILTER (so_far * 100 >= loads * 99) AS p99, min(total) FILTER (so_far * 1000 >= loads * 999) AS p999
FROM summed GROUP BY source_name, loads ORDER BY p50, source_name;
