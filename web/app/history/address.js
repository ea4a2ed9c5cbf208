/* SPDX-License-Identifier: ISC */
/*
 * What the page of history shows, as parameters of its address and back:
 *
 *   last=3600             the last hour, moving with time; or
 *   from=..&to=..         epoch milliseconds
 *   chart=LINES           one for each chart, LINES separated by ';':
 *                         METRIC,LABEL=VALUE,LABEL=VALUE...
 *   fold=0                charts drawn as highest and mean, by number
 *
 * Pure.
 */

export const MINUTE_S = 60;
const DAY_S = 86400;

/* Ranges offered: seconds and words. */
export const PRESETS = [
  [15 * MINUTE_S, '15 min'], [3600, '1 h'], [6 * 3600, '6 h'], [DAY_S, '1 day'],
  [7 * DAY_S, '1 week'], [30 * DAY_S, '30 days'], [365 * DAY_S, '1 year'],
];
export const DEFAULT_LAST_S = 3600;

/* A shorter range says nothing, a longer one is no longer history of this machine. */
const SHORTEST_MS = 5000;
const LONGEST_MS = 10 * 365 * DAY_S * 1000;
const LAST_MAX_S = LONGEST_MS / 1000;
/* An address that can still be passed on. */
export const CHARTS_MAX = 12;
export const LINES_MAX = 8;

/* { last } in seconds or { from, to } in ms; null: neither is right. */
export function parseRange(parameters) {
  const last = Number(parameters.get('last') ?? NaN);
  if (last >= SHORTEST_MS / 1000 && last <= LAST_MAX_S)
    return { last: Math.round(last) };
  const [from, to] = ['from', 'to'].map((name) => Number(parameters.get(name) ?? NaN));
  return from > 0 && to - from >= SHORTEST_MS && to - from <= LONGEST_MS ? { from, to } : null;
}

/* "metric,label=value,..." -> { metric, labels: { label: [values] } }; null: it is
 * none. */
export function parseLine(text) {
  const [metric, ...parts] = text.split(',');
  if (!/^[a-z][a-z0-9_]*$/.test(metric))
    return null;
  const labels = {};
  for (const part of parts) {
    const at = part.indexOf('=');
    if (at <= 0)
      return null;
    (labels[part.slice(0, at)] ??= []).push(part.slice(at + 1));
  }
  return { metric, labels };
}

export function lineText({ metric, labels }) {
  return [metric, ...Object.entries(labels).flatMap(([name, values]) =>
    values.map((value) => name + '=' + value))].join(',');
}

/* charts: null: the address names none. */
export function parseState(parameters) {
  const folds = new Set(parameters.getAll('fold'));
  const charts = parameters.getAll('chart').slice(0, CHARTS_MAX).map((text, i) => ({
    lines: text.split(';').slice(0, LINES_MAX).map(parseLine).filter((line) => line !== null),
    isFolded: folds.has(String(i)),
  })).filter((chart) => chart.lines.length > 0);
  return {
    range: parseRange(parameters) ?? { last: DEFAULT_LAST_S },
    charts: parameters.has('chart') ? charts : null,
  };
}

export function stateParameters({ range, charts }) {
  const times = range.last === undefined
    ? { from: String(Math.round(range.from)), to: String(Math.round(range.to)) }
    : { last: String(range.last) };
  return {
    ...times,
    chart: charts.map((chart) => chart.lines.map(lineText).join(';')),
    fold: charts.flatMap((chart, i) => chart.isFolded ? [String(i)] : []),
  };
}

/* [from, to] in ms. */
export function spanOf(range, nowMs) {
  return range.last === undefined ? [range.from, range.to] : [nowMs - range.last * 1000, nowMs];
}

/* What was dragged or panned to, within what can be asked: never beyond now. One
 * whose end is now stays as long as it is. */
export function rangeWithin(from, to, nowMs) {
  const span = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, to - from));
  const middle = (from + to) / 2;
  const end = Math.min(nowMs, middle + span / 2);
  return { from: Math.round(end - span), to: Math.round(end) };
}

/* Of times that were typed: each stays as it is, but for an end ahead of now. A text:
 * why it is no range. */
export function rangeBetween(from, to, nowMs) {
  const end = Math.min(to, nowMs);
  if (Number.isNaN(from) || Number.isNaN(to))
    return 'Both times are needed.';
  if (to <= from)
    return 'The end must be after the start.';
  if (from >= nowMs)
    return 'The start is ahead of now.';
  if (end - from < SHORTEST_MS)
    return 'The range must be at least ' + SHORTEST_MS / 1000 + ' s long.';
  if (end - from > LONGEST_MS)
    return 'The range must be at most ' + LONGEST_MS / DAY_S / 365000 + ' years long.';
  return { from, to: end };
}
