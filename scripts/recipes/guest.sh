# SPDX-License-Identifier: MIT
# Make a guest for `spemu vm`: DIR/vmlinuz, DIR/initrd, DIR/version, which names the kernel, and DIR/protocol, the version
# of the protocol of its agent (scripts/guest/agent.c).
#
#   scripts/fetch guest [--release RELEASE] [--kernel PACKAGE] [--deb FILE]... DIR
#
#   --release RELEASE   use the packages of another release of Debian, like trixie or sid, from the same mirror
#   --kernel PACKAGE    use this kernel instead of the newest one, like linux-image-6.12.48+deb13-arm64
#   --deb FILE          use the package of a kernel that "make bindeb-pkg" made; may be repeated
#
# The guest has Debian's unmodified arm64 kernel with its SPE driver, perf with its tests, busybox and examples/busy.c.
# The kernel's command line may ask for the programs that scripts/guest/init names:
#
#   qemu-system-aarch64 -M virt,gic-version=3 -cpu max,pauth-impdef=on -m 1G -nographic \
#       -kernel DIR/vmlinuz -initrd DIR/initrd -append 'console=ttyAMA0 quiet'

[ -z "$kernel" ] || [ -z "$debs" ] || fail "--kernel and --deb both select a kernel; use one of them" 2
source=$scripts/..
made_of=$(cd "$source" && cksum scripts/recipes/guest.sh scripts/guest/* tools/vm/vm_protocol.h examples/busy.c &&
	echo "$release $kernel" && printf %s "$debs" | xargs -r -d '\n' cksum)

# Download a package without its dependencies.
download() {
	(cd "$state/archives" && debian_apt download "$@") >>"$state/log" 2>&1 ||
		debian_fail "cannot download $*"
}

depends() {
	debian_ask depends "$1" | sed -n "s/^  Depends: \($2\)/\1/p"
}

unpack_packages() {
	if [ -n "$debs" ]; then
		printf %s "$debs" | while read -r deb; do
			dpkg-deb -x "$deb" "$dir/root"
		done
	else
		# The package linux-image-arm64 only depends on the newest kernel. Since Linux 7.0, the kernel is split into parts.
		# The list of built-in modules is in the part on which all others depend.
		[ -n "$kernel" ] || kernel=$(depends linux-image-arm64 'linux-image-')
		[ -n "$kernel" ] || debian_fail "no source of packages has linux-image-arm64"
		download "$kernel"
		for part in $(depends "$kernel" 'linux-\(base\|binary\|modules\)-'); do
			download "$part"
		done
	fi
	debian_install linux-perf busybox-static coreutils dash bash || debian_fail "cannot download linux-perf"
	debian_unpack "$dir/root"
}

# The kernel is in /boot, or in the folder of its modules.
take_kernel() {
	image=$(find "$dir/root/boot" "$dir/root/lib/modules" "$dir/root/usr/lib/modules" \
		\( -name 'vmlinuz-*' -o -name vmlinuz \) -type f 2>/dev/null | head -n 1)
	[ -f "$image" ] || fail "no package has a kernel"
	cp "$image" "$dir/vmlinuz"
	case $image in
	*/vmlinuz) basename "$(dirname "$image")" ;;
	*) basename "$image" | sed 's/^vmlinuz-//' ;;
	esac >"$dir/version"
}

compile() {
	aarch64-linux-gnu-gcc -O2 -static -pthread "$@"
}

# Compile the programs that perf's tests would compile in the guest. The source of each is between two marks in a
# script.
compile_tests() {
	tests=usr/lib/perf-core/tests/shell
	files=
	mkdir "$dir/root/compiled"
	for test in "$dir/root/$tests"/test_arm_spe*.sh; do
		files="$files --file $tests/$(basename "$test")=$test"
		sed -n '/^cat << EOF > \$TEST_PROGRAM_SOURCE$/,/^EOF$/p' "$test" | sed '1d;$d' \
			>"$dir/root/test.c"
		[ -s "$dir/root/test.c" ] || continue
		sum=$(md5sum <"$dir/root/test.c" | cut -d' ' -f1)
		compile "$dir/root/test.c" -lm -o "$dir/root/compiled/$sum"
		files="$files --file usr/lib/compiled/$sum=$dir/root/compiled/$sum"
	done
}

# perf's tests expect Debian's shell, mktemp and dd instead of busybox's. $files is split at spaces, so DIR must not
# contain any, as for Meson.
make_thing() {
	rm -rf "$dir/root" "$dir/symbols"
	mkdir "$dir/root"
	debian_open arm64 ""
	[ -z "$release" ] || debian_only deb "$release"
	unpack_packages
	take_kernel
	compile "$source/examples/busy.c" -o "$dir/root/busy"
	compile -I "$source/tools/vm" "$source/scripts/guest/agent.c" -o "$dir/root/agent"
	compile_tests
	python3 "$source/scripts/guest/initramfs" "$dir/initrd" --root "$dir/root" \
		--program usr/bin/busybox --program usr/bin/perf --program usr/bin/bash \
		--program usr/bin/dash --link usr/bin/sh=dash \
		--program usr/bin/mktemp --program usr/bin/dd \
		--module arm_spe_pmu --module virtio_pci --module virtio_mmio --module 9pnet_virtio --module 9p \
		--module virtio_console --module overlay \
		--file init="$source/scripts/guest/init" --file usr/bin/cc="$source/scripts/guest/cc" \
		--file usr/bin/demo="$source/scripts/guest/demo" \
		--file usr/bin/agent="$dir/root/agent" \
		--file usr/bin/busy="$dir/root/busy" $files
	rm -rf "$dir/root"
	sed -n 's/^#define VM_PROTOCOL  *"\(.*\)".*/\1/p' "$source/tools/vm/vm_protocol.h" >"$dir/protocol"
	[ -s "$dir/protocol" ] || { echo "guest: tools/vm/vm_protocol.h has no VM_PROTOCOL \"...\"" >&2; exit 1; }
}
