/* SPDX-License-Identifier: ISC */
/*
 * From the lines of a chart to what is asked of the daemon, and from its answers to
 * what is drawn. Pure.
 */

import { average, combined, commonAxis, highest, placer } from '../chart/axis.js';
import { metricWords, seriesWords } from './catalog.js';

/* More lines than this in one chart are not told apart, and shading of more than a
 * few is mud. */
export const LINES_SHOWN = 12;
export const BANDS_SHOWN = 4;
const COLORS = 8;
const DASH = [6, 4];

/* Fewer points than pixels, in steps: a scrollbar that comes is no new question. */
export function pointsFor(widthPx) {
  return Math.min(800, Math.max(100, Math.round(widthPx / 2 / 100) * 100));
}

export function questionOf(line, [from, to], points, aggregate = 'avg') {
  return { metric: line.metric, ...line.labels, after: (from / 1000).toFixed(3),
    before: (to / 1000).toFixed(3), points: String(points), aggregate };
}

/* What values of an API unit are shown as: { unit, factor }. */
export function shownAs(unit) {
  switch (unit) {
    case 'bytes/s': return { unit: 'bit/s', factor: 8 };
    /* Seconds of each second are a share. */
    case 'seconds/s': return { unit: 'ratio', factor: 1 };
    default: return { unit, factor: 1 };
  }
}

/* The unit of a metric of the catalog as drawn. */
export function drawnUnit({ unit, kind }) {
  return shownAs(kind === 'counter' ? unit + '/s' : unit).unit;
}

const keyOf = (metric, labels) => metric + ' ' + JSON.stringify(Object.entries(labels).sort());

/* What the answers to the lines of a chart hold: { times, unit, resolutionMs, series:
 * [{ key, metric, labels, label, values, peak, mean }] }, the highest first. Where
 * only another answer has a time, a value is undefined; null is a gap. */
export function seriesOf(answers) {
  const { times, place } = commonAxis(answers);
  const isMixed = new Set(answers.filter((a) => a.series.length > 0).map((a) => a.metric)).size > 1;
  const series = [];
  for (const answer of answers) {
    const { factor } = shownAs(answer.unit);
    for (const one of answer.series) {
      const values = place(answer.time_ms, one.values, factor);
      const words = seriesWords(one.labels);
      series.push({ key: keyOf(answer.metric, one.labels), metric: answer.metric,
        labels: one.labels, values, ...extent(values),
        label: words === '' ? metricWords(answer.metric)
          : isMixed ? words + ', ' + metricWords(answer.metric).toLowerCase() : words });
    }
  }
  series.sort((a, b) => b.peak - a.peak || b.mean - a.mean);
  return { times, series, unit: shownAs(answers.find((a) => a.series.length > 0)?.unit
    ?? answers[0]?.unit ?? '').unit,
  resolutionMs: Math.max(0, ...answers.filter((a) => a.time_ms.length > 0)
    .map((a) => a.resolution_ms)) };
}

/* The values of answers of another aggregate, by key of the series. */
export function valuesByKey(answers, times) {
  const place = placer(times);
  return new Map(answers.flatMap((a) => a.series.map((one) => [keyOf(a.metric, one.labels),
    place(a.time_ms, one.values, shownAs(a.unit).factor)])));
}

function extent(values) {
  let [peak, sum, n] = [-Infinity, 0, 0];
  for (const v of values) {
    if (typeof v === 'number') {
      peak = Math.max(peak, v);
      sum += v;
      n++;
    }
  }
  return { peak, mean: n > 0 ? sum / n : -Infinity };
}

/* Which series of a chart are drawn, in the order of their names: { shown, zero:
 * how many were zero throughout and left out, left: how many others were }. */
export function choose(series) {
  const alive = series.filter((s) => s.peak !== 0);
  const isDead = alive.length === 0;
  const worth = isDead || series.length <= 2 ? series : alive;
  const shown = worth.slice(0, isDead ? 1 : LINES_SHOWN);
  const left = isDead ? 0 : worth.length - shown.length;
  return { left, zero: series.length - shown.length - left, isDead: isDead && series.length > 0,
    shown: shown.sort((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true })) };
}

/* Many series as two: the highest and the mean of all at each time. */
export function folded(series, n) {
  return [
    { key: 'highest', label: 'highest of ' + series.length, values: combined(series, n, highest) },
    { key: 'mean', label: 'mean of ' + series.length, values: combined(series, n, average) },
  ];
}

export function styleOf(i) {
  return { color: '--series-' + (i % COLORS + 1), dash: i >= COLORS ? DASH : undefined };
}

/* "1 s samples", "1 min averages", "15 h averages" */
export function resolutionWords(resolutionMs, intervalMs) {
  if (!(resolutionMs > 0))
    return '';
  return spanWords(resolutionMs) + (resolutionMs <= intervalMs * 1.5 ? ' samples' : ' averages');
}

const UNITS = [[86400000, 'day'], [3600000, 'h'], [60000, 'min'], [1000, 's'], [1, 'ms']];

/* "24 s", "1 min 30 s", "15 h": exact, as steps are. */
export function spanWords(ms) {
  let rest = Math.round(ms);
  const parts = [];
  for (const [size, word] of UNITS) {
    const n = Math.floor(rest / size);
    if (n > 0)
      parts.push(n + '\u00a0' + word + (word === 'day' && n > 1 ? 's' : ''));
    rest -= n * size;
  }
  return parts.slice(0, 2).join(' ');
}
