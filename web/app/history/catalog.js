/* SPDX-License-Identifier: ISC */
/*
 * What can be drawn: the metrics of the catalog in plain words and in groups, the
 * choices each has, and the names of single series. What has no words here is
 * shown by its name. Pure.
 */

const CORES = 'Cores';
const INTERFACES = 'Interfaces';
const LOSS = 'Lost packets';
const QUEUES = 'Queues and interrupts';
const HOST = 'This machine';
const OTHER = 'Other';
export const GROUPS = [CORES, INTERFACES, LOSS, QUEUES, HOST, OTHER];

/* metric: [group, words] */
const METRICS = {
  core_packet_load_ratio: [CORES, 'Packet load'],
  core_busy_ratio: [CORES, 'Busy'],
  core_cpu_seconds: [CORES, 'CPU time by kind'],
  core_packet_thread_ratio: [CORES, 'Packet threads'],
  core_nic_interrupts: [CORES, 'Interrupts of network devices'],
  core_interrupts: [CORES, 'Interrupts'],
  core_softirqs: [CORES, 'Soft interrupts by kind'],
  core_softnet_processed_packets: [CORES, 'Packets taken from devices'],
  core_softnet_squeezed: [CORES, 'Poll rounds cut short (squeezed)'],
  core_softnet_rps: [CORES, 'Wake-ups by packet steering (RPS)'],
  core_softnet_backlog_packets: [CORES, 'Packets waiting in the backlog'],
  core_frequency_hertz: [CORES, 'Clock'],
  core_frequency_max_hertz: [CORES, 'Highest clock'],
  core_throttle_events: [CORES, 'Slowed down for heat'],
  core_throttled_seconds: [CORES, 'Time slowed down for heat'],
  interface_bytes: [INTERFACES, 'Throughput'],
  interface_packets: [INTERFACES, 'Packets'],
  interface_multicast_packets: [INTERFACES, 'Multicast packets'],
  interface_collisions: [INTERFACES, 'Collisions'],
  interface_pause_frames: [INTERFACES, 'Pause frames'],
  interface_queue_stops: [INTERFACES, 'Transmit ring full'],
  interface_transmit_timeouts: [INTERFACES, 'Transmit queue stuck'],
  interface_qdisc_requeues: [INTERFACES, 'Given back to the queueing discipline'],
  interface_missed_packets: [LOSS, 'Missed by the device'],
  interface_ring_packets: [LOSS, 'Lost in the ring'],
  interface_dropped_packets: [LOSS, 'Dropped by software'],
  interface_qdisc_dropped_packets: [LOSS, 'Dropped by the queueing discipline'],
  interface_error_packets: [LOSS, 'With an error'],
  interface_fifo_error_packets: [LOSS, 'Receive FIFO errors'],
  interface_over_error_packets: [LOSS, 'Receive overruns'],
  interface_crc_error_packets: [LOSS, 'Wrong checksum on the wire'],
  interface_nohandler_packets: [LOSS, 'On an inactive device'],
  interface_allowance_exceeded_packets: [LOSS, 'Over the limits of the cloud'],
  core_softnet_dropped_packets: [LOSS, 'Backlog of the core full'],
  core_softnet_flow_limit_packets: [LOSS, 'Dropped by the flow limit'],
  queue_dropped_packets: [LOSS, 'Lost by queues'],
  conntrack_dropped_packets: [LOSS, 'No room in the connection table'],
  queue_packets: [QUEUES, 'Packets of queues'],
  queue_bytes: [QUEUES, 'Throughput of queues'],
  irq_interrupts: [QUEUES, 'Interrupts by line'],
  state: [HOST, 'State (0 ok to 3 critical)'],
  temperature_celsius: [HOST, 'Temperature of the processor'],
  conntrack_entries: [HOST, 'Tracked connections'],
  conntrack_early_drops: [HOST, 'Connections given up early'],
  conntrack_insert_failed: [HOST, 'Connections not entered'],
};

/* What the third chart of the first view shows. */
const LOSSES = ['interface_missed_packets', 'interface_ring_packets',
  'interface_qdisc_dropped_packets', 'core_softnet_dropped_packets', 'queue_dropped_packets'];
/* More devices than this in one chart are not told apart, nor more cores. */
const DEVICES_MAX = 8;
const CORES_MAX = 12;

const LABELS = ['device', 'queue', 'direction', 'cpu', 'irq', 'mode'];
export const LABEL_WORDS = {
  cpu: 'Core', device: 'Interface', queue: 'Queue', direction: 'Direction', irq: 'Interrupt',
  mode: 'Kind',
};
const DIRECTIONS = { rx: 'in', tx: 'out' };

export function metricWords(metric) {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric][1] : metric.replaceAll('_', ' ');
}

const groupOf = (metric) => Object.hasOwn(METRICS, metric) ? METRICS[metric][0] : OTHER;

/* Numbers by size, texts by letters. */
export function inOrder(values) {
  return [...values].sort((a, b) => Number(a) - Number(b) || a.localeCompare(b, 'en',
    { numeric: true }));
}

/* Entries of /api/v1/catalog -> Map metric -> { metric, words, group, unit, kind, count,
 * labels: { name: [values] } }, in the order of the groups. */
export function metricsOf(entries) {
  const found = new Map();
  for (const { metric, labels, unit, kind } of entries) {
    const m = found.get(metric) ?? { metric, words: metricWords(metric), group: groupOf(metric),
      unit, kind, count: 0, labels: {} };
    m.count++;
    for (const [name, value] of Object.entries(labels))
      (m.labels[name] ??= new Set()).add(value);
    found.set(metric, m);
  }
  const order = Object.keys(METRICS);
  const place = (m) => order.includes(m.metric) ? order.indexOf(m.metric) : order.length;
  return new Map([...found.values()].sort((a, b) => place(a) - place(b)
    || a.metric.localeCompare(b.metric)).map((m) => [m.metric, { ...m, labels:
      Object.fromEntries(LABELS.filter((name) => m.labels[name] !== undefined)
        .map((name) => [name, inOrder(m.labels[name])])) }]));
}

/* Those whose words or name have all words of what was typed. */
export function search(metrics, text) {
  const words = text.toLowerCase().split(/\s+/).filter((w) => w !== '');
  return [...metrics.values()].filter((m) => {
    const all = (m.words + ' ' + m.metric.replaceAll('_', ' ') + ' ' + m.group).toLowerCase();
    return words.every((w) => all.includes(w));
  });
}

export function valueWords(label, value) {
  return label === 'direction' ? DIRECTIONS[value] ?? value : value;
}

/* "core 3", "eth0 in", "eth0 in queue 2", "interrupt 41", "core 0 softirq" */
export function seriesWords(labels) {
  const parts = [];
  if (labels.device !== undefined)
    parts.push(labels.device);
  if (labels.direction !== undefined)
    parts.push(valueWords('direction', labels.direction));
  if (labels.queue !== undefined)
    parts.push('queue ' + labels.queue);
  if (labels.cpu !== undefined)
    parts.push('core ' + labels.cpu);
  if (labels.irq !== undefined)
    parts.push('interrupt ' + labels.irq);
  if (labels.mode !== undefined)
    parts.push(labels.mode);
  return parts.join(' ');
}

/* "Packet load", "Throughput: eth0, eth1", "Packet load: core 3" */
export function lineWords({ metric, labels }) {
  const chosen = Object.entries(labels).map(([name, values]) =>
    (name === 'cpu' || name === 'irq' || name === 'queue'
      ? LABEL_WORDS[name].toLowerCase() + (values.length > 1 ? 's ' : ' ') : '')
    + values.map((v) => valueWords(name, v)).join(', '));
  return metricWords(metric) + (chosen.length > 0 ? ': ' + chosen.join(', ') : '');
}

export function chartWords({ lines }) {
  if (lines.length > 1 && lines.every((line) => groupOf(line.metric) === LOSS))
    return LOSS;
  return lines.map(lineWords).join('; ');
}

/* What is shown when the address says nothing: load of all cores, throughput of the
 * physical interfaces, losses. */
export function firstCharts(metrics, interfaces) {
  const physical = interfaces.filter((i) => i.kind === 'physical').map((i) => i.device);
  const known = new Set(metrics.get('interface_bytes')?.labels.device ?? []);
  const there = (physical.length > 0 ? physical : interfaces.map((i) => i.device)
    .filter((device) => device !== 'lo')).filter((device) => known.has(device));
  const device = there.slice(0, DEVICES_MAX);
  const charts = [
    [{ metric: 'core_packet_load_ratio', labels: {} }],
    device.length > 0 ? [{ metric: 'interface_bytes', labels: { device } }] : [],
    LOSSES.map((metric) => ({ metric, labels: {} })),
  ];
  const isBig = metrics.get('core_packet_load_ratio')?.labels.cpu?.length > CORES_MAX;
  return charts.map((lines, i) => ({ lines: lines.filter((l) => metrics.has(l.metric)),
    isFolded: i === 0 && isBig })).filter((chart) => chart.lines.length > 0);
}
