/* SPDX-License-Identifier: ISC */
/*
 * Settings in plain words: what each kind that the daemon reads means, for the
 * map and for the list of changes. A kind that is not here is shown by its name.
 * Pure.
 */

const WORDS = {
  kernel: 'kernel',
  firmware: 'firmware',
  irqbalance: 'irqbalance',
  netdev_budget: 'packets a poll round may take (netdev_budget)',
  netdev_budget_usecs: 'time a poll round may take (netdev_budget_usecs)',
  netdev_max_backlog: 'longest backlog of a core (netdev_max_backlog)',
  dev_weight: 'packets a backlog poll may take (dev_weight)',
  rps_sock_flow_entries: 'flows RFS follows in all',
  cpu_boost: 'clock boost',
  hypervisor: 'hypervisor below it',
  system: 'operating system',
  numa_nodes: 'memory nodes and their cores',
  ip_forward: 'forwards packets',
  nf_conntrack_max: 'connections tracked at most',
  nf_conntrack_buckets: 'buckets of the connection table',
  nf_conntrack_tcp_timeout_established: 'seconds an idle TCP connection is tracked',
  irqbalance_service: 'what starts irqbalance',
  realtime: 'real-time kernel',
  passive_trip_celsius: 'temperature from which it is slowed down',
  cpu_governor: 'frequency governor',
  cpu_governors: 'governors there are',
  cpu_capacity: 'what it can do, of 1024',
  cpu_freq_min_khz: 'lowest clock allowed',
  cpu_freq_max_khz: 'highest clock allowed',
  irq_affinity: 'cores it may fire on',
  irq_effective_affinity: 'cores it fires on',
  driver: 'driver',
  carrier: 'link',
  speed_mbit: 'link speed',
  duplex: 'duplex',
  mtu: 'largest packet (MTU)',
  rx_queues: 'receive queues in use',
  tx_queues: 'transmit queues in use',
  threaded: 'NAPI in threads',
  qdisc: 'queueing discipline',
  channels_combined: 'combined channels',
  channels_combined_max: 'most combined channels',
  channels_rx: 'receive channels',
  channels_rx_max: 'most receive channels',
  channels_tx: 'transmit channels',
  channels_tx_max: 'most transmit channels',
  ring_rx: 'receive ring',
  ring_rx_max: 'largest receive ring',
  ring_tx: 'transmit ring',
  ring_tx_max: 'largest transmit ring',
  coalesce_adaptive_rx: 'adaptive receive interrupt rate',
  coalesce_adaptive_tx: 'adaptive transmit interrupt rate',
  coalesce_rx_usecs: 'receive interrupts held back for',
  coalesce_rx_frames: 'receive interrupts held back for',
  coalesce_tx_usecs: 'transmit interrupts held back for',
  coalesce_tx_frames: 'transmit interrupts held back for',
  rss_table: 'indirection table (RSS)',
  rss_key: 'hash key (RSS)',
  rss_hash: 'hash function (RSS)',
  rss_udp4: 'what of UDP is hashed (RSS)',
  pause_rx: 'pause frames obeyed',
  pause_tx: 'pause frames sent',
  offloads: 'offloads',
  numa_node: 'memory node',
  master: 'bridge or bond it belongs to',
  autoneg: 'link mode negotiated',
  link_supported: 'link modes it can',
  link_advertised: 'link modes it offers',
  link_partner: 'link modes the other end offers',
  rps_cpus: 'packets handed to cores (RPS)',
  rps_flow_cnt: 'flows RFS follows',
  xps_cpus: 'sends for cores (XPS)',
  xps_rxqs: 'sends for receive queues (XPS)',
};

const UNITS = {
  netdev_budget_usecs: '\u00b5s',
  coalesce_rx_usecs: '\u00b5s',
  coalesce_tx_usecs: '\u00b5s',
  coalesce_rx_frames: 'packets',
  coalesce_tx_frames: 'packets',
  speed_mbit: 'Mbit/s',
  ring_rx: 'descriptors',
  ring_tx: 'descriptors',
  ring_rx_max: 'descriptors',
  ring_tx_max: 'descriptors',
};

export function settingWords(kind) {
  return Object.hasOwn(WORDS, kind) ? WORDS[kind] : String(kind ?? 'setting').replaceAll('_', ' ');
}

/* A value as one reads it; clocks are set in kHz. */
export function settingValue(kind, value) {
  if (value === null || value === undefined)
    return 'not set';
  if (value === '')
    return 'none';
  if (/_khz$/.test(kind) && /^\d+$/.test(value))
    return (Number(value) / 1e6).toFixed(2) + '\u00a0GHz';
  return Object.hasOwn(UNITS, kind) && /^\d+$/.test(value) ? value + '\u00a0' + UNITS[kind] : value;
}

/* [before, after] of a change; of a list of what is on, only what changed. */
export function changedValues(kind, before, after) {
  if (kind !== 'offloads' || typeof before !== 'string' || typeof after !== 'string')
    return [settingValue(kind, before), settingValue(kind, after)];
  const [was, is] = [before, after].map((text) => new Set(text.split(' ').filter((w) => w !== '')));
  const words = [...new Set([...was, ...is])].filter((word) => was.has(word) !== is.has(word));
  const text = (set) => words.map((word) => word + (set.has(word) ? ' on' : ' off')).join(', ');
  return [text(was), text(is)];
}
