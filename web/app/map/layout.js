/* SPDX-License-Identifier: ISC */
/*
 * Where everything of the map stands: boxes in four lanes and the curves between
 * them, in CSS pixels. Pure, but for the memory it is given (choose.js).
 */

import { isKnown, ranges } from '../format.js';
import { choose, countRows } from './choose.js';
import { isAtWork } from './graph.js';

/* More dashed curves than this hide what they cross: on request only. */
const DASHED_MAX = 24;
const SIZES = {
  normal: { pitch: 34, box: 28, gap: 14, device: 44, width: 12, core: 52 },
  dense: { pitch: 23, box: 20, gap: 8, device: 23, width: 9, core: 42 },
};
/* The first that any of several links has is theirs together. */
const STATES = ['flow', 'unknown', 'wake', 'idle'];
const NORMAL_ROWS = 14;
const NOTE_HEIGHT = 18;

function clamp(v, least, most) {
  return Math.min(most, Math.max(least, v));
}

/* The lanes from left to right: [{ x, width }]. The last gap is the widest: that
 * is where lines cross. */
export function laneColumns(width) {
  const widths = [clamp(0.14 * width, 112, 184), clamp(0.24 * width, 204, 316),
    clamp(0.12 * width, 92, 150), clamp(0.14 * width, 112, 190)];
  const free = Math.max(0, width - widths.reduce((a, b) => a + b, 0));
  const gaps = [0.12 * free, 0.26 * free, 0.62 * free];
  let x = 0;
  return widths.map((w, i) => {
    const lane = { x: Math.round(x), width: Math.round(w) };
    x += w + (gaps[i] ?? 0);
    return lane;
  });
}

/* The whole picture. selected: key of the box whose dashed curves are wanted. */
export function arrange(graph, { width, open, memory, now, selected = null }) {
  const chosen = choose(graph, { open, memory, now });
  const nRows = Math.max(countRows(chosen.groups), chosen.cores.shown.length);
  const size = nRows <= NORMAL_ROWS ? SIZES.normal : SIZES.dense;
  const lanes = laneColumns(width);
  const boxes = new Map();
  const put = (lane, box) => boxes.set(box.key,
    { x: lanes[lane].x, w: widthIn(lanes, lane, box), lane, ...box });
  const left = placeGroups(chosen, size, put, boxes);
  const nCores = chosen.cores.shown.length + (chosen.cores.folded.length > 0);
  const height = Math.max(left, nCores * size.pitch);
  if (left < height)
    shift(boxes, Math.round((height - left) / 2));
  placeIrqs(graph, chosen, size, height, put, boxes);
  placeCores(chosen.cores, size, height, put);
  const links = drawLinks(graph, chosen, { boxes, size, memory, selected });
  return { width, height, lanes, size, boxes, links, reference: memory.reference,
    isFolded: [...boxes.values()].some((b) => b.kind === 'fold' && b.folds !== 'others') };
}

/* Words may go on into the room between the lanes. */
function widthIn(lanes, lane, { kind }) {
  if (kind !== 'note')
    return lanes[lane].width;
  return Math.round((lanes[lane + 1].x + (lane === 1 ? lanes[2].width : 0) - lanes[lane].x) * 0.9);
}

function shift(boxes, dy) {
  for (const box of boxes.values())
    box.y += dy;
}

/* Interfaces and their rows, from the top; returns how far down it goes. */
function placeGroups({ groups, others }, size, put, boxes) {
  let y = 0;
  for (const { device, rows, folded } of groups) {
    const n = rows.length + (folded.length > 0);
    const note = rowNote(device);
    const height = Math.max(size.device, n * size.pitch - (size.pitch - size.box)
      + (note === null ? 0 : NOTE_HEIGHT));
    put(0, { key: device.key, kind: 'device', y, h: height, item: device });
    let top = y + Math.max(0, Math.round((height - n * size.pitch + size.pitch - size.box) / 2));
    if (note !== null)
      top = y;
    for (const row of rows) {
      put(1, { key: row.key, kind: 'row', y: top, h: size.box, item: row });
      top += size.pitch;
    }
    if (folded.length > 0) {
      put(1, { key: 'f ' + device.key, kind: 'fold', y: top, h: size.box, folds: 'rows '
        + device.device, item: folded });
      top += size.pitch;
    }
    if (note !== null)
      put(1, { key: 'n ' + device.key, kind: 'note', y: n > 0 ? top - 4 : top, h: NOTE_HEIGHT,
        text: note });
    const first = boxes.get(rows[0]?.key);
    const words = lineNote(device);
    if (first && words !== null)
      put(2, { key: 'w ' + device.key, kind: 'note', y: first.y, h: size.box, text: words });
    y += height + size.gap;
  }
  if (others.length > 0) {
    put(0, { key: 'f others', kind: 'fold', y, h: size.box, folds: 'others', item: others });
    y += size.box + size.gap;
  }
  return Math.max(0, y - size.gap);
}

export function withoutCounters(counters) {
  const reason = counters?.reason
    ?? (counters?.source === 'ethtool' ? 'the driver tells none' : '');
  return 'no queue counters' + (reason === '' ? '' : ': ' + reason);
}

/* Why there are no figures beside the queues; null: there are, or the one queue
 * is the interface. */
function rowNote(device) {
  const isCounted = device.queues.some((q) => isKnown(q.pps));
  if (isCounted || device.queues.length === 0 || device.rows[0]?.isWhole)
    return device.queues.length === 0 ? 'no queues told' : null;
  return withoutCounters(device.counters);
}

const WITHOUT_LINE = {
  bridge: 'packets come through its ports',
  bond: 'packets come through its members',
  vlan: 'packets come through its parent',
  macvlan: 'packets come through its parent',
};

/* What stands in the place of an interrupt line; null: there is one. */
export function lineNote(device) {
  if (device.rows.some((row) => row.irq !== null))
    return null;
  const cores = [...new Set(device.rows.flatMap((row) => row.polledOn))];
  if (cores.length > 0)
    return 'polled by threads on ' + (cores.length > 1 ? 'cores ' : 'core ') + ranges(cores);
  if (device.isPhysical)
    return 'its interrupt line is not known';
  return WITHOUT_LINE[device.kind] ?? 'no interrupt: softirq of the sending core';
}

/* Beside the queues they serve, without overlap. */
function placeIrqs(graph, { groups }, size, height, put, boxes) {
  const placed = [];
  const shown = new Set(groups.flatMap((g) => g.rows));
  for (const irq of graph.irqs.values()) {
    const own = irq.rows.filter((row) => shown.has(row)).map((row) => boxes.get(row.key).y);
    if (own.length > 0) {
      placed.push({ y: Math.round(own.reduce((a, b) => a + b, 0) / own.length),
        box: { key: irq.key, kind: 'irq', item: irq } });
    }
  }
  for (const { device, folded } of groups) {
    const lines = [...graph.irqs.values()].filter((irq) => !irq.rows.some((row) => shown.has(row))
      && irq.rows.some((row) => folded.includes(row)));
    if (lines.length > 0) {
      placed.push({ y: boxes.get('f ' + device.key).y, box: { key: 'g ' + device.key, kind: 'fold',
        folds: 'rows ' + device.device, item: lines, isLines: true } });
    }
  }
  placed.sort((a, b) => a.y - b.y);
  for (let i = 1; i < placed.length; i++)
    placed[i].y = Math.max(placed[i].y, placed[i - 1].y + size.pitch);
  let limit = height - size.box;
  for (let i = placed.length - 1; i >= 0; i--) {
    placed[i].y = Math.min(placed[i].y, limit);
    limit = placed[i].y - size.pitch;
  }
  for (const { box, y } of placed)
    put(2, { ...box, y, h: size.box });
}

/* Evenly over the height. */
function placeCores({ shown, folded }, size, height, put) {
  const n = shown.length + (folded.length > 0);
  if (n === 0)
    return;
  const pitch = Math.min(height / n, 1.6 * size.core);
  const h = Math.round(clamp(pitch - (size.pitch - size.box), size.box, size.core));
  let y = (height - pitch * n) / 2 + (pitch - h) / 2;
  for (const core of shown) {
    put(3, { key: core.key, kind: 'core', y: Math.round(y), h, item: core });
    y += pitch;
  }
  if (folded.length > 0)
    put(3, { key: 'f cores', kind: 'fold', y: Math.round(y + (h - size.box) / 2), h: size.box,
      folds: 'cores', item: folded });
}

/* Links end in what is shown: what is folded lends its fold. */
function drawLinks(graph, chosen, { boxes, size, memory, selected }) {
  const stand = new Map();
  for (const { device, folded } of chosen.groups) {
    folded.forEach((row) => stand.set(row.key, 'f ' + device.key));
    const lines = boxes.get('g ' + device.key)?.item ?? [];
    lines.forEach((irq) => stand.set(irq.key, 'g ' + device.key));
  }
  chosen.cores.folded.forEach((core) => stand.set(core.key, 'f cores'));
  const links = [...mergeLinks(graph, stand, boxes, selected).values()];
  setReference(links, memory);
  for (const one of links)
    one.width = widthOf(one, size, memory.reference);
  placeEnds(links, boxes);
  return links;
}

function mergeLinks(graph, stand, boxes, selected) {
  const merged = new Map();
  const add = (one, from, to) => {
    if (!boxes.has(from) || !boxes.has(to))
      return;
    const key = one.kind + ' ' + from + ' > ' + to;
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, { ...one, key, from, to });
      return;
    }
    if (isKnown(one.pps))
      known.pps = (known.pps ?? 0) + one.pps;
    known.state = STATES.find((s) => s === known.state || s === one.state);
  };
  for (const one of graph.links) {
    /* Folded lines are drawn on to where anything goes. */
    const isNothing = !isAtWork(one) && stand.has(one.from) && one.to.startsWith('c ');
    if (one.kind === 'wire' && !isNothing)
      add(one, stand.get(one.from) ?? one.from, stand.get(one.to) ?? one.to);
  }
  for (const one of dashed(graph, selected))
    add(one, one.from, stand.get(one.to) ?? one.to);
  return merged;
}

/* Steering: what is asked for, and where it is little all of RPS. */
function dashed(graph, selected) {
  const rps = graph.links.filter((one) => one.kind === 'rps');
  const own = rps.length <= DASHED_MAX ? rps
    : rps.filter((one) => one.from === selected || one.to === selected);
  const xps = graph.devices.flatMap((d) => d.rows).filter((row) => row.key === selected)
    .flatMap((row) => row.xps.map((cpu) => ({ kind: 'xps', from: row.key, to: 'c ' + cpu,
      pps: null, state: 'flow' })));
  return [...own, ...xps];
}

/* The packets of the widest line: a round figure, so that widths keep their
 * meaning while rates move. */
function setReference(links, memory) {
  const most = Math.max(1000, ...links.map((one) => one.pps ?? 0));
  if (most <= memory.reference && most > memory.reference / 6)
    return;
  const decade = 10 ** Math.floor(Math.log10(most));
  memory.reference = decade * [1, 2, 5, 10].find((n) => n * decade >= most * 0.999);
}

export function widthOf({ kind, state, pps }, size, reference) {
  if (kind !== 'wire')
    return 1.5;
  if (state === 'idle' || state === 'wake')
    return 1;
  if (!isKnown(pps))
    return 2;
  /* Half a pixel less or more would be drawn anew each second and seen by nobody. */
  return Math.max(1.5, Math.round(2 * size.width * Math.sqrt(pps / reference)) / 2);
}

/* Lines that meet at a box lie side by side, in the order of their other ends. */
function placeEnds(links, boxes) {
  const middle = (key) => boxes.get(key).y + boxes.get(key).h / 2;
  const ends = [['from', 'to', 'y0'], ['to', 'from', 'y1']];
  for (const [here, there, at] of ends) {
    const byBox = groupBy(links, here);
    for (const [key, list] of byBox) {
      list.sort((a, b) => middle(a[there]) - middle(b[there]));
      spread(list, boxes.get(key), at, here === 'from' && boxes.get(key).kind === 'device'
        ? (one) => middle(one.to) : null);
    }
  }
  for (const one of links) {
    const [from, to] = [boxes.get(one.from), boxes.get(one.to)];
    one.d = curve(from.x + from.w, one.y0, to.x, one.y1);
  }
}

function groupBy(links, name) {
  const groups = new Map();
  for (const one of links) {
    if (!groups.has(one[name]))
      groups.set(one[name], []);
    groups.get(one[name]).push(one);
  }
  return groups;
}

/* own: where a line wants to be, for boxes as high as what they lead to. */
function spread(list, box, at, own) {
  if (own !== null) {
    list.forEach((one) => { one[at] = own(one); });
    return;
  }
  const sum = list.reduce((a, one) => a + one.width, 0) + (list.length - 1);
  const room = box.h - 4;
  const scale = sum > room ? room / sum : 1;
  let y = box.y + box.h / 2 - scale * sum / 2;
  for (const one of list) {
    one[at] = y + scale * one.width / 2;
    y += scale * (one.width + 1);
  }
}

function curve(x0, y0, x1, y1) {
  const r = (v) => Math.round(v * 10) / 10;
  const middle = r((x0 + x1) / 2);
  return `M${r(x0)} ${r(y0)}C${middle} ${r(y0)} ${middle} ${r(y1)} ${r(x1)} ${r(y1)}`;
}
