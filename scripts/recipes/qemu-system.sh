# SPDX-License-Identifier: MIT
# Install a QEMU that `spemu vm` supports as DIR/bin/qemu-system-aarch64.
#
#   scripts/fetch qemu-system [--series SERIES] [--release RELEASE] DIR
#
# SERIES is a row of the table below; the default is the first row. The first of these that exists is used:
#   1. the QEMU on PATH;
#   2. the package qemu-system-arm of this machine's package sources or of the backports of the same mirror, with the
#      libraries that the system does not have;
#   3. the package of another release of Debian on the same mirror, with its loader and all libraries.
# With --release, like trixie or trixie-backports, only step 3 with that release is used.

# Rows of SERIES and the releases of Debian that have it.
table='10.0 bookworm-backports trixie
11.1 trixie-backports'
remedy="name a QEMU that you have with spemu vm --qemu"

series=${series:-${table%% *}}
releases=$(echo "$table" | awk -v series="$series" '$1 == series { $1 = ""; print }')
[ -n "$releases" ] ||
	fail "'$series' is not a series that spemu vm runs; use $(echo "$table" | awk '{ printf "%s%s", sep, $1; sep = " or " }')" 2

is_wanted() {
	case $("$1" --version 2>/dev/null) in
	*" version $series."*) return 0 ;;
	esac
	return 1
}

ready() {
	is_wanted "$dir/bin/qemu-system-aarch64"
}

find_version() {
	version=$(debian_versions qemu-system-arm "1:$series." | head -n 1)
	[ -n "$version" ]
}

# ipxe-qemu contains the ROM of the network card, which the machine has unless -nic none is given.
download() {
	debian_install qemu-system-arm="$version" qemu-system-common="$version" qemu-system-data="$version" ipxe-qemu ||
		debian_fail "cannot download qemu-system-arm $version" "$remedy"
}

# finish LINES [LOADER...]: make the command that starts QEMU. LINES set its environment, and LOADER is the beginning of
# its command line. Modules and data have the paths of an installation below DIR.
finish() {
	cat >"$qemu.new" <<-END
		#!/bin/sh
		top=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
		QEMU_MODULE_DIR=\$top/usr/lib/$library/qemu
		export QEMU_MODULE_DIR
		$1
		exec ${2:-} "\$top/usr/bin/qemu-system-aarch64" -L "\$top/usr/share/qemu" -L "\$top/usr/lib/ipxe/qemu" "\$@"
	END
	chmod +x "$qemu.new"
	is_wanted "$qemu.new" ||
		fail "qemu-system-arm $version does not run here: $("$qemu.new" --version 2>&1 | head -n 1); $remedy"
	mv "$qemu.new" "$qemu"
	exit 0
}

# Installed packages count, so only missing ones are downloaded. The C library is never downloaded.
take_own() {
	download
	rm -f "$state"/archives/libc6_* "$state"/archives/libc-bin_*
	debian_unpack "$dir"
	finish "LD_LIBRARY_PATH=\$top/usr/lib/$library:\$top/lib/$library\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH"
}

take_release() {
	download
	debian_unpack "$dir"
	loader=$(cd "$dir" && ls usr/lib*/ld-linux-*.so.* lib*/ld-linux-*.so.* 2>/dev/null | head -n 1)
	[ -n "$loader" ] || fail "the C library of $1 has no loader; $remedy"
	finish : "\"\$top/$loader\" --library-path \"\$top/usr/lib/$library:\$top/lib/$library\""
}

make_thing() {
	mkdir -p "$dir/bin"
	qemu=$dir/bin/qemu-system-aarch64
	rm -f "$qemu"
	present=$(command -v qemu-system-aarch64 || true)
	if [ -z "$release" ] && [ -n "$present" ] && is_wanted "$present"; then
		ln -s "$present" "$qemu"
		exit 0
	fi
	command -v apt-get >/dev/null || fail "no QEMU $series on PATH, and there is no apt to get one; $remedy"
	library=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -dumpmachine)
	debian_open "$(dpkg --print-architecture)" /var/lib/dpkg/status
	if [ -z "$release" ]; then
		find_version || { debian_add deb "$(debian_release)-backports" && find_version; } || version=
		[ -z "$version" ] || take_own
	fi
	debian_no_status
	for suite in ${release:-$releases}; do
		debian_only deb $(echo "${suite%-backports} $suite" | tr ' ' '\n' | sort -u)
		! find_version || take_release "$suite"
	done
	debian_fail "no source of packages has qemu-system-arm $series${release:+ of $release}" "$remedy"
}
