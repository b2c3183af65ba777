-- SPDX-License-Identifier: MIT
-- Machines whose loads wait longer, or shorter, than those of the other machines for data of the same source. The query compares each
-- machine with the median. The spread is the median of the absolute differences from the median (MAD), because the few unusual
-- machines do not change medians; the factor 1.4826 converts a MAD into a standard deviation. Latencies are whole cycles, so a MAD
-- below half a cycle counts as half a cycle. With few machines the MAD itself is uncertain, so a difference of less than a tenth of
-- the median does not count.
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
