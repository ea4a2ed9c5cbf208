/* SPDX-License-Identifier: ISC */
/*
 * What of the graph is on the map: what is idle is folded before it grows past what
 * one looks over. Pure but for Memory, which keeps the picture calm from one tick to
 * the next.
 */

import { IDLE_PPS, isAtWork } from './graph.js';

/* Rows from which idle ones are folded, and rows never exceeded unless asked. */
const ROWS_CALM = 20;
export const ROWS_MAX = 40;
/* So many cores are all shown, in the order of their numbers. */
const CORES_CALM = 16;
const CORE_QUIET = 0.05;
/* What worked stays for a while. */
const KEEP_MS = 60000;
const REMEMBERED_MAX = 4096;
/* Cores change places only when their loads differ by this, and a queue gives its
 * place to one with so many times its packets. */
const ORDER_MARGIN = 0.1;
const PLACE_FACTOR = 1.5;

/* What was seen lately: kept by the view, given to each layout. */
export class Memory {
  #workedAt = new Map();
  coreOrder = [];
  keptRows = new Set();
  reference = 0;

  /* Whether it works or did a short while ago. */
  isAwake(key, isWorking, now) {
    if (isWorking)
      this.#workedAt.set(key, now);
    if (this.#workedAt.size > REMEMBERED_MAX)
      this.#forget(now);
    return now - (this.#workedAt.get(key) ?? -Infinity) < KEEP_MS;
  }

  /* Interfaces come and go, with names of their own each. */
  #forget(now) {
    for (const [key, at] of this.#workedAt) {
      if (now - at >= KEEP_MS)
        this.#workedAt.delete(key);
    }
  }
}

/* open: Set of fold keys and 'all'. Returns { groups: [{ device, rows,
 * folded }], others: [device], cores: { shown, folded } }. */
export function choose(graph, { open, memory, now }) {
  const isAll = open.has('all');
  const isAwake = (thing) => memory.isAwake(thing.key, thing.pps >= IDLE_PPS
    || thing.state === 'unknown', now);
  const others = [];
  const groups = [];
  for (const device of graph.devices) {
    /* Each is asked, so that the memory knows all. */
    const awake = device.rows.map((row) => isAwake(row));
    const isShown = isAwake(device) || awake.includes(true)
      || (device.isPhysical && device.up !== false);
    if (isShown || isAll || open.has('others'))
      groups.push({ device, rows: device.rows, awake, folded: [] });
    else
      others.push(device);
  }
  groups.sort((a, b) => b.device.isPhysical - a.device.isPhysical);
  if (!isAll) {
    foldIdle(groups, open);
    foldMany(groups, others, open, memory);
  }
  return { groups, others, cores: chooseCores(graph, { isAll, open, memory, now, groups }) };
}

export const countRows = (groups) => groups.reduce((n, g) =>
  n + Math.max(1, g.rows.length + (g.folded.length > 0)), 0);

function fold(group, isKept) {
  const folded = group.rows.filter((row, i) => !isKept(row, i));
  /* A fold takes a row itself. */
  if (folded.length < 2)
    return;
  group.rows = group.rows.filter((row, i) => isKept(row, i));
  group.folded.push(...folded);
}

function foldIdle(groups, open) {
  if (countRows(groups) <= ROWS_CALM)
    return;
  for (const group of groups) {
    if (!isOpen(group, open))
      fold(group, (row, i) => group.awake[i]);
  }
}

const isOpen = (group, open) => open.has('rows ' + group.device.device);

/* The busiest stay, interfaces and then rows; what was opened stays open. */
function foldMany(groups, others, open, memory) {
  const busiest = (list, keyOf, ppsOf, n) => {
    const factor = (one) => memory.keptRows.has(keyOf(one)) ? PLACE_FACTOR : 1;
    const weight = (one) => (ppsOf(one) ?? 0) * factor(one);
    return new Set([...list].sort((a, b) => weight(b) - weight(a)).slice(0, n));
  };
  const kept = new Set();
  if (groups.length > ROWS_MAX / 2 && !open.has('others')) {
    const stay = busiest(groups, (g) => g.device.key, (g) => g.device.pps, ROWS_MAX / 2);
    others.push(...groups.filter((g) => !stay.has(g)).map((g) => g.device));
    groups.splice(0, groups.length, ...groups.filter((g) => stay.has(g)));
    groups.forEach((g) => kept.add(g.device.key));
  }
  if (countRows(groups) > ROWS_MAX) {
    const closed = groups.filter((g) => !isOpen(g, open));
    const stay = busiest(closed.flatMap((g) => g.rows), (row) => row.key, (row) => row.pps,
      ROWS_MAX - Math.min(groups.length, ROWS_MAX / 2));
    for (const group of closed)
      fold(group, (row) => stay.has(row));
    stay.forEach((row) => kept.add(row.key));
  }
  memory.keptRows = kept;
}

function chooseCores(graph, { isAll, open, memory, now, groups }) {
  const online = graph.cores.filter((c) => c.online !== false);
  const awake = new Set(online.filter((c) => memory.isAwake(c.key, c.packet_load >= CORE_QUIET
    || c === graph.hottest, now)));
  if (online.length <= CORES_CALM)
    return { shown: online, folded: [] };
  const rows = new Set(groups.flatMap((g) => g.rows));
  const keys = new Set([...rows].map((row) => row.key));
  for (const irq of graph.irqs.values()) {
    if (irq.rows.some((row) => rows.has(row)))
      keys.add(irq.key);
  }
  const fed = new Set(graph.links.filter((one) => one.kind === 'wire' && isAtWork(one)
    && keys.has(one.from)).map((one) => one.to));
  const isShown = (c) => isAll || open.has('cores') || awake.has(c) || fed.has(c.key);
  const sorted = sortCores(online.filter(isShown), memory);
  const most = isAll || open.has('cores') ? sorted.length : ROWS_MAX - 1;
  const shown = new Set(sorted.slice(0, most));
  return { shown: [...shown], folded: online.filter((c) => !shown.has(c)) };
}

/* By load, but nobody moves for a difference of a few points. */
export function sortCores(cores, memory) {
  const place = new Map(memory.coreOrder.map((core, i) => [core, i]));
  const load = (c) => c.packet_load ?? -1;
  const sorted = cores.filter((c) => place.has(c.core))
    .sort((a, b) => place.get(a.core) - place.get(b.core));
  const fresh = cores.filter((c) => !place.has(c.core)).sort((a, b) => load(b) - load(a));
  for (const core of fresh) {
    const i = sorted.findIndex((c) => load(c) < load(core));
    sorted.splice(i < 0 ? sorted.length : i, 0, core);
  }
  for (let i = 1; i < sorted.length; i++) {
    for (let k = i; k > 0 && load(sorted[k]) > load(sorted[k - 1]) + ORDER_MARGIN; k--)
      [sorted[k - 1], sorted[k]] = [sorted[k], sorted[k - 1]];
  }
  memory.coreOrder = sorted.map((c) => c.core);
  return sorted;
}
