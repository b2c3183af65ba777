# SPDX-License-Identifier: MIT
# Sourced by scripts that try spemu on a fresh system, which debootstrap makes in a folder; root is needed.
# $root is that folder.
#
#   root_make RELEASE LOG      Debian's bookworm or trixie, Ubuntu's noble, with nothing but apt; status 1 if not
#   tree_copy DIR              the files of this tree that git knows, as they are now
#   inside COMMAND...          runs it in the system, which has /dev and /proc while it does
#   inside_as USER HOME COMMAND...
#
# DEBIAN_MIRROR and UBUNTU_MIRROR name other mirrors, KEYRING the keys that have signed them.

root_make() {
	mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
	components=main
	scripts=/usr/share/debootstrap/scripts
	script=$1
	if [ "$1" = noble ]; then
		mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
		components=main,universe
		[ -e "$scripts/noble" ] || script=jammy # an older debootstrap
	fi
	debootstrap --variant=minbase --components="$components" ${KEYRING:+"--keyring=$KEYRING"} \
		"$1" "$root" "$mirror" "$scripts/$script" >"$2" 2>&1
}

tree_copy() {
	mkdir -p "$1"
	git ls-files -z | tar --null --files-from=- -c | tar -x --no-same-owner -C "$1"
}

inside_as() {
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
		user=$1 home=$2 && shift 2 && exec chroot --userspec="$user:$user" "$0" env -i HOME="$home" \
		PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
		"$@"' "$root" "$@"
}

inside() {
	inside_as root /root "$@"
}
