# SPDX-License-Identifier: MIT
# Sourced by scripts that unpack Debian's packages into a folder of their own. The package sources
# are those that this machine's apt already has; apt's state is private, so nothing is installed and
# no root is needed.
#
#   debian_lock DIR                   one at a time works on DIR; until the script ends
#   debian_open ARCHITECTURE STATUS   STATUS: dpkg's list of installed packages, or "" for none
#   debian_only SUITE...              the packages of these suites alone, from the mirrors of this release
#   debian_fail CAUSE [REMEDY]        says the cause, apt's own words and the remedy, and exits
#   debian_apt ARGUMENT...            apt-get there; debian_ask: apt-cache there
#   debian_unpack DIR PATTERN         every package downloaded so far whose name fits
#   debian_tools DIR RELEASE PACKAGE=VERSION...  unpacks these into DIR with all that they depend on, the C library
#                                     included; of each its newest version that begins with VERSION
#   debian_wrapper FILE PROGRAM [FOLDERS [ENVIRONMENT]]  FILE, in DIR/bin, runs PROGRAM of DIR/root by the loader there,
#                                     with more folders of libraries (each after a ':') and lines of the shell before
#   debian_mirrors                    where this release itself comes from: "URI COMPONENT" lines
#   debian_suites TYPES SUITE...      from such lines to apt's lines of SUITE; debian_update reads them
#   debian_versions PACKAGE           of the binary package, the newest first
#   debian_source_versions PACKAGE    of the source package

debian_lock() {
	exec 9>"$1/.lock"
	flock 9
}

debian_open() {
	state=$(mktemp -d)
	trap 'rm -rf "$state"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/sources"
	sourcelist=/etc/apt/sources.list
	architecture=$1
	status=$2
	if [ -z "$status" ]; then
		status=$state/status
		: >"$status"
	fi
	cp /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$state/sources" \
		2>/dev/null || true
	debian_update
}

# A source without the architecture (a third party's) makes update complain; what matters is the
# download.
debian_update() {
	debian_apt update >"$state/log" 2>&1 || true
}

debian_only() {
	debian_mirrors | debian_suites deb "$@" >"$state/suites"
	rm -f "$state"/sources/*
	sourcelist=/dev/null
	mv "$state/suites" "$state/sources/spemu-suites.list"
	debian_update
}

debian_run() {
	"$@" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
		-o Dir::State="$state" -o Dir::State::lists="$state/lists" \
		-o Dir::State::status="$status" -o Dir::Etc::sourcelist="$sourcelist" \
		-o Dir::Etc::sourceparts="$state/sources" \
		-o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" \
		-o APT::Sandbox::User=root -o Debug::NoLocking=1
}

debian_apt() {
	debian_run apt-get -qq "$@"
}

debian_ask() {
	debian_run apt-cache "$@"
}

debian_fail() {
	echo "$0: $1: $(grep -m1 '^E:' "$state/log" || echo 'no network?')${2:+; $2}" >&2
	exit 1
}

debian_release() {
	. /etc/os-release
	echo "${VERSION_CODENAME:-unknown}"
}

debian_mirrors() {
	debian_apt indextargets --format '$(CODENAME) $(REPO_URI) $(COMPONENT)' 2>>"$state/log" |
		awk -v release="$(debian_release)" '$1 == release { print $2, $3 }' | sort -u
}

debian_suites() {
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] && [ "$(. /etc/os-release && echo "$ID")" = debian ] &&
		key="[signed-by=$key] " || key=
	types=$1
	shift
	while read -r uri component; do
		for type in $types; do
			for suite; do
				echo "$type $key$uri $suite $component"
			done
		done
	done
}

debian_versions() {
	debian_ask madison "$1" 2>>"$state/log" | awk -F' *[|] *' '$3 ~ /Packages$/ { print $2 }' | sort -Vru
}

debian_source_versions() {
	debian_ask showsrc --only-source "$1" 2>>"$state/log" | sed -n 's/^Version: //p' | sort -Vru
}

debian_unpack() {
	for deb in "$state"/archives/$2.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$1"
	done
}

debian_tools() {
	into=$1
	suite=$2
	shift 2
	debian_open "$(dpkg --print-architecture)" ""
	debian_only "$suite" "$suite-backports"
	for wanted; do
		shift
		version=$(debian_ask madison "${wanted%%=*}" | awk -F' *[|] *' -v start="${wanted#*=}" \
			'index($2, start) == 1 { print $2; exit }')
		[ -n "$version" ] || debian_fail "no source of packages has ${wanted%%=*} ${wanted#*=}"
		set -- "$@" "${wanted%%=*}=$version"
	done
	debian_apt -y --no-install-recommends --download-only install "$@" >>"$state/log" 2>&1 ||
		debian_fail "cannot download $*"
	debian_unpack "$into" '*'
}

# Debian's loader knows only the installed libraries: it is told where these are.
debian_wrapper() {
	cat >"$1" <<END_OF_WRAPPER
#!/bin/sh
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/root
library=\$(echo "\$root"/usr/lib/*-linux-gnu*)
${4-}
exec "\$(echo "\$library"/ld-linux*.so.*)" --library-path "\$library${3-}" "\$root/$2" "\$@"
END_OF_WRAPPER
	chmod +x "$1"
}
