# SPDX-License-Identifier: MIT
# Functions for scripts that test spemu on a fresh system, which debootstrap makes in the folder $root. They need root.
#
#   root_missing RELEASE       print the reason why the system cannot be made, and the remedy
#   root_make RELEASE LOG      make Debian's bookworm or trixie, or Ubuntu's noble, with only apt; return 1 on failure
#   tree_copy DIR              copy the files of this tree that git knows, in their current state
#   inside COMMAND...          run the command in the system, with /dev and /proc
#   inside_as USER HOME COMMAND...
#
# Debian comes from the mirror of this machine's apt. DEBIAN_MIRROR names another mirror, and KEYRING the keys that sign
# it. UBUNTU_MIRROR names the mirror of noble.

# Print the mirror of Debian's main that this machine's apt uses. Print nothing on another distribution.
root_debian() {
	[ "$(. /etc/os-release && echo "$ID")" = debian ] || return 0
	apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' |
		awk -v release="$(. /etc/os-release && echo "$VERSION_CODENAME")" \
			'$1 == release && $2 == "main" { print $3; exit }'
}

# Print the reason why a system cannot be made, and the remedy; print nothing if it can.
root_missing() {
	if ! command -v debootstrap >/dev/null; then
		echo "debootstrap is not installed: install it"
	elif [ "$(id -u)" -ne 0 ]; then
		echo "root is needed to make a fresh system: run as root"
	elif [ "$1" = noble ] && [ -z "${UBUNTU_MIRROR:-}" ]; then
		echo "no mirror of Ubuntu is known: set UBUNTU_MIRROR to the URL of one"
	elif [ "$1" != noble ] && [ -z "${DEBIAN_MIRROR:-$(root_debian)}" ]; then
		echo "no mirror of Debian is known: set DEBIAN_MIRROR to the URL of one"
	fi
}

root_make() {
	mirror=${DEBIAN_MIRROR:-$(root_debian)}
	components=main
	scripts=/usr/share/debootstrap/scripts
	script=$1
	if [ "$1" = noble ]; then
		mirror=$UBUNTU_MIRROR
		components=main,universe
		[ -e "$scripts/noble" ] || script=jammy # an older debootstrap does not know noble
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
