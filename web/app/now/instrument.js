/* SPDX-License-Identifier: ISC */
/*
 * The instrument itself in short: what it costs, what it missed, and whether there
 * is something it cannot read.
 */

import { el, setFigure, setHidden, setText } from '../dom.js';
import { bytes, count, duration, microseconds, moment } from '../format.js';

const FIGURES = [
  ['CPU per tick', (h) => microseconds(h.tick_cpu_us)],
  ['Memory', (h) => bytes(h.pss_bytes ?? h.rss_bytes)],
  ['Ticks missed', (h) => count(h.ticks_missed)],
  ['Written per day', writtenText],
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
  const lacks = el('p', { class: 'muted', hidden: true });
  panel.append(el('h2', { id: 'instrument-title' }, 'The instrument itself'),
    el('dl', {}, ...figures.map((f) => f.node)), store, lacks,
    el('p', {}, el('a', { href: '#about' }, 'More about this instrument')));

  return ({ health }) => {
    if (health === null)
      return;
    for (const figure of figures)
      figure.update(health);
    setText(store, storeText(health.store));
    const text = lacksText(health);
    setText(lacks, text);
    setHidden(lacks, text === '');
  };
}

/* 'missing' is how a machine is. */
export function unreadSources(health) {
  return (health.sources ?? []).filter((s) => s.state !== 'ok' && s.state !== 'missing');
}

export function writtenText({ store, bytes_written_per_day: n }) {
  return store?.state === 'memory' ? 'nothing' : bytes(n);
}

export function storeText(store) {
  if (!store)
    return '';
  if (store.state === 'memory')
    return 'There is no database: the last hour is in memory and ends with the daemon.';
  return 'Store: ' + store.state + (store.reason ? ', ' + store.reason : '')
    + (store.oldest_ms ? ', history since ' + moment(store.oldest_ms, Date.now()) : '') + '.';
}

function lacksText(health) {
  const plural = (n, word) => n + ' ' + word + (n > 1 ? 's' : '');
  const sources = unreadSources(health).length;
  const rules = (health.rules_not_evaluated ?? []).length;
  const parts = [];
  if (sources > 0)
    parts.push(plural(sources, 'source') + ' could not be read');
  if (rules > 0)
    parts.push(plural(rules, 'rule') + (rules > 1 ? ' were' : ' was') + ' not evaluated');
  return parts.length === 0 ? '' : parts.join(', ') + '.';
}
