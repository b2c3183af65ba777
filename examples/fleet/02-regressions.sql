-- SPDX-License-Identifier: MIT
-- Functions whose behavior differs between the last build of a program and the build before it. The column `what` says how:
-- "operations" means that the function is executed more or less often, "latency" that its operations take longer or shorter.
-- `verdict` is "worse" or "better" for a change of more than 5 %. `doubt` is an upper bound of the probability that a function
-- without a change looks like this because of sampling alone. The bound holds for any distribution of the latencies, and at most
-- one row in 16,000 without a change has a verdict.
--
-- Both questions divide the samples into two parts and compare how many samples of a part come from each build. For "operations",
-- the parts are the samples of the function and those of all other functions. For "latency", they are the samples of the function
-- with at least N cycles and the rest, for every N. If m samples of a part come from the two builds together, and q is the share
-- of the last build in all samples, then Chernoff's bound for at least x m of them from the last build is
-- exp(-m (x ln(x/q) + (1-x) ln((1-x)/(1-q)))). The bound for all N together is the sum of the bounds. To test for "more than 5 %",
-- the query counts the build before as 5 % worse, or better, than it was.
WITH bound AS (
	SELECT 105 AS percent UNION ALL SELECT 95
), counted AS (
	SELECT program, symbol, total, sum(CASE number WHEN 2 THEN 1 ELSE 0 END) AS before, sum(CASE number WHEN 1 THEN 1 ELSE 0 END) AS after
	FROM sample JOIN build USING (program, build_id)
	WHERE object = program AND number <= 2 AND symbol IS NOT NULL GROUP BY program, symbol, total
), of_function AS (
	SELECT program, symbol, sum(before) AS before, sum(after) AS after,
		1.0 * sum(total * before) / sum(CASE WHEN total IS NOT NULL THEN before END) AS mean_before,
		1.0 * sum(total * after) / sum(CASE WHEN total IS NOT NULL THEN after END) AS mean_after
	FROM counted GROUP BY program, symbol
), with_all AS (
	SELECT *, sum(before) OVER of_program AS all_before, sum(after) OVER of_program AS all_after
	FROM of_function WINDOW of_program AS (PARTITION BY program)
), value AS (
	SELECT program, symbol, percent, before, after, 100 * total AS cycles_after, percent * total AS cycles_before
	FROM counted CROSS JOIN bound WHERE total IS NOT NULL
), scaled AS (
	SELECT program, symbol, percent, cycles, sum(before) AS before, sum(after) AS after FROM (
		SELECT program, symbol, percent, cycles_before AS cycles, before, 0 AS after FROM value WHERE before > 0
		UNION ALL
		SELECT program, symbol, percent, cycles_after, 0, after FROM value WHERE after > 0
	) AS one_build GROUP BY program, symbol, percent, cycles
), part AS (
	SELECT program, symbol, 'latency' AS what, percent, sum(before) OVER slower AS before, sum(after) OVER slower AS after,
		1.0 * sum(after) OVER whole / (sum(before) OVER whole + sum(after) OVER whole) AS q, count(*) OVER whole AS parts
	FROM scaled
	WINDOW whole AS (PARTITION BY program, symbol, percent), slower AS (PARTITION BY program, symbol, percent ORDER BY cycles DESC)
	UNION ALL
	SELECT program, symbol, 'operations', percent, before, after, 1.0 * percent * all_after / (100 * all_before + percent * all_after), 1
	FROM with_all CROSS JOIN bound
), known AS (
	SELECT program, symbol, what, percent,
		CASE WHEN (percent > 100) <> (after > (before + after) * q) THEN 0
		ELSE CASE WHEN before > 0 THEN before * ln(before / ((before + after) * (1 - q))) ELSE 0 END +
			CASE WHEN after > 0 THEN after * ln(after / ((before + after) * q)) ELSE 0 END - ln(parts) END AS evidence
	FROM part WHERE q > 0 AND q < 1
), strongest AS (
	SELECT program, symbol, what, max(CASE percent WHEN 105 THEN evidence END) AS worse, max(CASE percent WHEN 95 THEN evidence END) AS better
	FROM known GROUP BY program, symbol, what
), change AS (
	SELECT program, symbol, what, before AS samples_before, after AS samples_after,
		CASE what WHEN 'latency' THEN mean_before ELSE 1.0 * before / all_before END AS before,
		CASE what WHEN 'latency' THEN mean_after ELSE 1.0 * after / all_after END AS after, worse, better
	FROM strongest JOIN with_all USING (program, symbol) WHERE before > 0 AND after > 0
)
SELECT program, symbol, what, samples_before, samples_after, before, after, after / before AS ratio,
	CASE WHEN worse > better AND worse > 0 THEN exp(-worse) WHEN better > 0 THEN exp(-better) ELSE 1 END AS doubt,
	CASE WHEN worse > ln(32000) AND after > 1.05 * before THEN 'worse' WHEN better > ln(32000) AND after < 0.95 * before THEN 'better' END AS verdict
FROM change WHERE before > 0 AND after > 0 ORDER BY doubt, ratio DESC, program, symbol, what;
