/* SPDX-License-Identifier: ISC */
/*
 * What was measured before and after a moment, and what of it can be compared.
 * It tells of two times, never that one thing was the cause of the other. Pure.
 */

import { isKnown } from '../format.js';
import { indexesIn } from './windows.js';

/* A window with fewer of its samples than this tells nothing. */
const LEAST_SHARE = 0.5;
/* Below this a machine has no traffic to speak of. */
const IDLE_PPS = 100;
/* Loads of more different traffic are not comparable as they are. */
const TRAFFIC_RATIO = 1.2;
/* CPU time of packet work below this is not measured well enough to divide by. */
const LEAST_LOAD = 0.02;
/* Less than this is no difference of loads, and of throughput; what is within the
 * usual ups and downs is none either, unless it is more than the second. */
const SAME_LOAD = [0.03, 0.15];
const SAME_RATIO = [0.05, TRAFFIC_RATIO - 1];
/* The other direction is told when it has so much more. */
const WAY_RATIO = 1.5;

const WAYS = ['rx', 'tx'];

function mean(values) {
  const known = values.filter(isKnown);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
}

/* Standard deviation: how far values usually are from their mean. */
function spread(values) {
  const known = values.filter(isKnown);
  const middle = mean(known);
  return known.length < 2 ? 0
    : Math.sqrt(known.reduce((a, v) => a + (v - middle) ** 2, 0) / (known.length - 1));
}

const sumOf = (a, b) => isKnown(b) ? (a ?? 0) + b : a;

/* At each time the sum over the devices of one direction; null: none is known. */
function sums(answer, way) {
  const rows = answer.series.filter((s) => s.labels.direction === way);
  return answer.time_ms.map((_, i) => rows.reduce((a, row) => sumOf(a, row.values[i]), null));
}

function loadsIn(answer, window) {
  const at = indexesIn(answer.time_ms, answer.resolution_ms, window);
  const cores = answer.series.map(({ labels, values }) => {
    const own = at.map((i) => values[i]);
    return { core: Number(labels.cpu), load: mean(own), spread: spread(own) };
  }).filter((c) => c.load !== null);
  const hottest = cores.reduce((a, b) => a === null || b.load > a.load ? b : a, null);
  const n = at.filter((i) => answer.series.some((s) => isKnown(s.values[i]))).length;
  return { share: n * answer.resolution_ms / (window.toMs - window.fromMs),
    core: hottest?.core ?? null, load: hottest?.load ?? null, loadSpread: hottest?.spread ?? 0,
    work: cores.length === 0 ? null : cores.reduce((a, c) => a + c.load, 0) };
}

function rateIn(answer, values, window) {
  const own = indexesIn(answer.time_ms, answer.resolution_ms, window).map((i) => values[i]);
  return { rate: mean(own), spread: spread(own) };
}

/* The direction most of the traffic has: a router's "in" is its "out". */
function wayOf(bytes, windows) {
  const [rx, tx] = WAYS.map((way) => {
    const values = sums(bytes, way);
    return ['before', 'after'].reduce((a, side) =>
      sumOf(a, rateIn(bytes, values, windows[side]).rate), null) ?? 0;
  });
  return tx > WAY_RATIO * rx ? 'tx' : 'rx';
}

/* loads, bytes, packets: answers of /api/v1/series. share: of the window that has
 * samples; work: cores' worth of packet work; all but those null when not known. */
export function measure({ loads, bytes, packets }, windows) {
  const way = wayOf(bytes, windows);
  const [moved, counted] = [sums(bytes, way), sums(packets, way)];
  const sideOf = (window) => {
    const { rate, spread: rateSpread } = rateIn(bytes, moved, window);
    return { ...loadsIn(loads, window), bps: rate === null ? null : 8 * rate,
      bpsSpread: 8 * rateSpread, pps: rateIn(packets, counted, window).rate };
  };
  return { way, stepMs: loads.resolution_ms,
    before: sideOf(windows.before), after: sideOf(windows.after),
    trace: { hottest: traceOf(loads, (i) => loads.series.reduce((a, s) =>
      isKnown(s.values[i]) && !(a >= s.values[i]) ? s.values[i] : a, null)),
    bps: traceOf(bytes, (i) => moved[i] === null ? null : 8 * moved[i]) } };
}

function traceOf(answer, valueAt) {
  return answer.time_ms.map((t, i) => ({ t, v: valueAt(i) }));
}

/* 'lower', 'higher', 'same' or null: beyond what the values do by themselves. */
function direction(before, after, least) {
  if (!isKnown(before) || !isKnown(after))
    return null;
  if (Math.abs(after - before) <= least)
    return 'same';
  return after < before ? 'lower' : 'higher';
}

function trafficOf(before, after) {
  if (!isKnown(before.pps) || !isKnown(after.pps))
    return { state: 'unknown', ratio: null };
  const [low, high] = [before.pps, after.pps].sort((a, b) => a - b);
  if (high < IDLE_PPS)
    return { state: 'idle', ratio: null };
  if (low < IDLE_PPS)
    return { state: 'one', ratio: null };
  return { state: high > TRAFFIC_RATIO * low ? 'different' : 'same',
    ratio: after.pps / before.pps };
}

const within = ([least, most], v) => Math.min(most, Math.max(least, v));

const canDivide = (side) => side.pps >= IDLE_PPS && side.work >= LEAST_LOAD;
const pair = (before, after, f) =>
  canDivide(before) && canDivide(after) ? { before: f(before), after: f(after) } : null;

/* { problem } when there is nothing to tell: 'before', 'after' or 'both' have no
 * samples. Else load, bps: a direction each; traffic { state: 'same', 'different',
 * 'idle' (both), 'one' (one side), 'unknown'; ratio: after to before };
 * perCpuSecond, loadPerKpps: { before, after } or null. */
export function judge({ before, after }) {
  const lacks = [before, after].map((side) => side.load === null || side.share < LEAST_SHARE);
  if (lacks.some((is) => is))
    return { problem: lacks[0] && lacks[1] ? 'both' : lacks[0] ? 'before' : 'after' };
  const traffic = trafficOf(before, after);
  return {
    problem: null, traffic,
    load: direction(before.load, after.load,
      within(SAME_LOAD, Math.max(before.loadSpread, after.loadSpread))),
    bps: direction(before.bps, after.bps, within(SAME_RATIO.map((r) => r * (before.bps ?? 0)),
      Math.max(before.bpsSpread, after.bpsSpread))),
    perCpuSecond: pair(before, after, (side) => side.pps / side.work),
    loadPerKpps: pair(before, after, (side) => side.load / (side.pps / 1000)),
  };
}
