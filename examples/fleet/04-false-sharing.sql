-- SPDX-License-Identifier: MIT
-- Cache lines that are falsely shared on any machine: several threads of a process miss in the same line of 64 bytes, and one of them
-- writes it, but no two threads use the same word of 8 bytes. Words with fewer than 5 samples do not count.
WITH word AS (
	SELECT day, program, machine, pid, va // 64 * 64 AS line, va // 8 % 8 AS word, count(*) AS samples, sum(total * period) AS cycles,
		count(*) FILTER (op_subclass & 1 = 1) AS stores, count(DISTINCT tid) AS threads, min(tid) AS thread
	FROM sample WHERE op_class = 1 AND event_bits & 8 <> 0 AND va IS NOT NULL
	GROUP BY ALL HAVING count(*) >= 5
)
SELECT program, machine, day, pid, printf('0x%x', line) AS line, sum(samples) AS samples, sum(stores) AS stores,
	sum(cycles) AS cycles, count(*) AS words, count(DISTINCT thread) AS threads
FROM word GROUP BY program, machine, day, pid, line
HAVING max(word.threads) = 1 AND count(DISTINCT thread) > 1 AND sum(stores) > 0
ORDER BY samples DESC, program, machine, day, pid, line LIMIT 20;
