/* SPDX-License-Identifier: ISC */
/*
 * What a cell of the heatmap says: the load of a core at a time, what the core's
 * time went into then, and who feeds it. The last tick is at hand; for what is past
 * the daemon is asked once the pointer rests.
 */

import { get } from '../api.js';
import { el, setHidden, setStyle, setText } from '../dom.js';
import { clock, duration, isKnown, percent } from '../format.js';
import { feedsOf } from '../map/feeds.js';
import { makeGraph } from '../map/graph.js';
import { feedsText } from '../map/words.js';
import { NOTHING, PARTS, RARE, shareOf } from './parts.js';

const REST_MS = 180;
const FEEDS_TOLD = 3;
/* So many splits are kept: going back and forth asks nothing twice. */
const KEPT_MAX = 64;

export class HeatCard {
  node;
  #title = el('span', { class: 'card-title' });
  #bar;
  #parts;
  #words = el('span', { class: 'card-words' });
  #feeds = el('span', { class: 'card-words' });
  #segments;
  #key = null;
  #timer = 0;
  /* "core time" -> { mode: share } */
  #kept = new Map();

  constructor(id) {
    this.#segments = PARTS.map(([name]) => el('span', { class: 'seg seg-' + name }));
    this.#bar = el('span', { class: 'bar', 'aria-hidden': 'true' }, ...this.#segments);
    this.#parts = PARTS.map(([name, words]) => {
      const value = el('span', { class: 'card-value' });
      return { name, value, node: el('span', { class: 'card-part' },
        el('span', { class: 'swatch seg-' + name }), words + ' ', value) };
    });
    this.node = el('output', { id, class: 'heat-card', hidden: true }, this.#title, this.#bar,
      el('span', { class: 'card-parts' }, ...this.#parts.map((p) => p.node)), this.#words,
      this.#feeds);
  }

  hide() {
    clearTimeout(this.#timer);
    this.#key = null;
    setHidden(this.node, true);
    setText(this.#title, '');
  }

  /* cell: { core, t, load | null, ms: what it covers, columnMs }. */
  show(cell, store) {
    setHidden(this.node, false);
    setText(this.#title, titleText(cell));
    setText(this.#feeds, cell.load === null ? '' : fedText(cell.core, store));
    /* A repaint asks nothing that is on its way, or that has come. */
    const key = cell.core + ' ' + cell.t + (cell.load === null ? ' none' : '');
    if (key === this.#key)
      return;
    clearTimeout(this.#timer);
    this.#key = key;
    /* Stored times may differ by some milliseconds. */
    const isNow = Math.abs(cell.t - store.sampledMs) < cell.ms / 2;
    const now = isNow ? store.cores.find((c) => c.core === cell.core) : null;
    if (now && !this.#kept.has(key))
      this.#keep(key, now);
    if (cell.load === null)
      this.#split({});
    else if (this.#kept.has(key))
      this.#split(this.#kept.get(key));
    else
      this.#wait(key, cell);
  }

  #wait(key, cell) {
    this.#split({}, 'asking what it did \u2026');
    this.#timer = setTimeout(async () => {
      const { split = {}, words } = await splitOf(cell);
      if (words === undefined)
        this.#keep(key, split);
      if (this.#key === key)
        this.#split(split, words);
    }, REST_MS);
  }

  #keep(key, split) {
    if (this.#kept.size >= KEPT_MAX)
      this.#kept.clear();
    this.#kept.set(key, split);
  }

  #split(split, words = '') {
    for (const [i, [, , fields]] of PARTS.entries()) {
      const share = shareOf(split, fields);
      setStyle(this.#segments[i], 'width', 100 * (share ?? 0) + '%');
      const { name, node, value } = this.#parts[i];
      setText(value, percent(share));
      setHidden(node, RARE.includes(name) && !(share >= NOTHING));
    }
    setText(this.#words, words);
  }
}

/* "Core 3 at 12:00:05: 97 % packet load" */
function titleText({ core, t, load, columnMs, ms }) {
  const start = 'Core ' + core + ' at ' + clock(t) + ': ';
  if (load === null)
    return start + 'no value';
  const many = columnMs > 1.5 * ms ? ', highest of ' + duration(columnMs) : '';
  return start + percent(load) + ' packet load' + many;
}

/* Who feeds it at present: of the past it is not stored. */
function fedText(core, { map, queues, cores, interfaces, summary }) {
  if (map === null)
    return '';
  const graph = makeGraph(map, { queues, cores, interfaces, hottest: summary?.hottest_core });
  const text = feedsText(feedsOf(graph, core), FEEDS_TOLD);
  return text === '' ? 'now fed by no queue' : 'now fed by ' + text;
}

/* { split: { mode: share } } of a core's time up to t, or { words }: why there is none. */
async function splitOf({ core, t, ms }) {
  try {
    const { series } = await get('series', { metric: 'core_cpu_seconds', cpu: core,
      after: (t - 1.5 * ms) / 1000, before: (t + ms / 4) / 1000 });
    const split = {};
    for (const { labels, values } of series)
      split[labels.mode] = values.findLast(isKnown) ?? null;
    return Object.values(split).some(isKnown) ? { split }
      : { words: 'what it did then is not stored' };
  } catch (error) {
    return { words: 'what it did then is not known: ' + error.message };
  }
}
