/* SPDX-License-Identifier: ISC */
/*
 * The instrument itself: what it costs, what it missed, what it cannot read.
 */

import { el, keyedRows, setFigure, setHidden, setText } from '../dom.js';
import { bytes, count, duration, microseconds, moment } from '../format.js';

const FIGURES = [
  ['CPU per tick', (h) => microseconds(h.tick_cpu_us)],
  ['Memory', (h) => bytes(h.pss_bytes ?? h.rss_bytes)],
  ['Ticks missed', (h) => count(h.ticks_missed)],
  ['Written per day', (h) => bytes(h.bytes_written_per_day)],
  ['Longest loop delay', (h) => microseconds(h.loop_delay_max_us)],
  ['Running for', (h) => duration(1000 * h.uptime_s)],
];

export function instrumentView(panel) {
  const figures = FIGURES.map(([label, read]) => {
    const value = el('dd', {});
    const node = el('div', {}, el('dt', {}, label), value);
    return { node, update: (h) => setFigure(value, read(h)) };
  });
  const store = el('p', { class: 'muted' });
  const sources = list('Sources that could not be read', (s) =>
    [s.path ?? s.id, s.state + (s.reason ? ': ' + s.reason : '')]);
  const rules = list('Rules that were not evaluated', (r) => [r.code, r.reason]);
  panel.append(el('h2', { id: 'instrument-title' }, 'The instrument itself'),
    el('dl', {}, ...figures.map((f) => f.node)), store, sources.node, rules.node);

  return ({ health }) => {
    for (const figure of figures)
      figure.update(health);
    setText(store, storeText(health.store));
    sources.update((health.sources ?? []).filter((s) => s.state !== 'ok'));
    rules.update(health.rules_not_evaluated ?? []);
  };
}

/* A list that shows only when there is something to say; read gives the name
 * and the words after it. */
function list(title, read) {
  const items = el('ul', {});
  const node = el('div', { hidden: true }, el('h3', {}, title), items);
  const rows = keyedRows(items, (item) => read(item)[0], () => {
    const name = el('code', {});
    const words = el('span', {});
    const update = (item) => {
      const [text, rest] = read(item);
      setText(name, text);
      setText(words, ' ' + rest);
    };
    return { node: el('li', {}, name, words), update };
  });
  const update = (list) => {
    rows(list);
    setHidden(node, list.length === 0);
  };
  return { node, update };
}

function storeText(store) {
  if (!store)
    return '';
  if (store.state === 'memory')
    return 'History is kept in memory only.';
  return 'Store: ' + store.state + (store.reason ? ', ' + store.reason : '')
    + (store.oldest_ms ? ', history since ' + moment(store.oldest_ms, Date.now()) : '') + '.';
}
