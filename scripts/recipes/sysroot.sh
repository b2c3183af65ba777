# SPDX-License-Identifier: MIT
# Unpack packages of another architecture, for `qemu-aarch64 -L`, `spemu record -L` and a cross compiler's --sysroot.
#
#   scripts/fetch sysroot [--architecture ARCHITECTURE] [--list FILE] DIR PACKAGE...
#
# ARCHITECTURE is Debian's name; the default is arm64. --list adds the -dev packages of FILE, a list like packages.txt.
# The system keeps its architectures.

[ -z "$list" ] || set -- $(sed -n 's/^\([a-z0-9-]*-dev\)\([[:space:]].*\)\{0,1\}$/\1/p' "$list") "$@"
[ $# -gt 0 ] || fail "no package is named; name one after DIR" 2
wanted=$*
made_of=$(printf '%s\n' "$@" | sort)

make_thing() {
	debian_open "$architecture" ""
	debian_install $wanted || debian_fail "cannot download $wanted"
	debian_unpack "$dir"
	# Since Debian 13, packages have files only below usr, and the base system has links to its folders.
	for folder in bin lib sbin; do
		[ -e "$dir/$folder" ] || [ ! -d "$dir/usr/$folder" ] || ln -s "usr/$folder" "$dir/$folder"
	done
	# A linker follows absolute links on this machine, so make them lead into DIR.
	find "$dir" -type l -lname '/*' -exec sh -c 'root=$1; shift
		for link; do ln -srfn "$root$(readlink "$link")" "$link"; done' sh "$dir" {} +
}
