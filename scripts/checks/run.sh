# SPDX-License-Identifier: MIT
# Sourced by scripts/check and scripts/check-long, after $results is set: an empty folder.
#
#   check NAME COMMAND...            a check that is one command: its output is shown only if it fails; or
#                                    says with status 77 why it is skipped; and how many seconds it took
#   configure DIR MESON_ARGUMENT...  the same, for a configuration: nothing if DIR is configured
#   run_tests NAME DIR ARGUMENT...   `meson test` in DIR with $test_options and the variables in
#                                    $test_environment; each TAP line is counted from the log
#
# What reproduces a failure is kept beside it; scripts/checks/summary prints it.
test_environment=
test_options=

# The words as a shell takes them.
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
	[ -f "$tested/build.ninja" ] || return # that has been told
	rm -f "$tested"/meson-logs/testlog* # a --setup is in the names
	begin=$(date +%s)
	env $test_environment meson test -C "$tested" $test_options --num-processes 2 --print-errorlogs \
		--quiet "$@"
	echo "ran     $name $(($(date +%s) - begin)) s"
	echo "$test_environment meson test -C $tested $test_options --print-errorlogs" >"$results/$name.command"
	cp "$tested"/meson-logs/testlog*.junit.xml "$results/$name.xml" &&
		cp "$tested"/meson-logs/testlog*.json "$results/$name.json" ||
		printf '%s\t%s\n' "$name" "meson test -C $tested $(command_line "$@")" >>"$results/failed"
}
