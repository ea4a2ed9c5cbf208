/* SPDX-License-Identifier: ISC */
/*
 * Findings and their history as the tests of the page of findings see them: a router
 * with a past, no daemon needed.
 */

const MINUTE = 60000;
const DAY = 86400000;

/* One finding; what it is not is as the API says it. */
export function makeFinding(id, more = {}) {
  const now = Date.now();
  return {
    id, code: 'core.imbalance', title: 'One core does the packet work', severity: 'warn',
    confidence: 'medium', subject: { kind: 'core', core: 3 }, raised_ms: now - 5 * MINUTE,
    cleared_ms: null, episodes: 1, stale: false,
    message: 'Core 3 is full of packet work while three others idle.',
    evidence: [{ label: 'packet load of core 3', value: 0.97, unit: 'ratio' },
      { label: 'packets in', value: 148000, unit: 'packets/s', text: 'eth0' }],
    causes: ['All interrupts of eth0 fire on core 3', 'A single flow carries the load'],
    ruled_out: [{ code: 'flow.elephant', title: 'One heavy flow',
      reason: 'the busiest flow has 4 % of the packets' }],
    advice: [{ command: 'echo f > /proc/irq/41/smp_affinity', expect: 'four cores share the load',
      undo: 'echo 8 > /proc/irq/41/smp_affinity', persistent: false, disruptive: false }],
    ...more,
  };
}

export const linkFinding = (id, more = {}) => makeFinding(id, {
  code: 'link.errors', title: 'Errors on the wire', severity: 'crit', confidence: 'high',
  subject: { kind: 'interface', device: 'eth2' }, message: 'eth2 receives damaged packets.',
  evidence: [{ label: 'wrong checksums', value: 12, unit: 'packets' }], causes: ['A bad cable'],
  ruled_out: [], advice: [], ...more });

/* n past ones over many weeks, newest first, three severities in turn. */
export function past(n, firstId = 100) {
  const now = Date.now();
  return Array.from({ length: n }, (_, i) => {
    const raised = now - 2 * 3600000 - Math.floor(i / 12) * DAY - (i % 12) * 10 * MINUTE;
    return makeFinding(firstId + n - i, { severity: ['info', 'warn', 'crit'][i % 3],
      raised_ms: raised, cleared_ms: raised + 3 * MINUTE, title: 'Past number ' + (n - i) });
  });
}

/* The answer of /api/v1/series: core 3 is full between from and to, counters count
 * then. */
export function seriesOf(url, { from, to, cores = 4 }) {
  const q = url.searchParams;
  const metric = q.get('metric');
  const [after, before] = ['after', 'before'].map((name) => Number(q.get(name)) * 1000);
  const step = Math.max(1000, Math.ceil((before - after) / 300));
  const times = [];
  for (let t = after + step; t <= Math.min(before, Date.now()); t += step)
    times.push(t);
  const is = (t) => t > from && t <= to;
  const series = (labels, value) => ({ labels, values: times.map(value) });
  const byCore = Array.from({ length: cores }, (_, cpu) => series({ cpu: String(cpu) },
    (t) => cpu === 3 && is(t) ? 0.97 : 0.12 + 0.01 * cpu));
  const answers = {
    core_packet_load_ratio: () => byCore,
    core_nic_interrupts: () => byCore.map((s) => ({ ...s, values: s.values.map((v) => v * 1e4) })),
    interface_bytes: () => [series({ device: q.get('device'), direction: q.get('direction') },
      (t) => is(t) ? 1e8 : 1e6)],
    interface_crc_error_packets: () => [series({ device: q.get('device'), direction: 'rx' },
      (t) => is(t) ? 0.2 : 0)],
  };
  return { metric, unit: '', tier: 'raw', resolution_ms: step, time_ms: times,
    series: Object.hasOwn(answers, metric) ? answers[metric]() : [] };
}
