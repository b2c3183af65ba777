# SPDX-License-Identifier: MIT
# Download source packages of Debian, and build some of them.

case $name in
cache-plugin) ready() { [ -s "$dir/libcache.so" ]; } ;;
*) made_of="$(cksum <"$scripts/recipes/sources.sh") $release $packages" ;;
esac

# Build contrib/plugins/cache.c. Only QEMU 7.2 can load it (scripts/fetch qemu-user --series 7.2).
build_cache_plugin() {
	cc -O2 -fPIC -shared $(pkg-config --cflags glib-2.0) -I "$dir/qemu/include/qemu" \
		"$dir/qemu/contrib/plugins/cache.c" -o "$dir/libcache.part" $(pkg-config --libs glib-2.0) &&
		mv "$dir/libcache.part" "$dir/libcache.so"
}

# Build TF-A for QEMU's machine virt, because the package arm-trusted-firmware does not have this build. TF-A enters a
# Linux that is in memory at 0x40200000, with its device tree at 0x40000000. So the package of images (FIP) does not
# contain BL33. DIR/bl31.elf has the symbols of the runtime at EL3. The build needs gcc-aarch64-linux-gnu and
# libssl-dev.
build_tf_a() {
	tree=$dir/arm-trusted-firmware
	make -C "$tree" PLAT=qemu CROSS_COMPILE=aarch64-linux-gnu- DEBUG=0 QEMU_USE_GIC_DRIVER=QEMU_GICV3 \
		ARM_LINUX_KERNEL_AS_BL33=1 PRELOADED_BL33_BASE=0x40200000 ENABLE_SPE_FOR_NS=2 all fip &&
		cp "$tree/build/qemu/release/bl1.bin" "$dir/flash.bin" &&
		dd if="$tree/build/qemu/release/fip.bin" of="$dir/flash.bin" bs=256K seek=1 status=none &&
		cp "$tree/build/qemu/release/bl31/bl31.elf" "$dir/bl31.elf"
}

# built FUNCTION SOURCES: run the function and remove the sources.
built() {
	"$1" >"$dir/log" 2>&1 || fail "cannot build: $(grep -m1 -i error "$dir/log" || tail -n 1 "$dir/log"); see $dir/log"
	rm -rf "${dir:?}/$2"
}

make_thing() {
	[ "$name" != cache-plugin ] || pkg-config --exists glib-2.0 2>/dev/null ||
		fail "needs glib to build with; install libglib2.0-dev and pkg-config"
	command -v dpkg-source >/dev/null || fail "needs dpkg-source; install dpkg-dev"
	debian_open "$(dpkg --print-architecture)" ""
	debian_only deb-src "${release:-$(debian_release)}"
	for package in $packages; do
		start=${package#*=}
		package=${package%%=*}
		version=$(debian_source_versions "$package" "$start" | head -n 1)
		[ -n "$version" ] || debian_fail "no source of packages has the source package $package $start"
		debian_source "$package" "$version" "$dir/$package" ||
			debian_fail "cannot download the source package $package $version"
	done
	case $name in
	cache-plugin) built build_cache_plugin qemu ;;
	tf-a) built build_tf_a arm-trusted-firmware ;;
	esac
}
