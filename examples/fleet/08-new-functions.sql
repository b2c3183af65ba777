-- SPDX-License-Identifier: MIT
-- Functions with samples in the last build of a program and none in the build before. If both builds execute a function equally often,
-- all n samples of it come from the last build with a probability of at most q^n, where q is the share of the last build in all
-- samples of the program. The query shows functions for which this probability is below 1 in 20,000. `expected` is the number of
-- samples that the build before would have.
WITH of_build AS (
	SELECT program, symbol, count(*) FILTER (WHERE number = 2) AS before, count(*) FILTER (WHERE number = 1) AS after,
		min(CASE number WHEN 1 THEN day END) AS first_day
	FROM sample JOIN build USING (program, build_id)
	WHERE object = program AND number <= 2 AND symbol IS NOT NULL GROUP BY program, symbol
), with_all AS (
	SELECT *, sum(before) OVER of_program AS all_before, sum(after) OVER of_program AS all_after
	FROM of_build WINDOW of_program AS (PARTITION BY program)
)
SELECT program, symbol, first_day, after AS samples, 1.0 * after * all_before / all_after AS expected FROM with_all
WHERE before = 0 AND all_before > 0 AND after * ln(1.0 * (all_before + all_after) / all_after) > ln(20000)
ORDER BY samples DESC, program, symbol;
