#!/bin/sh
# SPDX-License-Identifier: ISC
# run.sh FILE: runs a test file with node. Exit status 77 and a line that says
# why when this machine lacks what it takes.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

skip() {
	echo "SKIP $1: $2"
	exit 77
}

command -v node >/dev/null || skip "$1" "node is not installed"
case $1 in
dashboard.* | heal.* | access.* | now.* | history.* | map.* | findings.* | changes.* | about.*)
	[ -d "$here/node_modules/playwright-core" ] ||
		skip "$1" "node_modules is missing, run 'npm ci' in tests/browser"
	for name in "$CHROMIUM" chromium chromium-browser google-chrome; do
		[ -n "$name" ] && path=$(command -v "$name") && break
	done
	[ -n "$path" ] || skip "$1" "no Chromium is installed"
	CHROMIUM=$path
	export CHROMIUM
	[ -x "$RINGSIDED" ] || skip "$1" "RINGSIDED='$RINGSIDED' is no program"
	;;
esac
exec node --test "$here/$1"
