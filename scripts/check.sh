# SPDX-License-Identifier: MIT
# Sourced by scripts/check and scripts/check_long, after $results is set: an empty folder.
#
#   check NAME COMMAND...   a check that is one command: its output is shown only if it fails

check() {
	name=$1
	shift
	if "$@" >"$results/$name.log" 2>&1; then
		echo "ok      $name"
		echo "$name" >>"$results/passed"
	else
		echo "FAILED  $name"
		cat "$results/$name.log"
		echo "$name" >>"$results/failed"
	fi
}
