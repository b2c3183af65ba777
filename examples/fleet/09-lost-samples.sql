-- SPDX-License-Identifier: MIT
-- Machines that lost samples or have none, by day and program. The reason is one of these: nothing arrived although something arrived
-- on another day, a recording without a sample, buffers that were full or lost records, bytes that could not be read, an incomplete
-- file, or rows that did not arrive.
WITH expected AS (
	SELECT day, program, machine FROM (SELECT DISTINCT day FROM recording), (SELECT DISTINCT program, machine FROM recording)
), told AS (
	SELECT day, program, machine, sum(samples) AS samples, sum(truncated_buffers) AS truncated, sum(collided_buffers) AS collided,
		sum(lost_events) AS lost, sum(damaged_bytes) AS damaged, coalesce(bool_or(cut_off), false) AS cut FROM recording GROUP BY ALL
), arrived AS (
	SELECT day, program, machine, count(*) AS arrived FROM sample GROUP BY ALL
)
SELECT day, program, machine, samples, coalesce(arrived, 0) AS arrived, truncated, collided, lost, damaged,
	CASE WHEN samples IS NULL THEN 'no recording' WHEN samples <> coalesce(arrived, 0) THEN 'rows are missing'
		WHEN samples = 0 THEN 'no samples' WHEN damaged > 0 THEN 'damaged' WHEN cut THEN 'cut off' ELSE 'samples lost' END AS what
FROM expected LEFT JOIN told USING (day, program, machine) LEFT JOIN arrived USING (day, program, machine)
WHERE samples IS NULL OR samples = 0 OR samples <> coalesce(arrived, 0) OR truncated + collided + lost + damaged > 0 OR cut
ORDER BY day, program, machine;
