/* SPDX-License-Identifier: ISC */
/*
 * What the page knows: the last tick, the last minutes, findings, health and
 * the state of the connection. Views read it; app.js tells it what arrived and
 * repaints what changed.
 */

import { byUrgency, isActive } from './findings/words.js';
import { History, Values, pointsOfSeries } from './history.js';

export const SPAN_MS = 300000;
/* The heatmap shows up to an hour. */
const LOAD_SPAN_MS = 3600000;
/* A minute at the shortest interval. */
const POINTS_PER_MINUTE = 320;
const pointsOf = (spanMs) => spanMs / 60000 * POINTS_PER_MINUTE;
const MAX_CLEARED = 50;
const MAX_CHANGES = 200;

export class Store {
  summary = null;
  cores = [];
  interfaces = [];
  queues = [];
  /* Structure and settings, some seconds old; null: not there (yet), the reason
   * beside it. */
  map = null;
  mapProblem = null;
  /* Settings that changed, newest first. */
  changes = null;
  changesProblem = null;
  health = null;
  /* Packet load by core; bit/s by "rx DEVICE" and "tx DEVICE". */
  load = new History(LOAD_SPAN_MS, pointsOf(LOAD_SPAN_MS));
  traffic = new History(SPAN_MS, pointsOf(SPAN_MS));
  /* The longest that was asked of the stored load so far, whether it came, and why
   * not. */
  loadSpanMs = SPAN_MS;
  isLoadKnown = false;
  loadProblem = null;
  findings = new Map();
  /* 'connecting', 'live', 'silent', 'lost', 'full', 'refused', 'paused' */
  connection = 'connecting';
  problem = null;
  #lastLiveMs = 0;
  #heardAt = 0;
  #names = new Set();

  get intervalMs() {
    return this.summary?.interval_ms ?? 1000;
  }

  get sampledMs() {
    return this.summary?.sampled_at_ms ?? null;
  }

  /* The daemon's wall clock now, as far as it can be told from here. */
  get nowMs() {
    return this.sampledMs === null ? Date.now()
      : this.sampledMs + (performance.now() - this.#heardAt);
  }

  get ageMs() {
    return performance.now() - this.#heardAt;
  }

  get isStale() {
    return this.connection !== 'live' || this.ageMs > Math.max(3.5 * this.intervalMs, 4000);
  }

  get active() {
    return [...this.findings.values()].filter(isActive).sort(byUrgency);
  }

  get cleared() {
    return [...this.findings.values()].filter((f) => !isActive(f))
      .sort((a, b) => b.cleared_ms - a.cleared_ms);
  }

  /* Names of what changed since the last call. */
  takeChanges() {
    const names = this.#names;
    this.#names = new Set();
    return names;
  }

  setConnection(connection, problem = null) {
    this.connection = connection;
    this.problem = problem;
    this.#names.add('connection');
  }

  /* One sample, from the stream or from the three requests at the start. Returns
   * false when there is a hole before it that stored history may fill. */
  applyTick({ summary, cores, interfaces, queues }) {
    const t = summary.sampled_at_ms;
    if (!(t > 0)) {
      /* No sample yet. */
      this.#take(summary, cores, interfaces, queues);
      return true;
    }
    const interval = summary.interval_ms || 1000;
    if (t < this.#lastLiveMs) {
      this.load.dropFrom(t);
      this.traffic.dropFrom(t);
    }
    this.#lastLiveMs = t;
    const before = this.load.newest;
    this.#add(this.load, t, cores.map((c) => [c.core, c.packet_load]), interval);
    this.#add(this.traffic, t, interfaces.flatMap((i) =>
      [['rx ' + i.device, i.rx_bps], ['tx ' + i.device, i.tx_bps]]), interval);
    this.#take(summary, cores, interfaces, queues);
    return before !== null && t - before < 1.75 * interval;
  }

  #add(history, t, entries, interval) {
    history.add(t, Values.of(entries, history.points.at(-1)?.values), interval / 2);
  }

  #take(summary, cores, interfaces, queues) {
    this.summary = summary;
    this.cores = [...cores].sort((a, b) => a.core - b.core);
    this.interfaces = interfaces;
    /* The requests at the start do not ask for them. */
    this.queues = queues ?? this.queues;
    this.#heardAt = performance.now();
    this.#names.add('tick');
  }

  applyLoadHistory(answer) {
    /* Points that are coarser than samples give way to those they cover. */
    this.load.merge(pointsOfSeries(answer, (labels) => Number(labels.cpu)),
      Math.max(this.intervalMs, answer.resolution_ms ?? 0) / 2);
    this.isLoadKnown = true;
    this.loadProblem = null;
    this.#names.add('history');
  }

  refuseLoad(reason) {
    this.loadProblem = reason;
    this.#names.add('history');
  }

  applyTrafficHistory(answer) {
    this.traffic.merge(pointsOfSeries(answer,
      (labels) => labels.direction + ' ' + labels.device, 8), this.intervalMs / 2);
    this.#names.add('history');
  }

  /* known: those that were there when the list was asked for. What the stream brought
   * since then is newer than the list. */
  applyFindings(list, known = this.findings) {
    const news = [...this.findings].filter(([id, f]) => known.get(id) !== f);
    this.findings = new Map([...list.map((f) => [f.id, f]), ...news]);
    this.#boundFindings();
  }

  /* What stands now; false when one that stood is missing. */
  applyActive(list, known) {
    this.applyFindings([...known.values(), ...list], known);
    const ids = new Set(list.map((f) => f.id));
    return this.active.every((f) => ids.has(f.id) || known.get(f.id) !== f);
  }

  applyFinding(finding) {
    this.findings = new Map(this.findings).set(finding.id, finding);
    this.#boundFindings();
  }

  applyMap(map) {
    this.map = map;
    this.mapProblem = null;
    this.#names.add('map');
  }

  /* What is there stays. */
  refuseMap(reason) {
    this.mapProblem = reason;
    this.#names.add('map');
  }

  /* known: what was there when the list was asked for. What the stream brought
   * since then may be newer than the list. */
  applyChanges(list, known = this.changes) {
    const there = new Set([...known ?? [], ...list].map((c) => c.id));
    const newer = (this.changes ?? []).filter((c) => !there.has(c.id));
    this.changes = [...newer, ...list].slice(0, MAX_CHANGES);
    this.changesProblem = null;
    this.#names.add('changes');
  }

  /* One of the stream; those sent again after a reconnection are known. */
  applyChange(change) {
    if (this.changes?.some((c) => c.id === change.id))
      return;
    this.applyChanges([change, ...this.changes ?? []].sort((a, b) => b.id - a.id));
  }

  refuseChanges(reason) {
    this.changesProblem = reason;
    this.#names.add('changes');
  }

  applyHealth(health) {
    this.health = health;
    this.#names.add('health');
  }

  #boundFindings() {
    for (const f of this.cleared.slice(MAX_CLEARED))
      this.findings.delete(f.id);
    this.#names.add('findings');
  }
}
