# SPDX-License-Identifier: MIT
# Install a user-mode QEMU with plugins for `spemu record` as DIR/bin/qemu-aarch64.
#
#   scripts/fetch qemu-user [--series N.N] [--source DIRECTORY|TARBALL] DIR
#
# The first of these that exists is used:
#   1. the QEMU on PATH, if it supports plugins;
#   2. Debian 12's 7.2 with its libraries, from the mirror of this machine's package sources;
#   3. a build of the distribution's source package, which takes some minutes.
# --series accepts only that series (10.2, or 11 for every 11.x). Its source package may come from a later release of
# the distribution. --source builds the given sources.

remedy="name a QEMU's sources with --source"
case $series in
*[!0-9.]*) fail "'$series' is not a series of QEMU; give two numbers, as in 10.2" ;;
esac

# Return true if the plugin was built for VERSION, and VERSION belongs to the requested series. 11.0, which no
# distribution has packaged, uses a plugin interface version that the plugin lacks.
fits() {
	case $1 in
	11.0 | 11.0.*) return 1 ;;
	7.2 | 7.2.* | 9.2 | 9.2.* | [1-9][0-9].*) ;;
	*) return 1 ;;
	esac
	case $1. in "${series:+$series.}"*) return 0 ;; esac
	return 1
}

version_of() {
	"$1" --version 2>/dev/null | sed -n '1s/.* version \([0-9.]*\).*/\1/p'
}

is_wanted() {
	[ -x "$1" ] && fits "$(version_of "$1")" && "$1" -h 2>/dev/null | grep -q '^-plugin '
}

ready() {
	is_wanted "$dir/bin/qemu-aarch64"
}

# Link the QEMU in usr/bin and exit. The program stays there, because QEMU starts itself again by its path.
finish() {
	[ -x "$dir/usr/bin/qemu-aarch64" ] || fail "$1 has no qemu-aarch64; $remedy"
	ln -sf ../usr/bin/qemu-aarch64 "$dir/bin/qemu-aarch64"
	ready || fail "$1 gave no qemu-aarch64 that takes plugins: $("$dir/bin/qemu-aarch64" --version 2>&1 | head -n 1); $remedy"
	exit 0
}

open_sources() {
	command -v apt-get >/dev/null || fail "$1, and there is no apt to get one; $remedy"
	debian_open "$(dpkg --print-architecture)" ""
}

# --- 2. Debian 12's package

# The path of the libraries is stored in the program. An environment variable would be inherited by the guest.
take_package() {
	fits 7.2 || return 0
	debian_only deb "$release"
	version=$(debian_versions qemu-user "${packages#*=}" | head -n 1)
	[ -n "$version" ] && debian_install qemu-user="$version" patchelf || return 0
	rm -f "$state"/archives/libc6_* "$state"/archives/libc-bin_*
	debian_unpack "$dir"
	library=$(cd "$dir" && ls -d usr/lib/*-linux-gnu* | head -n 1)
	LD_LIBRARY_PATH=$dir/$library "$dir/usr/bin/patchelf" --force-rpath \
		--set-rpath "\$ORIGIN/../../$library:\$ORIGIN/../../${library#usr/}" \
		"$dir/usr/bin/qemu-aarch64"
	find "$dir/usr/bin" -type f ! -name qemu-aarch64 -delete
	rm -rf "$dir/usr/share"
	finish "Debian's qemu-user $version"
}

# --- 3. sources

# Find a Meson that is new enough for the sources: that of this machine, that in the sources, or a newer package.
find_meson() {
	least=$(sed -n "s/.*meson_version: *'>= *\([0-9.]*\).*/\1/p" "$1/meson.build" | head -n 1)
	here=$(meson --version 2>/dev/null || echo 0)
	[ "$(printf '%s\n' "$least" "$here" | sort -V | head -n 1)" != "$least" ] || return 0
	! ls "$1"/python/wheels/meson-*.whl >/dev/null 2>&1 || return 0
	[ -n "${state:-}" ] || open_sources "these sources need Meson $least, here is $here"
	debian_only deb "$(debian_release)" "$(debian_release)-backports" sid
	(cd "$state/archives" && debian_apt download meson >>"$state/log" 2>&1) ||
		debian_fail "these sources need Meson $least, here is $here; a newer one cannot be downloaded" "install it"
	dpkg-deb -x "$state"/archives/meson_*.deb "$dir/meson"
	PATH=$dir/meson/usr/bin:$PATH
	PYTHONPATH=$dir/meson/usr/lib/python3/dist-packages
	export PATH PYTHONPATH
}

check_tools() {
	missing=
	command -v cc >/dev/null || missing="$missing gcc"
	command -v ninja >/dev/null || missing="$missing ninja-build"
	pkg-config --exists glib-2.0 gmodule-2.0 2>/dev/null || missing="$missing pkg-config libglib2.0-dev"
	python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
	[ -z "$missing" ] ||
		fail "building QEMU needs packages that are not here; install them, on Debian by: apt-get install$missing"
}

# Build the sources and exit. The plugin calls internal functions of QEMU, so all functions are exported.
build_source() {
	version=$(cat "$1/VERSION" 2>/dev/null) || fail "'$2' has no file VERSION, so it is not a QEMU's sources; $remedy"
	fits "$version" || fail "'$2' is QEMU $version, not ${series:-one that the plugin was made for}; $remedy"
	check_tools
	find_meson "$1"
	echo "scripts/fetch: building qemu-aarch64 $version with plugins, which takes some minutes, once" >&2
	rm -rf "$dir/build"
	mkdir "$dir/build"
	download=
	case $(cd "$dir/build" && "$1/configure" --help) in
	*disable-download*) download=--disable-download ;;
	esac
	if ! (cd "$dir/build" && "$1/configure" --target-list=aarch64-linux-user --enable-plugins \
		--without-default-features --disable-system --disable-tools --disable-docs \
		--disable-install-blobs --disable-werror $download --extra-ldflags=-rdynamic &&
		ninja qemu-aarch64) >"$dir/build.log" 2>&1; then
		fail "QEMU $version cannot be built: $(grep -m1 -E 'ERROR|error:|FAILED' "$dir/build.log" || tail -n 1 "$dir/build.log"); see $dir/build.log"
	fi
	mkdir -p "$dir/usr/bin"
	cp "$dir/build/qemu-aarch64" "$dir/usr/bin/"
	rm -rf "$dir/build" "$dir/source" "$dir/meson"
	finish "QEMU $version"
}

build_given() {
	[ -e "$source" ] || fail "there is no '$source'; $remedy"
	if [ -d "$source" ]; then
		build_source "$(cd "$source" && pwd)" "$source"
	fi
	rm -rf "$dir/source"
	mkdir "$dir/source"
	tar -xf "$source" -C "$dir/source" 2>/dev/null || fail "'$source' is not a tarball; $remedy"
	top=$(ls -d "$dir"/source/*/ 2>/dev/null | head -n 1)
	build_source "${top%/}" "$source"
}

# Use source packages of this release and its backports, and of later releases if a series was requested.
take_source_package() {
	debian_only 'deb deb-src' "$(debian_release)" "$(debian_release)-backports" ${series:+trixie trixie-backports sid}
	command -v dpkg-source >/dev/null ||
		fail "unpacking QEMU's source package needs dpkg-source; install the package dpkg-dev"
	found=
	for version in $(debian_source_versions qemu); do
		number=${version#*:}
		fits "${number%%[+~-]*}" || continue
		found=$version
		! debian_source qemu "$version" "$dir/source" || build_source "$dir/source" "the source package qemu $version"
	done
	[ -z "$found" ] || debian_fail "cannot download the source package qemu $found" "$remedy"
	debian_fail "no qemu-aarch64 ${series:+of series $series }that takes plugins, nor its source package, is to be had" "$remedy"
}

make_thing() {
	mkdir -p "$dir/bin"
	rm -f "$dir/bin/qemu-aarch64"
	[ -z "$source" ] || build_given
	present=$(command -v qemu-aarch64 || true)
	if [ -n "$present" ] && is_wanted "$present"; then
		ln -s "$present" "$dir/bin/qemu-aarch64"
		exit 0
	fi
	open_sources "no qemu-aarch64 ${series:+of series $series }on PATH takes plugins"
	take_package
	take_source_package
}
