/* SPDX-License-Identifier: ISC */
/*
 * The map as a graph: interfaces, their queues, interrupt lines and cores, and
 * what goes from one to the next. Structure and settings come from the answer of
 * /api/v1/map, which may be seconds old, figures from the last tick. Pure.
 *
 * A row is what is drawn as one queue: both directions of a number where one
 * interrupt line serves them, else each by itself.
 */

import { isKnown } from '../format.js';

/* Below this a queue is idle: somebody's broadcast now and then. */
export const IDLE_PPS = 0.5;
const HOTTEST_MARGIN = 0.05;
/* A NAPI thread that takes this share of a core polls. */
const POLLING = 0.001;
const CPUS_MAX = 4096;
/* A line that may fire on more cores than this is not drawn to each of them. */
const MAY_FIRE_MAX = 4;

/* "0-3,8" as numbers; "none", "" and what is no list are empty. */
export function cpuList(text) {
  const cpus = [];
  for (const part of String(text ?? '').split(',')) {
    const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part);
    if (match === null)
      continue;
    const last = Number(match[2] ?? match[1]);
    for (let cpu = Number(match[1]); cpu <= last && cpus.length < CPUS_MAX; cpu++)
      cpus.push(cpu);
  }
  return cpus;
}

/* The sum of what is known, null when nothing is. */
export function sumKnown(values) {
  const known = values.filter(isKnown);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

export const isQuiet = (pps) => isKnown(pps) && pps < IDLE_PPS;

const queueKey = (device, direction, queue) => direction + ' ' + queue + ' ' + device;

/* live: { queues, cores, interfaces, hottest } of the last tick, each may be
 * missing; before: the graph of the tick before, for what a line did last. */
export function makeGraph(map, live = {}, before = null) {
  const cores = makeCores(map, live);
  const irqs = makeIrqs(map, live, before);
  const devices = makeDevices(map, live, irqs);
  const links = [];
  for (const device of devices)
    linkDevice(device, irqs, links);
  for (const irq of irqs.values())
    linkIrq(irq, links);
  return { host: map.host?.settings ?? {}, devices, irqs, cores, links,
    ...chooseHottest(cores, live, before) };
}

/* Two cores of a load would be the hottest by turns: the one of the tick before
 * stays until another is clearly above it. */
function chooseHottest(cores, live, before) {
  const told = cores.find((c) => live.hottest === undefined ? c.hottest
    : c.core === live.hottest) ?? null;
  const last = cores.find((c) => c.core === before?.hottest?.core && c.eligible !== false);
  const isClose = told !== null && last?.packet_load >= told.packet_load - HOTTEST_MARGIN;
  const hottest = isClose ? last : told;
  return { hottest, isTie: hottest !== told };
}

/* The last tick's word counts, but for what it does not tell. */
function makeCores(map, live) {
  const now = new Map((live.cores ?? []).map((c) => [c.core, c]));
  return (map.cores ?? []).map((c) => {
    const t = now.get(c.core) ?? c;
    return {
      key: 'c ' + c.core, core: c.core, online: t.online, eligible: t.eligible,
      hottest: c.hottest, packet_load: t.packet_load, busy: t.busy,
      packet_threads: c.packet_threads, nic_interrupts_ps: t.nic_interrupts_ps,
      freq_hz: t.freq_hz, freq_max_hz: t.freq_max_hz, freq_measured: c.freq_measured,
      throttled_ps: c.throttled_ps, settings: c.settings ?? {},
      threads: (map.threads ?? []).filter((thread) => thread.core === c.core),
    };
  });
}

/* Under load NAPI polls without interrupts: a line that did not fire while its
 * queues work keeps the cores it had. */
function makeIrqs(map, live, before) {
  const fired = new Map();
  for (const q of live.queues ?? []) {
    if (q.irq !== null && Array.isArray(q.cores))
      fired.set(q.irq, q.cores);
  }
  const irqs = new Map();
  for (const irq of map.interrupts ?? []) {
    const told = new Map();
    for (const core in irq.per_core_ps)
      told.set(Number(core), irq.per_core_ps[core]);
    const cells = fired.has(irq.irq)
      ? new Map(fired.get(irq.irq).map((core) => [core, told.get(core) ?? null])) : told;
    const last = cells.size > 0 ? cells : before?.irqs.get(irq.irq)?.last ?? told;
    irqs.set(irq.irq, { key: 'i ' + irq.irq, irq: irq.irq, actions: irq.actions, chip: irq.chip,
      feeds: irq.feeds, rate_ps: irq.rate_ps, affinity: irq.affinity,
      effective_affinity: irq.effective_affinity, cells, last, rows: [], pps: null });
  }
  return irqs;
}

function makeDevices(map, live, irqs) {
  const queuesNow = new Map((live.queues ?? []).map((q) =>
    [queueKey(q.device, q.direction, q.queue), q]));
  const lines = wholeLines(irqs);
  const pollers = (map.threads ?? []).filter((t) => t.class === 'napi' && t.device
    && isKnown(t.core) && t.load >= POLLING);
  const nicsNow = new Map((live.interfaces ?? []).map((i) => [i.device, i]));
  return (map.devices ?? []).map((d) => {
    const nic = nicsNow.get(d.device) ?? d;
    const device = {
      key: 'd ' + d.device, device: d.device, ifindex: d.ifindex, driver: d.driver, kind: d.kind,
      isPhysical: d.kind === 'physical', up: nic.up ?? d.up, speed_bps: d.speed_bps,
      rx_pps: nic.rx_pps ?? null, tx_pps: nic.tx_pps ?? null, counters: d.counters,
      settings: d.settings ?? {},
      pollers: pollers.filter((t) => t.device === d.device),
    };
    device.pps = sumKnown([device.rx_pps, device.tx_pps]);
    const line = lines.get(d.device) ?? null;
    const queues = (d.queues ?? []).map((q) => {
      const t = queuesNow.get(queueKey(d.device, q.direction, q.queue)) ?? q;
      return { queue: q.queue, direction: q.direction, pps: t.pps, bps: t.bps,
        drops_pps: t.drops_pps, share: t.share, irq: t.irq ?? line, thread: q.thread,
        settings: q.settings ?? {}, isOfDevice: false };
    });
    fillOnly(device, queues);
    device.queues = queues;
    device.rows = makeRows(device, queues);
    return device;
  });
}

/* Lines that feed a device and no queue in particular: its queues share it, where
 * there is one. Map device -> irq | null. */
function wholeLines(irqs) {
  const lines = new Map();
  for (const irq of irqs.values()) {
    for (const { device, queue } of irq.feeds ?? []) {
      if (!isKnown(queue))
        lines.set(device, lines.has(device) && lines.get(device) !== irq.irq ? null : irq.irq);
    }
  }
  return lines;
}

/* The only queue of a direction has all packets of the interface. */
function fillOnly(device, queues) {
  for (const direction of ['rx', 'tx']) {
    const own = queues.filter((q) => q.direction === direction);
    if (own.length === 1 && !isKnown(own[0].pps)) {
      own[0].pps = device[direction + '_pps'];
      own[0].isOfDevice = true;
    }
  }
}

/* Cores of the thread that polls a queue; where the kernel does not tell which one
 * does, of all that poll its interface. */
function pollingCores(device, thread) {
  if (isKnown(thread?.core))
    return [thread.core];
  return [...new Set(device.pollers.map((t) => t.core))];
}

function makeRow(device, name, rx, tx) {
  return {
    key: 'q ' + name + ' ' + device.device,
    device, name, rx, tx,
    irq: rx?.irq ?? tx?.irq ?? null,
    thread: rx?.thread ?? tx?.thread ?? null,
    polledOn: pollingCores(device, rx?.thread ?? tx?.thread),
    pps: sumKnown([rx?.pps, tx?.pps]),
    rps: cpuList(rx?.settings.rps_cpus),
    xps: cpuList(tx?.settings.xps_cpus),
  };
}

function makeRows(device, queues) {
  const whole = wholeRow(device, queues);
  if (whole !== null)
    return [whole];
  const byNumber = new Map();
  for (const q of queues) {
    const pair = byNumber.get(q.queue) ?? {};
    pair[q.direction] = q;
    byNumber.set(q.queue, pair);
  }
  return [...byNumber].sort(([a], [b]) => a - b).flatMap(([n, { rx, tx }]) => {
    if (rx && tx && rx.irq === tx.irq)
      return [makeRow(device, String(n), rx, tx)];
    return [[rx, null, 'rx '], [null, tx, 'tx ']].filter(([r, t]) => r ?? t)
      .map(([r, t, way]) => makeRow(device, way + n, r, t));
  });
}

/* Queues of a software device nobody counts and nobody steers are one row. */
function wholeRow(device, queues) {
  const same = (q, name) => q.settings[name] === queues.find((other) =>
    other.direction === q.direction).settings[name];
  const isPlain = queues.length > 2 && queues.every((q) => q.irq === null && !isKnown(q.pps)
    && !q.thread && same(q, 'rps_cpus') && same(q, 'xps_cpus'));
  if (!isPlain)
    return null;
  const way = (direction) => {
    const q = queues.find((other) => other.direction === direction);
    return q ? { ...q, pps: device[direction + '_pps'], share: null, isOfDevice: true } : null;
  };
  return { ...makeRow(device, 'all', way('rx'), way('tx')), isWhole: true };
}

/* 'flow': so many packets; 'unknown': at work, not counted; 'wake': interrupts
 * that only wake a thread; 'idle': connected. */
function stateOf(pps, isWorking) {
  if (isKnown(pps))
    return pps >= IDLE_PPS ? 'flow' : 'idle';
  return isWorking ? 'unknown' : 'idle';
}

export function isAtWork({ state }) {
  return state === 'flow' || state === 'unknown';
}

function link(from, to, kind, pps, state) {
  return { key: kind + ' ' + from + ' > ' + to, from, to, kind, pps, state };
}

function linkDevice(device, irqs, links) {
  for (const row of device.rows) {
    const irq = irqs.get(row.irq);
    /* Without a line only the interface tells whether there is work. */
    const isWorking = irq !== undefined ? irq.cells.size > 0 : device.pps >= IDLE_PPS;
    const state = stateOf(row.pps, isWorking);
    row.state = state;
    links.push(link(device.key, row.key, 'wire', row.pps, state));
    if (irq !== undefined) {
      irq.rows.push(row);
      links.push(link(row.key, irq.key, 'wire', row.pps, state));
    } else {
      for (const [core, pps] of polledShares(row))
        links.push(link(row.key, 'c ' + core, 'wire', pps, pps === null ? 'unknown' : state));
    }
    for (const cpu of row.rps)
      links.push(link(row.key, 'c ' + cpu, 'rps', null, isQuiet(row.rx.pps) ? 'idle' : 'flow'));
  }
}

/* [[core, pps]]: of several threads it is not known which takes how many. */
function polledShares({ polledOn, pps }) {
  return polledOn.map((core) => [core, polledOn.length === 1 ? pps : null]);
}

/* Which cores a line's interrupts go to: Map core -> share. One that has not
 * fired since the page is open, but may on one core only, will there. */
function sharesOf(irq) {
  const cells = irq.last;
  if (cells.size === 0) {
    const allowed = cpuList(irq.effective_affinity);
    return new Map(allowed.length === 1 ? [[allowed[0], 1]] : []);
  }
  const rates = [...cells.values()];
  const isTold = rates.every(isKnown) && rates.some((v) => v > 0);
  const sum = isTold ? rates.reduce((a, b) => a + b, 0) : cells.size;
  return new Map([...cells].map(([core, v]) => [core, (isTold ? v : 1) / sum]));
}

/* A thread takes the packets to its core; the interrupt only wakes it. */
function linkIrq(irq, links) {
  irq.pps = sumKnown(irq.rows.map((row) => row.pps));
  irq.shares = sharesOf(irq);
  const byCore = new Map();
  const woken = new Set();
  const add = (core, pps) => byCore.set(core, sumKnown([byCore.get(core), pps]));
  for (const row of irq.rows) {
    for (const [core, pps] of polledShares(row))
      add(core, pps);
    for (const [core, share] of irq.shares) {
      if (row.polledOn.length > 0)
        woken.add(core);
      else
        add(core, isKnown(row.pps) ? row.pps * share : null);
    }
  }
  const allowed = byCore.size === 0 ? cpuList(irq.effective_affinity) : [];
  if (allowed.length <= MAY_FIRE_MAX)
    allowed.forEach((core) => add(core, null));
  for (const [core, pps] of byCore)
    links.push(link(irq.key, 'c ' + core, 'wire', pps, stateOf(pps, irq.cells.size > 0)));
  for (const core of woken) {
    if (!byCore.has(core))
      links.push(link(irq.key, 'c ' + core, 'wire', null, irq.cells.size > 0 ? 'wake' : 'idle'));
  }
}
