# SPDX-License-Identifier: MIT
# Unpack Debian's packages into a folder. scripts/fetch sources this file. The packages come from the sources of this
# machine's apt. The state of apt is private, so nothing is installed and root is not needed.
#
#   debian_lock DIR                   wait until no other call works on DIR, and hold it until the script ends
#   debian_open ARCHITECTURE STATUS   STATUS: dpkg's list of installed packages, or "" for none
#   debian_add TYPES SUITE...         add these suites, from the mirrors of this release; TYPES are deb and deb-src
#   debian_only TYPES SUITE...        use only these suites
#   debian_fail CAUSE [REMEDY]        print the cause, the message of apt and the remedy, and exit
#   debian_apt ARGUMENT...            run apt-get with that state; debian_ask runs apt-cache
#   debian_install PACKAGE...         download the packages and all their dependencies
#   debian_unpack DIR                 unpack every package downloaded so far
#   debian_versions PACKAGE [START]   print the versions that begin with START, the newest first
#   debian_source_versions PACKAGE [START]       print the versions of the source package
#   debian_source PACKAGE VERSION FOLDER         download the source package and unpack it; return 1 if that fails

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
	debian=$1
	status=$2
	[ -n "$status" ] || debian_no_status
	cp /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$state/sources" \
		2>/dev/null || true
	debian_update
	# Print the sources of this release, as lines "URI COMPONENT".
	mirrors=$(debian_apt indextargets --format '$(CODENAME) $(REPO_URI) $(COMPONENT)' 2>>"$state/log" |
		awk -v release="$(debian_release)" '$1 == release { print $2, $3 }' | sort -u)
}

debian_no_status() {
	status=$state/status
	: >"$status"
}

# A source without the architecture, like that of a third party, makes the update report an error. A later download
# shows whether it matters.
debian_update() {
	debian_apt update >"$state/log" 2>&1 || true
}

debian_add() {
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] && [ "$(. /etc/os-release && echo "$ID")" = debian ] &&
		key="[signed-by=$key] " || key=
	types=$1
	shift
	echo "$mirrors" | while read -r uri component; do
		for type in $types; do
			for suite; do
				echo "$type $key$uri $suite $component"
			done
		done
	done >"$state/sources/spemu.list"
	debian_update
}

debian_only() {
	rm -f "$state"/sources/*
	sourcelist=/dev/null
	debian_add "$@"
}

debian_run() {
	"$@" -o APT::Architecture="$debian" -o APT::Architectures="$debian" \
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
	fail "$1: $(grep -m1 '^E:' "$state/log" || echo 'no network?')${2:+; $2}"
}

debian_release() {
	. /etc/os-release
	echo "${VERSION_CODENAME:-unknown}"
}

debian_install() {
	debian_apt -y --no-install-recommends --download-only install "$@" >>"$state/log" 2>&1
}

debian_unpack() {
	for deb in "$state"/archives/*.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$1"
	done
}

debian_sorted() {
	sort -Vru | awk -v start="${1-}" 'index($0, start) == 1'
}

debian_versions() {
	debian_ask madison "$1" 2>>"$state/log" | awk -F' *[|] *' '$3 ~ /Packages$/ { print $2 }' |
		debian_sorted "${2-}"
}

debian_source_versions() {
	debian_ask showsrc --only-source "$1" 2>>"$state/log" | sed -n 's/^Version: //p' | debian_sorted "${2-}"
}

debian_source() {
	rm -rf "$3" "$state/source"
	mkdir "$state/source"
	(cd "$state/source" && debian_apt source --download-only "$1=$2" &&
		dpkg-source --no-check --no-copy -x ./*.dsc unpacked) >>"$state/log" 2>&1 &&
		mv "$state/source/unpacked" "$3"
}
