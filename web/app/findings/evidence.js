/* SPDX-License-Identifier: ISC */
/*
 * What of the history shows a finding: by its code, else by what it is of. A chart
 * is
 *
 *   { title, unit, factor, asks: [{ metric, labels, name? }],
 *     own, who, isTotal, limit }
 *
 * asks: questions for history whose series it draws. With who(labels) -> 'core 3'
 * its series are alike, one of them stands out (own(labels), else the highest) and
 * the others are context. Without it each has its name. isTotal: told as a count,
 * not as a rate: what is lost is lost. limit: { value, name } a line that cannot be
 * crossed. Pure.
 */

const LOAD = 'core_packet_load_ratio';
/* With more cores than this only the one that the finding is of. */
const CORES_MAX = 128;

const core = (labels) => 'core ' + labels.cpu;

/* A metric that each core has. */
const ofCores = (title, metric, unit, more = {}) => (f, { cores }) => {
  const own = f.subject.core >= 0 ? f.subject.core : null;
  const labels = own !== null && cores > CORES_MAX ? { cpu: String(own) } : {};
  return { title, unit, asks: [{ metric, labels: { ...more.labels, ...labels } }], who: core,
    own: own === null ? null : (l) => Number(l.cpu) === own, isTotal: more.isTotal ?? false };
};

const coreLoad = ofCores('Packet load of the cores', LOAD, 'ratio');
const coreBusy = ofCores('Busy time of the cores', 'core_busy_ratio', 'ratio');
const coreUser = ofCores('Time in processes', 'core_cpu_seconds', 'ratio',
  { labels: { mode: 'user' } });
const coreSteal = ofCores('Time taken by the hypervisor', 'core_cpu_seconds', 'ratio',
  { labels: { mode: 'steal' } });
const coreThreads = ofCores('Time of threads that do packet work', 'core_packet_thread_ratio',
  'ratio');
const coreClock = ofCores('Clock of the cores', 'core_frequency_hertz', 'Hz');
const coreHeat = ofCores('Slowed down for heat', 'core_throttle_events', 'events',
  { isTotal: true });
const coreInterrupts = ofCores('Interrupts of network devices', 'core_nic_interrupts', '1/s');
const corePackets = ofCores('Packets through each core', 'core_softnet_processed_packets',
  'packets/s');
const coreDrops = ofCores('Lost in the backlog of a core', 'core_softnet_dropped_packets',
  'packets', { isTotal: true });
const coreSqueezed = ofCores('Poll rounds cut short', 'core_softnet_squeezed', 'events',
  { isTotal: true });
const coreFlowLimit = ofCores('Dropped by the flow limit', 'core_softnet_flow_limit_packets',
  'packets', { isTotal: true });

/* A metric with both directions. Without a device: those of all would be too many,
 * the first page has them. */
const ofDevice = (title, metric, unit, factor = 1) => (f) => f.subject.device ? {
  title: title + ' of ' + f.subject.device, unit, factor,
  asks: ['rx', 'tx'].map((direction) => ({ metric, name: direction === 'rx' ? 'in' : 'out',
    labels: { device: f.subject.device, direction } })),
} : null;

const throughput = ofDevice('Throughput', 'interface_bytes', 'bit/s', 8);
const packets = ofDevice('Packets', 'interface_packets', 'packets/s');

function utilization(f, machine) {
  const chart = throughput(f, machine);
  const speed = chart === null ? null : machine.speedOf(f.subject.device);
  return chart !== null && speed > 0
    ? { ...chart, limit: { value: speed, name: 'line rate' } } : chart;
}

/* Counters of what went wrong, each with its name: [metric, words, direction?]. */
const ofCounters = (title, counters, unit = 'packets') => (f) => f.subject.device ? {
  title: title + ' of ' + f.subject.device, unit, isTotal: true,
  asks: counters.map(([metric, name, direction]) => ({ metric, name, labels: {
    device: f.subject.device, ...direction ? { direction } : {} } })),
} : null;

const ringDrops = ofCounters('Lost before the kernel', [
  ['interface_ring_packets', 'lost in the ring'],
  ['interface_missed_packets', 'missed'],
  ['interface_fifo_error_packets', 'FIFO errors'],
]);
const wireErrors = ofCounters('Errors', [
  ['interface_crc_error_packets', 'wrong checksum'],
  ['interface_error_packets', 'errors in', 'rx'],
  ['interface_error_packets', 'errors out', 'tx'],
  ['interface_collisions', 'collisions'],
]);
const pauses = ofCounters('Pause frames', [
  ['interface_pause_frames', 'received', 'rx'],
  ['interface_pause_frames', 'sent', 'tx'],
], 'events');
const stops = ofCounters('Transmit trouble', [
  ['interface_queue_stops', 'queue stopped'],
  ['interface_transmit_timeouts', 'queue reset'],
  ['interface_qdisc_dropped_packets', 'dropped by the qdisc'],
], 'events');
const allowance = ofCounters('Held back by the cloud', [
  ['interface_allowance_exceeded_packets', 'packets'],
]);

const ofQueues = (title, metric, unit, more = {}) => (f) => {
  const { device, queue } = f.subject;
  const direction = f.subject.direction || more.direction || 'rx';
  return device ? {
    title: title + ' of ' + device, unit, isTotal: more.isTotal ?? false,
    asks: [{ metric, labels: { device, direction } }],
    who: (labels) => labels.direction + ' queue ' + labels.queue,
    own: queue >= 0 ? (labels) => Number(labels.queue) === queue : null,
  } : null;
};

const queuePackets = ofQueues('Packets by queue', 'queue_packets', 'packets/s');
const sentByQueue = ofQueues('Packets by queue', 'queue_packets', 'packets/s',
  { direction: 'tx' });
const queueDrops = ofQueues('Lost by queue', 'queue_dropped_packets', 'packets',
  { isTotal: true });

const line = (f) => f.subject.irq ? {
  title: 'Interrupts of line ' + f.subject.irq, unit: '1/s',
  asks: [{ metric: 'irq_interrupts', labels: { irq: f.subject.irq }, name: 'on all cores' }],
} : null;

/* A metric of the whole machine. */
const ofHost = (title, unit, asks, isTotal = false) => () => ({ title, unit, isTotal,
  asks: asks.map(([metric, name]) => ({ metric, name, labels: {} })) });

const heat = ofHost('Hottest sensor of the processor', 'celsius',
  [['temperature_celsius', 'temperature']]);
const connections = ofHost('Connections tracked', '', [['conntrack_entries', 'connections']]);
const refused = ofHost('Connections refused', 'events', [
  ['conntrack_dropped_packets', 'dropped'],
  ['conntrack_early_drops', 'given up early'],
  ['conntrack_insert_failed', 'not entered'],
], true);

const SPREAD = [queuePackets, coreLoad, packets];
const PILE = [coreLoad, coreInterrupts, corePackets];

const BY_CODE = {
  'cloud.allowance': [allowance, throughput],
  'conntrack.full': [connections, refused],
  'core.softirq_deferred': [coreLoad, coreThreads, coreSqueezed],
  'core.user_single': [coreUser, coreBusy],
  'core.mixed': [coreLoad, coreBusy, coreUser],
  'cpu.freq_low': [coreClock, coreLoad],
  'cpu.steal': [coreSteal, coreLoad],
  'cpu.throttled': [heat, coreClock, coreHeat],
  'flow.collision': SPREAD,
  'flow.elephant': SPREAD,
  'irq.affinity_mismatch': [coreInterrupts, coreLoad, packets],
  'irq.numa_remote': [coreInterrupts, coreLoad, packets],
  'irq.shared_line': [line, coreInterrupts],
  'irq.storm': [line, coreBusy],
  'link.errors': [wireErrors, throughput],
  'link.flapping': [throughput, wireErrors],
  'link.line_rate': [utilization],
  'link.pause': [pauses, utilization],
  'link.speed_low': [utilization],
  'napi.threads': [coreThreads, coreLoad, packets],
  'offload.gro_lro': [packets, coreLoad],
  'queue.too_few': SPREAD,
  'rate.external': [coreLoad, coreBusy],
  'ring.overflow_idle': [ringDrops, packets, coreLoad],
  'ring.overflow_saturated': [ringDrops, coreLoad, packets],
  'rps.misset': [coreLoad, corePackets, packets],
  'rps.needed': SPREAD,
  'rss.not_hashing': SPREAD,
  'rss.table_uneven': SPREAD,
  'softnet.dropped': [coreDrops, coreLoad],
  'softnet.flow_limit': [coreFlowLimit, corePackets],
  'softnet.squeezed': [coreSqueezed, coreLoad],
  'tx.single_queue': [sentByQueue, coreLoad, packets],
  'tx.stopped': [stops, packets],
};

const BY_KIND = {
  host: [coreLoad, coreBusy],
  core: PILE,
  interface: [throughput, packets, ringDrops],
  queue: [queuePackets, queueDrops, packets],
  irq: [line, coreInterrupts],
};

/* machine: { cores: how many, speedOf(device): bit/s of its link, null when not
 * known }. */
export function chartsOf(f, machine = { cores: 0, speedOf: () => null }) {
  const found = { ...f, subject: f.subject ?? {} };
  const made = (makers) => (makers ?? []).map((make) => make(found, machine))
    .filter((chart) => chart !== null);
  const tries = [Object.hasOwn(BY_CODE, f.code) ? BY_CODE[f.code] : [],
    BY_KIND[found.subject.kind], BY_KIND.host];
  return tries.map(made).find((charts) => charts.length > 0);
}

const BEFORE_LEAST_MS = 60000;
const BEFORE_MOST_MS = 6 * 3600000;

/* Before, during, after: { fromMs, toMs }; of an active one up to now. A rule raises
 * some seconds after what it sees begins, so there is more than a moment before. */
export function windowOf(f, nowMs) {
  const endMs = f.cleared_ms || nowMs;
  const around = Math.min(BEFORE_MOST_MS,
    Math.max(BEFORE_LEAST_MS, 0.25 * (endMs - f.raised_ms)));
  return { fromMs: f.raised_ms - around,
    toMs: Math.max(f.raised_ms + 1000, Math.min(nowMs, f.cleared_ms ? endMs + around : nowMs)) };
}
