-- SPDX-License-Identifier: MIT
-- Machines whose loads wait longer, or shorter, than those of the others for data of the same source. Medians, and the median of the
-- differences from the median (MAD), do not move because of the few machines that are looked for; 1.4826 makes of it a standard
-- deviation. Latencies are whole cycles: a MAD under half a cycle is taken for that, and what is
-- less than a tenth from the median does not count: with few machines the MAD itself is uncertain.
WITH of_machine AS (
	SELECT machine, source_name, count(*) AS samples, median(total) AS latency
	FROM sample WHERE op_class = 1 AND op_subclass & 1 = 0 AND source_name <> 'L1' AND total IS NOT NULL
	GROUP BY machine, source_name HAVING count(*) >= 30
), usual AS (
	SELECT source_name, median(latency) AS middle FROM of_machine GROUP BY source_name
), spread AS (
	SELECT source_name, middle, greatest(median(abs(latency - middle)), 0.5) AS mad
	FROM of_machine JOIN usual USING (source_name) GROUP BY source_name, middle
)
SELECT machine, source_name, samples, latency, middle, mad, (latency - middle) / (1.4826 * mad) AS deviations
FROM of_machine JOIN spread USING (source_name)
WHERE abs(latency - middle) > 5 * 1.4826 * mad AND abs(latency - middle) > 0.1 * middle
ORDER BY abs(deviations) DESC, machine, source_name;
