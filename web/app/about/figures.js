/* SPDX-License-Identifier: ISC */
/*
 * What is told of the instrument, section by section: a name, the figure in the
 * units people use, and what it means. Each reads { health, summary, share } (share:
 * of one core, lately); null leaves a line out. Pure.
 */

import { bytes, clock, count, decimal, duration, isKnown, microseconds, moment, zone }
  from '../format.js';

const NBSP = '\u00a0';

/* Its own CPU time is far below what whole per cent can tell. */
export function fineShare(ratio) {
  if (!isKnown(ratio))
    return null;
  const percent = 100 * ratio;
  return percent < 0.01 ? 'below 0.01' + NBSP + '%' : decimal(percent, percent < 10 ? 2 : 1)
    + NBSP + '%';
}

/* A whole number as it is: "3 of 86 400". */
const exact = (n) => isKnown(n) ? n.toLocaleString('en').replaceAll(',', NBSP) : null;
const ofTicks = (n, h) => isKnown(n) ? exact(n) + ' of ' + exact(h.ticks) : null;

/* Of what is written to a disk there is nothing to tell without one. */
const onDisk = (read) => (data) => data.health.store?.state === 'memory' ? null : read(data);

const COST = ['What it costs', [
  ['CPU, share of one core', ({ share }) => fineShare(share),
    'in the last seconds, all its threads'],
  ['CPU since its start', ({ health: h }) => fineShare(h.process_cpu_s / h.uptime_s),
    'share of one core'],
  ['CPU of a tick', ({ health: h }) => microseconds(h.tick_cpu_us),
    'mean: reading all sources, judging, telling the pages'],
  ['The last tick', ({ health: h }) => microseconds(h.tick_cpu_last_us), ''],
  ['The worst tick', ({ health: h }) => microseconds(h.tick_cpu_max_us), 'mostly the first'],
  ['Memory', ({ health: h }) => bytes(h.pss_bytes ?? h.rss_bytes),
    'its own, with its part of what programs share'],
  ['Memory, all it maps', ({ health: h }) => isKnown(h.pss_bytes) ? bytes(h.rss_bytes) : null,
    'shared libraries counted in full'],
  ['Written a day', onDisk(({ health: h }) => isKnown(h.bytes_written_per_day)
    ? bytes(h.bytes_written_per_day) : 'not known yet'),
  'to the database, at the pace so far; told after five minutes'],
  ['Written', ({ health: h }) => h.store?.state === 'memory' ? 'nothing' : null,
    'there is no database'],
  ['Written since its start', onDisk(({ health: h }) => bytes(h.bytes_written)), ''],
]];

function intervalText(ms) {
  return ms < 1000 ? microseconds(1000 * ms) : duration(ms);
}

const TIME = ['Whether it keeps time', [
  ['A sample every', ({ summary }) => intervalText(summary?.interval_ms), ''],
  ['Running for', ({ health: h }) => duration(1000 * h.uptime_s), ''],
  ['Ticks late', ({ health: h }) => ofTicks(h.ticks_late, h), 'taken, but not on time'],
  ['Ticks missed', ({ health: h }) => ofTicks(h.ticks_missed, h),
    'not taken: the machine was too busy'],
  ['Longest delay of its loop', ({ health: h }) => microseconds(h.loop_delay_max_us),
    'since its start'],
  ['Longest delay lately', ({ health: h }) => microseconds(h.loop_delay_recent_us), ''],
  ['Slow steps of its loop', ({ health: h }) => exact(h.loop_slow_callbacks),
    'that held up all others'],
  ['Clock of this machine', ({ summary }) => !summary ? null
    : summary.clock_ok === false ? 'not set' : 'set',
  'while it is not set, the times of samples are provisional'],
  ['CPU time is counted', ({ summary }) => ACCOUNTING[summary?.cpu_accounting]?.[0] ?? null, ''],
]];

/* Also the words below. */
const ACCOUNTING = {
  precise: ['precisely', 'The kernel measures how long interrupts take, so loads are true to the '
    + 'microsecond.'],
  tick: ['by the timer tick', 'The kernel looks at each core a hundred times a second or so and '
    + 'books the time on what it finds. Time in hard interrupts is not seen, and a core that is '
    + 'mostly idle shows less packet load than it has. A kernel with '
    + 'CONFIG_IRQ_TIME_ACCOUNTING measures it.'],
};

const SERIES = ['What it follows', [
  ['Series', ({ health: h }) => isKnown(h.series)
    ? exact(h.series) + ' of at most ' + exact(h.series_max) : null,
  'values with a history, one a core, queue or device'],
  ['Series refused', ({ health: h }) => exact(h.series_refused),
    'for want of room: raise max_series in [limits]'],
  ['Gaps in the samples', ({ health: h }) => exact(h.gaps), 'ticks that are missing'],
  ['Minutes dropped', ({ health: h }) => exact(h.minutes_dropped),
    'that the store did not take in time'],
  ['Counters set back', ({ health: h }) => exact(h.counter_resets), 'a driver began again at 0'],
  ['Counters that ran over', ({ health: h }) => exact(h.counter_wraps), 'followed without loss'],
  ['Findings refused', ({ health: h }) => exact(h.findings_refused), 'too many at once'],
  ['Changes lost', ({ health: h }) => exact(h.changes_lost), 'too many at once'],
]];

const CLIENTS = ['Who looks at it', [
  ['Pages that follow it live', ({ health: h }) => exact(h.http?.streams),
    'this one is among them'],
  ['Connections', ({ health: h }) => exact(h.http?.connections), ''],
  ['Requests', ({ health: h }) => exact(h.http?.requests), ''],
  ['Requests refused', ({ health: h }) => exact(h.http?.refused), 'not permitted, or too many'],
  ['Events sent', ({ health: h }) => isKnown(h.http?.events) ? count(h.http.events) : null, ''],
  ['Events lost', ({ health: h }) => exact(h.http?.events_lost),
    'of clients that were too slow to take them'],
]];

const STORE = ['How history is kept', [
  ['State', ({ health: h }) => storeState(h.store), ''],
  ['In this state since', ({ health: h, nowMs }) => moment(h.store?.since_ms, nowMs), ''],
  ['Size on disk', ({ health: h }) => isKnown(h.store?.size_bytes)
    ? bytes(h.store.size_bytes) : null,
  'limited by max_size; the oldest samples give way first'],
  ['Longest commit', onDisk(({ health: h }) => microseconds(h.store?.commit_max_us)),
    'the disk; samples do not wait for it'],
  ['Commits that failed', onDisk(({ health: h }) => ofCommits(h.store)), ''],
  ['Minutes that could not be written', onDisk(({ health: h }) => exact(h.store?.blocks_failed)),
    ''],
  ['Findings and changes dropped', onDisk(({ health: { store: s } }) =>
    isKnown(s?.findings_dropped) ? exact(s.findings_dropped + s.changes_dropped) : null),
  'while the disk could not take them'],
  ['Databases moved aside', onDisk(({ health: h }) => exact(h.store?.damaged)),
    'damaged, kept beside it'],
  ['Newest minutes in', ({ health: h }) => headText(h.head),
    'a file in memory lets them outlive the daemon'],
]];

const STATES = {
  ok: 'writing', memory: 'the last hour in memory: lost when it ends',
  failing: 'the last write failed', closed: 'the database cannot be had',
  stuck: 'waiting for the disk',
};

function storeState(store) {
  if (!store)
    return null;
  return (STATES[store.state] ?? store.state) + (store.reason ? ': ' + store.reason : '');
}

function ofCommits(store) {
  return isKnown(store?.commits) ? exact(store.commit_errors) + ' of '
    + exact(store.commits + store.commit_errors) : null;
}

function headText(head) {
  if (!head)
    return null;
  if (head.state === 'mapped')
    return head.path;
  return 'the daemon only' + (head.error ? ': ' + head.error : '');
}

/* Of the tiers those that there are: in memory there is no room for the coarse. */
export function tiersOf(store) {
  return (store?.tiers ?? []).filter((t) => store.state !== 'memory' || isKnown(t.oldest_ms));
}

export const SECTIONS = [COST, TIME, STORE, SERIES, CLIENTS];

export function accountingText(summary) {
  return ACCOUNTING[summary?.cpu_accounting]?.[1] ?? '';
}

const TIER_NAMES = { raw: 'Samples', minute: 'Minutes', hour: 'Hours' };

/* { name, since, span, givenUp } of a tier of the store. */
export function tierTexts(tier, nowMs) {
  const isThere = isKnown(tier.oldest_ms);
  return { name: TIER_NAMES[tier.tier] ?? tier.tier,
    since: isThere ? moment(tier.oldest_ms, nowMs) : 'none yet',
    span: isThere ? duration(nowMs - tier.oldest_ms) : null,
    givenUp: exact(tier.rows_given_up) };
}

export function askedText(nowMs) {
  return 'As of ' + clock(nowMs) + '. Times are local (' + zone(nowMs) + ').';
}
