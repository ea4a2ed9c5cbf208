#!/bin/sh
# SPDX-License-Identifier: ISC
#
# ringside-capture.sh [-i SECONDS] [-n COUNT] OUT
#
# What `ringside capture` writes, from a router without Ringside: a new folder OUT, or
# an archive when OUT ends with .tar.gz or .tgz. Look at it anywhere with
# `ringside diagnose OUT`. Needs a POSIX shell (BusyBox ash, dash, FreeBSD sh, OpenBSD
# ksh) and the usual small programs; root is not needed, but may see more. It reads
# only. Two samples are taken, one second apart; where the clock tells only whole
# seconds (BSD) ten. Not taken: addresses, routes, connections, arguments of programs;
# the key of the receive hash is masked, serial numbers are left out.

set -u
umask 022
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin

usage() {
	echo 'usage: ringside-capture.sh [-i SECONDS] [-n COUNT] OUT' >&2
	exit 2
}

fail() {
	echo "ringside-capture.sh: $*" >&2
	exit 1
}

is_count() { # VALUE MOST
	case $1 in
	'' | 0* | *[!0-9]* | ?????*) return 1 ;;
	esac
	[ "$1" -le "$2" ]
}

interval=
count=2
while getopts i:n: option; do
	case $option in
	i) interval=$OPTARG && is_count "$interval" 3600 || usage ;;
	n) count=$OPTARG && is_count "$count" 1000 || usage ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] && [ -n "$1" ] || usage
out=$1
case $out in
-*) out=./$out ;;
esac

# --- where it goes -----------------------------------------------------------

# No file becomes larger than this, in blocks of 512 bytes (1024 in some shells).
ulimit -f 262144 2>/dev/null

claimed=
work=
sleeper=
finish() {
	status=$?
	trap - EXIT HUP INT TERM
	[ -z "$sleeper" ] || kill "$sleeper" 2>/dev/null
	[ -z "$work" ] || rm -rf "$work"
	[ -z "$claimed" ] || rm -rf "$claimed"
	exit $status
}
trap finish EXIT
# What is made here is known to be ours before a signal is served.
stopped=
trap 'stopped=129' HUP
trap 'stopped=130' INT
trap 'stopped=143' TERM

[ ! -e "$out" ] && [ ! -h "$out" ] || fail "$out: there is something of this name"
case $out in
*.tar.gz | *.tgz)
	name=${out##*/}
	name=${name%.tar.gz}
	name=${name%.tgz}
	[ -n "$name" ] || fail "$out: a name is missing"
	# noclobber: what came in the meantime is not written over.
	(set -C && : >"$out") 2>/dev/null || fail "$out: cannot be made"
	claimed=$out
	scratch=${TMPDIR:-/tmp}/ringside-capture.$$
	mkdir -m 700 "$scratch" || fail "$scratch: cannot be made"
	work=$scratch
	mkdir "$work/$name" || fail "$work/$name: cannot be made"
	top=$work/$name
	;;
*)
	mkdir "$out" 2>/dev/null || fail "$out: cannot be made"
	claimed=$out
	top=$out
	;;
esac

trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
[ -z "$stopped" ] || exit "$stopped"

# --- how things are taken ------------------------------------------------------

n_files=0
n_left=0
left=

leave() {
	n_left=$((n_left + 1))
	[ $n_left -gt 40 ] || left="$left $1"
}

count_file() {
	n_files=$((n_files + 1))
	[ $n_files -le 60000 ] || fail 'more than 60000 files'
}

folder() { # DIRECTORY
	[ -d "$1" ] || mkdir -p "$1" || fail "$1: cannot be made"
}

# A file as it is.
take() { # FILE WITH ITS LEADING SLASH
	[ -f "$1" ] || return 0
	folder "$dir${1%/*}"
	if cat "$1" >"$dir$1.part" 2>/dev/null; then
		mv "$dir$1.part" "$dir$1" || fail "$dir$1: cannot be written"
		count_file
	else
		rm -f "$dir$1.part"
		leave "$1"
	fi
}

# Attributes of one line, without a process for each. What has no value, such as the
# speed of an interface that is down, is left out without a word; what must not be
# read is told.
take_lines() { # FILE...
	for file in "$@"; do
		[ -f "$file" ] || continue
		if [ ! -r "$file" ]; then
			leave "$file"
			continue
		fi
		line=
		{ IFS= read -r line <"$file"; } 2>/dev/null || [ -n "$line" ] || continue
		folder "$dir${file%/*}"
		printf '%s\n' "$line" >"$dir$file" || fail "$dir$file: cannot be written"
		count_file
	done
}

take_link() { # LINK
	[ -h "$1" ] && [ ! -h "$dir$1" ] || return 0
	target=$(readlink "$1" 2>/dev/null) || target=$(ls -l "$1" | sed 's/.* -> //')
	case $target in
	'' | /*) return 0 ;;
	esac
	folder "$dir${1%/*}"
	ln -s "$target" "$dir$1" || fail "$dir$1: cannot be written"
	count_file
}

# Where a folder really is; empty: nowhere.
real() { # DIRECTORY
	(cd "$1" 2>/dev/null && pwd -P)
}

if timeout 5 true 2>/dev/null; then
	bounded() { timeout 20 "$@"; }
else
	bounded() { "$@"; }
fi

# What a command prints, if it prints anything.
output() { # FILE COMMAND...
	file=$1
	shift
	command -v "$1" >/dev/null 2>&1 || return 0
	bounded "$@" 2>/dev/null </dev/null |
		sed '/^RSS hash key:/,/^RSS hash function/s/^[[:space:]]*[0-9a-fA-F][0-9a-fA-F]:[0-9a-fA-F:]*$/(masked)/' \
			>"$file.part"
	if [ -s "$file.part" ]; then
		mv "$file.part" "$file" || fail "$file: cannot be written"
		count_file
	else
		rm -f "$file.part"
		leave "${file##*/}"
	fi
}

# --- Linux ----------------------------------------------------------------------

linux_time() {
	read -r now _ </proc/uptime && echo "$now"
}

# Interfaces that are devices, of a name that no program takes for an option.
linux_devices() {
	for nic in /sys/class/net/*; do
		[ -e "$nic/device" ] || continue
		case ${nic##*/} in
		-*) ;;
		*) echo "${nic##*/}" ;;
		esac
	done
}

linux_device() { # FOLDER OF THE DEVICE BEHIND AN INTERFACE
	take_lines "$1/class" "$1/vendor" "$1/device" "$1/numa_node" "$1/local_cpulist" "$1/irq" \
		"$1/msi_irqs"/* "$1/current_link_speed" "$1/current_link_width" "$1/power/control" \
		"$1/power/runtime_status"
	take "$1/uevent"
	take_link "$1/driver"
	take_link "$1/subsystem"
}

linux_interface() { # FOLDER
	take_link "$1"
	nic=$(real "$1")
	case $nic in
	/sys/*) ;;
	*) return 0 ;;
	esac
	for what in operstate speed duplex mtu type flags ifindex iflink carrier carrier_changes \
		dev_id dev_port link_mode threaded tx_queue_len gro_flush_timeout \
		napi_defer_hard_irqs tun_flags bridge/stp_state brport/state bonding/mode \
		bonding/slaves bonding/xmit_hash_policy phy80211/name; do
		take_lines "$nic/$what"
	done
	take_lines "$nic"/statistics/* "$nic"/queues/*/* "$nic"/queues/*/byte_queue_limits/*
	take "$nic/uevent"
	for what in master subsystem device; do
		take_link "$nic/$what"
	done
	for what in "$nic"/lower_* "$nic"/upper_*; do
		take_link "$what"
	done
	[ -h "$nic/device" ] || return 0
	device=$(real "$nic/device")
	case $device in
	/sys/*) linux_device "$device" ;;
	esac
	# The lines of a virtio device are those of the PCI device above it.
	case $device in
	*/virtio[0-9]*) linux_device "${device%/*}" ;;
	esac
}

linux_sample() {
	for what in uptime stat interrupts softirqs net/softnet_stat net/dev; do
		take /proc/$what
	done
	for nic in $(linux_devices); do
		output "$dir/ethtool-S.$nic.txt" ethtool -S "$nic"
	done
	for what in loadavg meminfo version net/snmp net/netstat net/stat/nf_conntrack pressure/irq \
		pressure/cpu; do
		take /proc/$what
	done
	if [ -r /proc/cpuinfo ]; then
		folder "$dir/proc"
		sed '/^Serial/d' /proc/cpuinfo >"$dir/proc/cpuinfo" || fail 'cannot write'
		count_file
	fi
	take_lines /proc/sys/kernel/osrelease /proc/sys/net/core/netdev_budget \
		/proc/sys/net/core/netdev_budget_usecs /proc/sys/net/core/netdev_max_backlog \
		/proc/sys/net/core/dev_weight /proc/sys/net/core/rps_sock_flow_entries \
		/proc/sys/net/ipv4/ip_forward /proc/sys/net/netfilter/nf_conntrack_max \
		/proc/sys/net/netfilter/nf_conntrack_buckets
	take_lines /proc/irq/default_smp_affinity
	for what in /proc/irq/[0-9]*; do
		take_lines "$what/smp_affinity" "$what/smp_affinity_list" "$what/effective_affinity" \
			"$what/effective_affinity_list" "$what/affinity_hint" "$what/node"
		[ ! -r "$what/spurious" ] || take "$what/spurious"
	done
	for what in /sys/kernel/irq/[0-9]*; do
		take_lines "$what/actions" "$what/chip_name"
	done
	cpu=/sys/devices/system/cpu
	take_lines $cpu/online $cpu/possible $cpu/present $cpu/offline $cpu/isolated $cpu/nohz_full \
		$cpu/smt/active $cpu/cpufreq/boost $cpu/intel_pstate/no_turbo $cpu/cpu[0-9]*/online \
		$cpu/cpu[0-9]*/cpu_capacity $cpu/cpu[0-9]*/topology/* $cpu/cpufreq/policy[0-9]*/* \
		$cpu/cpu[0-9]*/thermal_throttle/* /sys/devices/system/node/node[0-9]*/cpulist
	for what in $cpu/cpu[0-9]*/cpufreq; do
		take_link "$what"
	done
	for what in /sys/class/net/*; do
		[ ! -d "$what" ] || linux_interface "$what"
	done
}

linux_once() {
	for nic in $(linux_devices); do
		for what in i l g c x k; do
			output "$dir/ethtool-$what.$nic.txt" ethtool -$what "$nic"
		done
	done
	[ -s "$top/t0/proc/stat" ] || fail '/proc is not mounted, or cannot be read'
}

# --- BSD --------------------------------------------------------------------------

# Whole seconds are what all of them have.
bsd_time() {
	date +%s
}

freebsd_sample() {
	output "$dir/vmstat-ia.txt" vmstat -ia
	output "$dir/netstat-Q.txt" netstat -Q
	for nic in $(ifconfig -l 2>/dev/null); do
		driver=${nic%%[0-9]*}
		unit=${nic#"$driver"}
		case $unit in
		'' | *[!0-9]*) continue ;;
		esac
		sysctl -n "dev.$driver.$unit.%driver" >/dev/null 2>&1 || continue
		output "$dir/sysctl-dev.$driver.$unit.txt" sysctl "dev.$driver.$unit"
	done
}

# The first screen of top counts since boot, the second one since the first.
freebsd_once() {
	output "$dir/sysctl-dev.cpu.txt" sysctl dev.cpu
	output "$dir/top-P.txt" top -b -P -d 2 -s 2 15
	output "$dir/top-CHS.txt" top -b -CHS -d 2 -s 2 60
	[ -s "$top/t0/vmstat-ia.txt" ] || fail 'vmstat -ia says nothing'
}

openbsd_sample() {
	output "$dir/vmstat-i.txt" vmstat -i
}

openbsd_once() {
	output "$dir/top.txt" top -b -S -H -d 2 -s 2 60
	output "$dir/systat-mbufs.txt" systat -b mbufs
	output "$dir/systat-ifstat.txt" systat -b ifstat
	output "$dir/sysctl.txt" sysctl hw.model hw.ncpu hw.ncpuonline hw.smt kern.version \
		kern.netlivelocks net.inet.ip.ifq net.inet.ip.forwarding
	[ -s "$top/t0/vmstat-i.txt" ] || fail 'vmstat -i says nothing'
}

# --- the capture ----------------------------------------------------------------------

case $(uname -s) in
Linux) system=linux time=linux_time apart=1 ;;
FreeBSD | DragonFly) system=freebsd time=bsd_time apart=10 ;;
OpenBSD) system=openbsd time=bsd_time apart=10 ;;
*) fail "$(uname -s): not a system this script knows" ;;
esac
interval=${interval:-$apart}

# A signal is served at once, not when the time is over.
pause() {
	sleep "$interval" </dev/null >/dev/null 2>&1 &
	sleeper=$!
	wait "$sleeper"
	sleeper=
}

samples=
i=0
while [ $i -lt "$count" ]; do
	[ $i -eq 0 ] || pause
	dir=$top/t$i
	folder "$dir"
	at=$($time) || fail 'what time is it?'
	samples="$samples${samples:+,}{\"dir\":\"t$i\",\"monotonic_s\":$at}"
	${system}_sample
	i=$((i + 1))
done
dir=$top
${system}_once
printf '{"samples":[%s]}\n' "$samples" >"$top/meta.json" || fail 'cannot write'

if [ -n "$work" ]; then
	(cd "$work" && tar -cf capture.tar "$name") || fail 'tar failed'
	gzip -c "$work/capture.tar" >"$out" || fail "$out: cannot be written"
fi
claimed=
echo "$out: $count samples, $n_files files"
if [ $n_left -gt 0 ]; then
	echo "not to be read ($n_left):$left"
fi
