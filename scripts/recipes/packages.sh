# SPDX-License-Identifier: MIT
# Install programs of another release of Debian. DIR/root has their packages with all dependencies, including the C
# library. The commands in DIR/bin start the programs with the loader in DIR/root, so any release of Debian works.

# wrapper COMMAND PROGRAM [LIBRARIES [SETTING]]: make DIR/bin/COMMAND, which runs PROGRAM of DIR/root. LIBRARIES are
# additional folders, each after a ':'. SETTING is an additional line of shell code.
wrapper() {
	cat >"$dir/bin/$1" <<END_OF_WRAPPER
#!/bin/sh
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/root
library=\$(echo "\$root"/usr/lib/*-linux-gnu*)
${4-}
exec "\$(echo "\$library"/ld-linux*.so.*)" --library-path "\$library${3-}" "\$root/$2" "\$@"
END_OF_WRAPPER
	chmod +x "$dir/bin/$1"
}

make_wrappers() {
	case $name in
	perf)
		# Environment variables lead to perf's scripts and to Python's modules.
		wrapper perf usr/bin/perf ':$library/perf' 'export PERF_EXEC_PATH="$root/usr/lib/perf-core" PYTHONHOME="$root/usr"'
		;;
	llvm)
		for program in perf2bolt llvm-bolt llvm-profgen llvm-profdata; do
			wrapper "$program" "usr/lib/llvm-21/bin/$program" ':$root/usr/lib/llvm-21/lib'
		done
		;;
	autofdo) wrapper create_gcov usr/bin/create_gcov ;;
	dask)
		wrapper python3 usr/bin/python3 "" 'export PYTHONHOME="$root/usr" PYTHONDONTWRITEBYTECODE=1'
		cat >"$dir/bin/dask" <<'END_OF_COMMAND'
#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/python3" -m dask "$@"
END_OF_COMMAND
		chmod +x "$dir/bin/dask"
		;;
	esac
}

# says TEXT COMMAND ARGUMENT...: return true if the command of DIR/bin prints TEXT.
says() {
	text=$1 command=$2
	shift 2
	said=$("$dir/bin/$command" "$@" 2>&1) || true
	case $said in *"$text"*) ;; *) return 1 ;; esac
}

ready() {
	case $name in
	perf) says 'perf version 7.' perf --version ;;
	llvm)
		for program in perf2bolt llvm-bolt llvm-profgen llvm-profdata; do
			says 'LLVM version 21.' "$program" --version || return 1
		done
		;;
	autofdo) says -profiler create_gcov --help ;;
	dask)
		says there python3 -c 'import distributed, pyarrow.parquet, dask.dataframe; print("there")' &&
			says version dask --version
		;;
	esac
}

make_thing() {
	rm -rf "$dir/bin" "$dir/root"
	mkdir "$dir/bin" "$dir/root"
	debian_open "$(dpkg --print-architecture)" ""
	debian_only deb "$release" "$release-backports"
	set --
	for package in $packages; do
		version=$(debian_versions "${package%%=*}" "${package#*=}" | head -n 1)
		[ -n "$version" ] || debian_fail "no source of packages has ${package%%=*} ${package#*=}"
		set -- "$@" "${package%%=*}=$version"
	done
	debian_install "$@" || debian_fail "cannot download $*"
	debian_unpack "$dir/root"
	make_wrappers
}
