/* SPDX-License-Identifier: ISC */
/*
 * Which interfaces make up the throughput, as the daemon's summary adds them up:
 * the physical ones, where there are none all but loopback; those whose packets
 * another one counts, too, never. Pure.
 */

const STACKED = new Set(['bond', 'bridge', 'geneve', 'gre', 'gretap', 'hsr', 'ifb', 'ip6gre',
  'ip6tnl', 'ipip', 'ipvlan', 'macvlan', 'macvtap', 'ppp', 'sit', 'team', 'vlan', 'vrf', 'vti',
  'vxlan', 'wireguard']);

export function countedDevices(interfaces) {
  const physical = interfaces.filter((i) => i.kind === 'physical');
  const counted = physical.length > 0 ? physical
    : interfaces.filter((i) => i.kind !== 'loopback' && !STACKED.has(i.kind));
  return counted.map((i) => i.device);
}
