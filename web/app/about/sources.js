/* SPDX-License-Identifier: ISC */
/*
 * Each source the daemon reads: whether it can, what would let it, how often, and
 * what that costs. Those that cannot be read come first. Pure.
 */

import { DASH, duration, isKnown, microseconds } from '../format.js';

const STATES = {
  ok: 'read', missing: 'not on this system', forbidden: 'not permitted', failing: 'cannot be read',
};

function sourceState({ state }) {
  return Object.hasOwn(STATES, state) ? STATES[state] : String(state);
}

const WORDS = {
  cpu: 'cores there are', interfaces: 'interfaces', napi: 'which interrupt serves which queue',
  stat: 'time of the cores', interrupts: 'interrupts', softirqs: 'soft interrupts',
  softnet: 'packets of the cores', rtnl_stats: 'counters of the interfaces',
  net_dev: 'counters of the interfaces', queues: 'counters of the queues',
  threads: 'threads that work on packets', qdisc: 'queueing disciplines',
  conntrack: 'connection tracking', connections: 'tracked connections',
  flows: 'flows on a hot core',
  nic_settings: 'settings of the interfaces', irq_settings: 'settings of the interrupts',
  host_settings: 'settings of the machine', cpufreq: 'clocks of the cores', thermal: 'temperature',
};

const ORDER = ['failing', 'forbidden', 'missing', 'ok'];

/* A source that is read but for a part of it says so, too. */
const isPartial = (s) => s.state === 'ok' && (Boolean(s.reason) || s.skipped_rows > 0);

/* What would allow it, where the state alone tells. */
function remedy({ state, reason }) {
  if (state === 'forbidden' && !/CAP_|run as|root/i.test(reason ?? ''))
    return 'Start the daemon as root, or give its user the right to read it.';
  return '';
}

function reasonOf({ state, reason }) {
  return [state === 'missing' ? 'This kernel, driver or machine has none' : '', reason ?? '']
    .filter((t) => t !== '').join(': ');
}

function skippedText({ skipped_rows: n }) {
  return n > 0 ? n + (n === 1 ? ' row' : ' rows') + ' of the last reading not understood' : '';
}

/* What fails is asked ever more seldom. */
function paceText({ state, reads }, uptimeS) {
  if (!(reads > 0) || !isKnown(uptimeS))
    return DASH;
  if (state !== 'ok')
    return 'now and then';
  const ms = 1000 * uptimeS / reads;
  return 'every ' + (ms < 900 ? microseconds(1000 * ms) : duration(Math.max(ms, 1000)));
}

export function sourceTexts(s, uptimeS) {
  return { id: s.id, kind: isPartial(s) ? 'partial' : s.state, words: WORDS[s.id] ?? s.id,
    path: s.path ? '/' + s.path.replace(/^\//, '') : '',
    state: isPartial(s) ? 'read in part' : sourceState(s),
    reason: [reasonOf(s), skippedText(s), remedy(s)].filter((t) => t !== '').join('. '),
    pace: paceText(s, uptimeS), cost: microseconds(s.cost_us) };
}

/* In the order of reading within each state. */
export function sortedSources(sources) {
  const rank = (s) => isPartial(s) ? ORDER.indexOf('missing') - 0.5 : ORDER.indexOf(s.state);
  return [...sources].sort((a, b) => rank(a) - rank(b));
}
