# SPDX-License-Identifier: MIT
# Install a program of the npm registry in DIR/node_modules. npm verifies the checksum.

ready() {
	case $name in
	duckdb) node "$scripts/../tests/interop/duckdb.cjs" "$dir" 'SELECT 1' ;;
	profiler) node "$dir/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" --version ;;
	esac >/dev/null 2>&1
}

make_thing() {
	if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
		fail "needs node and npm; install nodejs and npm"
	fi
	npm install --prefix "$dir" --no-audit --no-fund --silent "$packages" >&2
}
