/* SPDX-License-Identifier: ISC */
/*
 * From answers of history to what a chart of a finding draws: which series stands
 * out, what of the others is context, and the figures before, during and after.
 * Pure.
 */

import { average, combined, commonAxis, highest, placer } from '../chart/axis.js';

/* More of the others than this become their mean and their highest. */
const EACH_MAX = 3;

const OWN = '--series-2';
const CONTEXT = ['--series-1', '--series-4', '--series-3', '--series-6', '--series-8'];

const WAYS = { rx: '--rx', tx: '--tx' };

function mean(values, from, to) {
  let sum = 0;
  let n = 0;
  for (let i = from; i < to; i++) {
    if (typeof values[i] === 'number') {
      sum += values[i];
      n++;
    }
  }
  return n > 0 ? sum / n : null;
}

/* Where the times of a finding begin and end among the points: a point tells of the
 * time before it. */
function phasesOf(times, f) {
  const after = (t) => {
    const i = times.findIndex((at) => at > t);
    return i < 0 ? times.length : i;
  };
  const begin = after(f.raised_ms);
  return { begin, end: f.cleared_ms ? Math.max(begin, after(f.cleared_ms)) : times.length };
}

/* One row stands out, of the others as many as can be told apart. */
function alike(chart, rows, n, { begin, end }) {
  const during = (row) => mean(row.values, begin, end) ?? mean(row.values, 0, n) ?? -1;
  const ranked = [...rows].sort((a, b) => during(b) - during(a));
  const own = (chart.own !== null && ranked.find((row) => chart.own(row.labels))) || ranked[0];
  const others = rows.filter((row) => row !== own);
  const lines = [{ label: chart.who(own.labels), values: own.values, color: OWN, of: own }];
  if (others.length <= EACH_MAX) {
    for (const row of others)
      lines.push({ label: chart.who(row.labels), values: row.values });
    return lines;
  }
  return [...lines,
    { label: 'highest of the other ' + others.length, values: combined(others, n, highest) },
    { label: 'mean of the other ' + others.length, values: combined(others, n, average),
      dash: [5, 4] }];
}

/* Each row by its name. Counters of losses that count nothing say nothing, unless
 * none does. */
function named(chart, rows) {
  const isQuiet = (row) => !row.values.some((v) => v > 0);
  const loud = chart.isTotal ? rows.filter((row) => !isQuiet(row)) : [];
  return (loud.length > 0 ? loud : chart.isTotal ? rows.slice(0, 1) : rows).map((row) =>
    ({ label: chart.asks[row.ask].name, values: row.values, of: row,
      color: chart.isTotal ? undefined : WAYS[row.labels.direction] }));
}

function told(values, [from, to], times, isTotal) {
  const rate = mean(values, from, to);
  if (rate === null || !isTotal)
    return rate;
  /* The first point tells of the time before it, too. */
  const start = from > 0 ? times[from - 1] : 2 * times[0] - (times[1] ?? times[0]);
  return Math.round(rate * (times[to - 1] - start) / 1000);
}

/* { times, lines: [{ label, color, dash, values, before, during, after, of }],
 * resolutionMs }, null when there is nothing of it. answers: one for each of
 * chart.asks. of: { labels, ask }, the series that a line is; undefined: of many, or
 * context. */
export function linesOf(chart, answers, f) {
  const { times, place } = commonAxis(answers);
  const rows = answers.flatMap((answer, ask) => answer.series.map(({ labels, values }) =>
    ({ labels, values: place(answer.time_ms, values, chart.factor), ask })))
    .filter((row) => row.values.some((v) => typeof v === 'number'));
  if (rows.length === 0)
    return null;
  const phases = phasesOf(times, f);
  const spans = { before: [0, phases.begin], during: [phases.begin, phases.end],
    after: [phases.end, times.length] };
  const lines = chart.who ? alike(chart, rows, times.length, phases) : named(chart, rows);
  let next = 0;
  for (const line of lines) {
    line.color ??= CONTEXT[next++ % CONTEXT.length];
    for (const [name, span] of Object.entries(spans))
      line[name] = told(line.values, span, times, chart.isTotal);
  }
  if (chart.limit) {
    const { value, name } = chart.limit;
    lines.push({ label: name, color: '--series-8', dash: [2, 3], before: value, during: value,
      after: f.cleared_ms ? value : null, values: times.map(() => value) });
  }
  return { times, lines, resolutionMs: Math.max(...answers.map((a) => a.resolution_ms ?? 0)) };
}

/* What is asked for the least and the most of the lines that are one series each: their
 * peaks are the evidence, and a mean hides them. [{ line, question }] */
export function bandsOf(chart, lines) {
  return lines.filter((line) => line.of !== undefined).map((line) =>
    ({ line, question: { metric: chart.asks[line.of.ask].metric, labels: line.of.labels } }));
}

/* The answer for one edge of one line, on the times that are drawn. */
export function edgeOf(answer, times, factor) {
  const [one] = answer.series;
  return one === undefined ? null : placer(times)(answer.time_ms, one.values, factor);
}
