-- SPDX-License-Identifier: MIT
-- The functions with the most cycles on all machines. Each sample stands for `period` operations.
SELECT program, coalesce(symbol, '[unknown]') AS symbol, count(*) AS samples, sum(total * period) AS cycles,
	100 * sum(total * period) / sum(sum(total * period)) OVER () AS share, count(DISTINCT machine) AS machines
FROM sample GROUP BY program, coalesce(symbol, '[unknown]')
ORDER BY cycles DESC NULLS LAST, program, symbol LIMIT 20;
