# SPDX-License-Identifier: MIT
# Sourced by scripts that make a folder with a program of the npm registry for tests. Nothing is installed.
#
#   npm_root DIR PACKAGE@VERSION   makes DIR/node_modules, unless what is there starts: starts DIR, of the caller, says so

npm_fail() {
	echo "$0: $1" >&2
	exit 1
}

npm_root() {
	! starts "$1" || return 0
	if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
		npm_fail "needs node and npm; install nodejs and npm"
	fi
	mkdir -p "$1"
	npm install --prefix "$1" --no-audit --no-fund --silent "$2" >&2
	starts "$1" || npm_fail "$2 does not start"
}
