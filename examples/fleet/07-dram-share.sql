-- SPDX-License-Identifier: MIT
-- The share of each function's loads whose data came from DRAM, for each day, with its standard deviation, in percent.
SELECT program, symbol, day, count(*) AS loads, count(*) FILTER (source_name = 'DRAM') AS dram, 100 * dram / loads AS share,
	100 * sqrt(dram / loads * (1 - dram / loads) / loads) AS deviation
FROM sample WHERE op_class = 1 AND op_subclass & 1 = 0 AND source_name IS NOT NULL AND symbol IS NOT NULL
GROUP BY program, symbol, day HAVING count(*) >= 100
ORDER BY program, symbol, day;
