# SPDX-License-Identifier: MIT
# Functions that run checks and tests. scripts/check and scripts/check-long source this file after they set $results to
# an empty folder.
#
#   check NAME COMMAND...            Run a check, and print its result and seconds. Print its output only if it fails.
#                                    Status 77 means skipped; the last line of the output is the reason.
#   configure DIR MESON_ARGUMENT...  Configure DIR as a check, unless it is configured.
#   run_tests NAME DIR ARGUMENT...   Run `meson test` in DIR with $test_options and the variables of $test_environment.
#                                    Each TAP line in the log counts.
#
# The command that repeats a failure is stored with it; scripts/checks/summary prints it.
test_environment=
test_options=

# Print the words quoted for a shell.
command_line() {
	for word; do
		case $word in
		'' | *[!A-Za-z0-9_./=:,+@%-]*) printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")" ;;
		*) printf '%s ' "$word" ;;
		esac
	done
}

check() {
	name=$1
	shift
	status=0
	begin=$(date +%s)
	"$@" >"$results/$name.log" 2>&1 || status=$?
	seconds=$(($(date +%s) - begin))
	case $status in
	0)
		echo "ok      $name $seconds s"
		echo "$name" >>"$results/passed"
		;;
	77)
		echo "skipped $name"
		echo "$name: $(tail -n 1 "$results/$name.log")" >>"$results/skipped"
		;;
	*)
		echo "FAILED  $name"
		cat "$results/$name.log"
		printf '%s\t%s\n' "$name" "$(command_line "$@")" >>"$results/failed"
		;;
	esac
}

configure() {
	[ -f "$1/build.ninja" ] || check "configure-${1##*/}" meson setup "$@"
}

run_tests() {
	name=$1
	tested=$2
	shift 2
	[ -f "$tested/build.ninja" ] || return # the configuration has failed, which was reported
	rm -f "$tested"/meson-logs/testlog* # the name contains --setup
	begin=$(date +%s)
	env $test_environment meson test -C "$tested" $test_options --num-processes 2 --print-errorlogs \
		--quiet "$@"
	echo "ran     $name $(($(date +%s) - begin)) s"
	echo "$test_environment meson test -C $tested $test_options --print-errorlogs" >"$results/$name.command"
	cp "$tested"/meson-logs/testlog*.junit.xml "$results/$name.xml" &&
		cp "$tested"/meson-logs/testlog*.json "$results/$name.json" ||
		printf '%s\t%s\n' "$name" "meson test -C $tested $(command_line "$@")" >>"$results/failed"
}
