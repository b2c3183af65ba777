-- SPDX-License-Identifier: MIT
-- Functions with samples in the last build of a program and none in the one before, where there should have been 10 or more if it had
-- run them as often: the chance that there are none by chance is then less than 1 in 20,000.
WITH of_build AS (
	SELECT program, symbol, count(*) FILTER (number = 2) AS before, count(*) FILTER (number = 1) AS after, min(day) AS first_day
	FROM sample JOIN build USING (program, build_id)
	WHERE object = program AND number <= 2 AND symbol IS NOT NULL GROUP BY program, symbol
), with_all AS (
	SELECT *, after * sum(before) OVER of_all / sum(after) OVER of_all AS expected
	FROM of_build WINDOW of_all AS (PARTITION BY program)
)
SELECT program, symbol, first_day, after AS samples, expected FROM with_all WHERE before = 0 AND expected >= 10
ORDER BY samples DESC, program, symbol;
