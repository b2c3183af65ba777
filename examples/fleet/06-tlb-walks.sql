-- SPDX-License-Identifier: MIT
-- The pages of 4 KB whose accesses cause the most translation table walks. If addresses are random for each process (ASLR), group
-- by machine and pid as well.
SELECT program, printf('0x%x', va // 4096 * 4096) AS page, count(*) AS walks, sum(translation * period) AS cycles,
	avg(translation) AS mean, count(DISTINCT machine) AS machines
FROM sample WHERE event_bits & 32 <> 0 AND va IS NOT NULL
GROUP BY program, va // 4096 ORDER BY walks DESC, program, page LIMIT 20;
