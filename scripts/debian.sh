# SPDX-License-Identifier: MIT
# Sourced by scripts that unpack Debian's packages into a folder of their own. The package sources
# are those that this machine's apt already has; apt's state is private, so nothing is installed and
# no root is needed.
#
#   debian_lock DIR                   one at a time works on DIR; until the script ends
#   debian_open ARCHITECTURE STATUS   STATUS: dpkg's list of installed packages, or "" for none
#   debian_suite SUITE                the packages of another release instead, from the same mirror
#   debian_fail CAUSE                 says the cause and apt's own words, and exits
#   debian_apt ARGUMENT...            apt-get there; debian_ask: apt-cache there
#   debian_unpack DIR PATTERN         every package downloaded so far whose name fits

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
	architecture=$1
	status=$2
	if [ -z "$status" ]; then
		status=$state/status
		: >"$status"
	fi
	cp /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$state/sources" \
		2>/dev/null || true
	# A source without the architecture (a third party's) makes update complain; what matters
	# is the download.
	debian_apt update >"$state/log" 2>&1 || true
}

debian_suite() {
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] && key="[signed-by=$key] " || key=
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	debian_apt indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' |
		awk -v release="$release" -v key="$key" -v suite="$1" '$1 == release && $2 == "main" \
			{ print "deb " key $3 " " suite " main" }' | sort -u >"$state/suite.list"
	rm -f "$state/sources"/*
	mv "$state/suite.list" "$state/sources/spemu-suite.list"
	debian_apt update >"$state/log" 2>&1 || debian_fail "cannot read the packages of $1"
}

debian_run() {
	"$@" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
		-o Dir::State="$state" -o Dir::State::lists="$state/lists" \
		-o Dir::State::status="$status" -o Dir::Etc::sourceparts="$state/sources" \
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
	echo "$0: $1: $(grep -m1 '^E:' "$state/log" || echo 'no network?')" >&2
	exit 1
}

debian_unpack() {
	for deb in "$state"/archives/$2.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$1"
	done
}
