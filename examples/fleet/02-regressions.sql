-- SPDX-License-Identifier: MIT
-- What is worse or better in the last build of each program than in the one before, function by function: its share of the program's
-- operations, and the mean latency of an operation. Samples are counts: the logarithm of a ratio of shares has the variance
-- 1/a - 1/A + 1/b - 1/B, that of a ratio of means var/(n mean^2) of each. low and high are four standard deviations away: one
-- function in 16,000 without a change is outside. worse: the change is more than 5 % even at low.
WITH of_build AS (
	SELECT program, symbol, number, count(*) AS n, count(total) AS timed, avg(total) AS mean, var_samp(total) AS variance
	FROM sample JOIN build USING (program, build_id)
	WHERE object = program AND number <= 2 AND symbol IS NOT NULL GROUP BY program, symbol, number
), with_all AS (
	SELECT *, sum(n) OVER (PARTITION BY program, number) AS of_all FROM of_build
), pair AS (
	SELECT program, symbol, a.n AS samples_before, b.n AS samples_after, a.n / a.of_all AS share_before, b.n / b.of_all AS share_after,
		1 / a.n - 1 / a.of_all + 1 / b.n - 1 / b.of_all AS share_variance, a.mean AS mean_before, b.mean AS mean_after,
		a.variance / (a.timed * a.mean ** 2) + b.variance / (b.timed * b.mean ** 2) AS mean_variance
	FROM with_all a JOIN with_all b USING (program, symbol)
	WHERE a.number = 2 AND b.number = 1 AND a.n >= 10 AND b.n >= 10
), change AS (
	SELECT program, symbol, samples_before, samples_after, 'operations' AS what, share_before AS before, share_after AS after,
		ln(share_after / share_before) AS size, sqrt(share_variance) AS deviation FROM pair
	UNION ALL
	SELECT program, symbol, samples_before, samples_after, 'latency', mean_before, mean_after,
		ln(mean_after / mean_before), sqrt(mean_variance) FROM pair
	WHERE mean_before > 0 AND mean_after > 0
)
SELECT program, symbol, what, samples_before, samples_after, before, after, exp(size) AS ratio, exp(size - 4 * deviation) AS low,
	exp(size + 4 * deviation) AS high,
	CASE WHEN size - 4 * deviation > ln(1.05) THEN 'worse' WHEN size + 4 * deviation < ln(0.95) THEN 'better' END AS verdict
FROM change ORDER BY low DESC, program, symbol, what;
