# SPDX-License-Identifier: MIT
# Packages of another architecture in a folder that `qemu-aarch64 -L`, `spemu record -L` and a cross compiler's --sysroot take.
#
#   scripts/fetch sysroot [--architecture ARCHITECTURE] [--list FILE] DIR PACKAGE...
#
# ARCHITECTURE is Debian's name; the default is arm64. --list adds the -dev packages that FILE names, as packages.txt does.
# No architecture is added to the system.

[ -z "$list" ] || set -- $(sed -n 's/^\([a-z0-9-]*-dev\)\([[:space:]].*\)\{0,1\}$/\1/p' "$list") "$@"
[ $# -gt 0 ] || fail "no package is named; name one after DIR" 2
wanted=$*
made_of=$(printf '%s\n' "$@" | sort)

make_thing() {
	debian_open "$architecture" ""
	debian_install $wanted || debian_fail "cannot download $wanted"
	debian_unpack "$dir"
	# Since Debian 13 packages have nothing outside usr: the base system's links lead there.
	for folder in bin lib sbin; do
		[ -e "$dir/$folder" ] || [ ! -d "$dir/usr/$folder" ] || ln -s "usr/$folder" "$dir/$folder"
	done
	# A linker follows links as this machine does: those to /lib are to lead into DIR.
	find "$dir" -type l -lname '/*' -exec sh -c 'root=$1; shift
		for link; do ln -srfn "$root$(readlink "$link")" "$link"; done' sh "$dir" {} +
}
