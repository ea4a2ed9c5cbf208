/* SPDX-License-Identifier: ISC */
/*
 * Asks the daemon for what was before and after each moment: only for moments on
 * the screen, one at a time, each once. Knows what is still to come.
 */

import { get } from '../api.js';
import { judge, measure } from './effect.js';
import { othersIn } from './moments.js';
import { dueMs, spanOf, windowsOf } from './windows.js';

/* Questions name at most so many devices; of more all are asked for. */
const DEVICES_MAX = 12;
/* Big machines: as many values as are drawn, not each sample. */
const CORES_MANY = 16;
const STEP_MS = 5000;
const RETRY_MS = 15000;

const epoch = (ms) => String(ms / 1000);

export class Effects {
  #store;
  #onNews;
  /* Cache: by key and times of a moment. */
  #results = new Map();
  #shown = new Map();
  #running = null;

  constructor(store, onNews) {
    this.#store = store;
    this.#onNews = onNews;
  }

  /* The moment is on the screen, or no longer. */
  show(moment) {
    this.#shown.set(moment.key, moment);
    this.#next();
  }

  hide(moment) {
    this.#shown.delete(moment.key);
  }

  hideAll() {
    this.#shown.clear();
  }

  /* What can be told of it now: { name: 'waiting', inMs } | 'asked' | { 'failed',
   * reason } | 'coarse' | { 'known', measured, verdict, nOthers, windows }. */
  of(moment) {
    const known = this.#results.get(nameOf(moment));
    if (known?.name === 'known') {
      /* Another change may have come since. */
      const around = [...known.changes, ...this.#store.changes ?? []];
      return { ...known, nOthers: othersIn(around, moment, spanOf(known.windows)) };
    }
    const inMs = this.#waitMs(moment);
    if (inMs > 0)
      return { name: 'waiting', inMs };
    return known ?? { name: 'asked' };
  }

  /* To be called now and then: moments become due, failures are tried again. */
  tick() {
    this.#next();
  }

  /* The daemon is back: what it could not tell is asked for again at once. */
  heal() {
    for (const [name, { name: state, verdict }] of this.#results) {
      if (state === 'failed' || (state === 'known' && verdict.problem !== null))
        this.#results.delete(name);
    }
    this.#next();
  }

  #waitMs(moment) {
    const { intervalMs, nowMs } = this.#store;
    return dueMs(windowsOf(moment, intervalMs), intervalMs) - nowMs;
  }

  #isWanted(moment) {
    const known = this.#results.get(nameOf(moment));
    const canAsk = known === undefined
      || (known.name === 'failed' && performance.now() - known.at >= RETRY_MS);
    const { sampledMs, map, mapProblem } = this.#store;
    /* The map tells which interfaces count. */
    return canAsk && sampledMs !== null && (map !== null || mapProblem !== null)
      && this.#waitMs(moment) <= 0;
  }

  async #next() {
    if (this.#running !== null)
      return;
    const moment = [...this.#shown.values()].find((m) => this.#isWanted(m));
    if (moment === undefined)
      return;
    this.#running = moment;
    let result;
    try {
      result = await this.#ask(moment, null);
    } catch (error) {
      result = { name: 'failed', reason: error.message, at: performance.now() };
    }
    this.#results.set(nameOf(moment), result);
    this.#running = null;
    this.#onNews();
    this.#next();
  }

  /* tier: null for the finest that is there. */
  async #ask(moment, tier) {
    const minutes = tier === 'minute';
    const windows = windowsOf(moment, minutes ? 60000 : this.#stepMs());
    const { fromMs, toMs } = spanOf(windows);
    const range = { after: epoch(fromMs), before: epoch(toMs) };
    const [changes, ...answers] = await Promise.all([
      get('changes', { ...range, limit: '1000' }),
      ...this.#questions(windows).map((q) => get('series', { ...q, ...range,
        ...minutes ? { tier } : {} }))]);
    const [loads, bytes, packets] = answers.map((a) => this.#counted(a));
    if (!minutes && loads.tier === 'minute')
      return this.#ask(moment, 'minute');
    if (loads.tier === 'hour')
      return { name: 'coarse' };
    const measured = measure({ loads, bytes, packets }, windows);
    return { name: 'known', measured, verdict: judge(measured), windows, changes };
  }

  #isBig() {
    return this.#store.cores.length > CORES_MANY;
  }

  #stepMs() {
    const { intervalMs } = this.#store;
    return this.#isBig() ? Math.max(STEP_MS, intervalMs) : intervalMs;
  }

  #questions(windows) {
    const { fromMs, toMs } = spanOf(windows);
    const points = this.#isBig() && windows.stepMs === STEP_MS
      ? { points: String(Math.round((toMs - fromMs) / STEP_MS)) } : {};
    const device = this.#devices();
    const traffic = device.length > 0 && device.length <= DEVICES_MAX ? { device } : {};
    return [{ metric: 'core_packet_load_ratio', ...points },
      { metric: 'interface_bytes', ...points, ...traffic },
      { metric: 'interface_packets', ...points, ...traffic }];
  }

  /* Those the sums of the machine have. */
  #devices() {
    return (this.#store.map?.devices ?? []).filter((d) => d.counted).map((d) => d.device);
  }

  /* Only what counts: many interfaces are asked for together. */
  #counted(answer) {
    const devices = new Set(this.#devices());
    return { ...answer, resolution_ms: answer.resolution_ms ?? this.#store.intervalMs,
      series: answer.series.filter((s) => s.labels.device === undefined
        || devices.has(s.labels.device)) };
  }
}

const nameOf = (moment) => moment.key + ' ' + moment.fromMs + ' ' + moment.toMs;
