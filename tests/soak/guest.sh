# SPDX-License-Identifier: MIT
# The work of scripts/soak's guest: a load that never ends, and rounds of `perf record -a` until the time is
# over. /host/settings has seconds, round (both in seconds), period and waiting (most recordings that may wait
# for the host).
. /host/settings
cd /tmp || exit
: >kallsyms
mount --bind kallsyms /proc/kallsyms # perf reads all of it for each recording

now() {
	cut -d. -f1 /proc/uptime
}

# Threads that compute; files and pipes; processes that come and go; memory.
(while :; do busy 2 3 >/dev/null; done) &
(while :; do gzip -c /usr/bin/perf | md5sum >/dev/null; done) &
(while :; do /usr/bin/busybox true; usleep 2000; done) &
(while :; do dd if=/dev/zero of=zeros bs=64k count=256 2>/dev/null; usleep 500000; done) &

# Buffers from a few records to megabytes, fixed and jittered periods, all that a record may have.
kind() {
	case $(($1 % 4)) in
	0) pages=512 event= ;;
	1) pages=64 event=,jitter=1 ;;
	2) pages=1024 event=,pa_enable=1,pct_enable=1,ts_enable=1 ;;
	3) pages=256 event=,ts_enable=1 ;;
	esac
}

end=$(($(now) + seconds))
n=0
while [ "$(now)" -lt "$end" ]; do
	# The host removes files meanwhile.
	while [ "$(find /host -maxdepth 1 -name '*.done' 2>/dev/null | wc -l)" -gt "$waiting" ]; do
		sleep 1
	done
	n=$((n + 1))
	kind $n
	left=$((end - $(now)))
	[ "$left" -ge "$round" ] || round=$((left > 1 ? left : 1))
	perf record -q -B -N -a -m,$pages -e "arm_spe_0/period=$period$event/" -o "/host/$n.data" \
		sleep "$round" 2>"/host/$n.err"
	echo "$n $? $pages $period$event" >>/host/status
	: >"/host/$n.done"
done
dmesg >/host/dmesg
exit 0
