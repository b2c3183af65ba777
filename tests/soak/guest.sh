# SPDX-License-Identifier: MIT
# The work of the guest for scripts/soak: an endless load, and rounds of `perf record -a` until the time is over.
# /host/settings contains seconds (of the whole run), round (seconds of a round), period, and waiting (the number of
# recordings at which the guest waits for the host).
. /host/settings
cd /tmp || exit
: >kallsyms
mount --bind kallsyms /proc/kallsyms # perf reads the whole file for each recording

now() {
	cut -d. -f1 /proc/uptime
}

# The load: threads that compute, files and pipes, short-lived processes, and memory.
(while :; do busy 2 3 >/dev/null; done) &
(while :; do gzip -c /usr/bin/perf | md5sum >/dev/null; done) &
(while :; do /usr/bin/busybox true; usleep 2000; done) &
(while :; do dd if=/dev/zero of=zeros bs=64k count=256 2>/dev/null; usleep 500000; done) &

# Recordings have buffers from a few records to megabytes, periods with and without jitter, and all
# kinds of data.
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
	# The host removes files at the same time.
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
