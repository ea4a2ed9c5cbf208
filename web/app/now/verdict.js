/* SPDX-License-Identifier: ISC */
/*
 * The answer: one sentence with its state, the figures behind it, and whether
 * what is seen is live.
 */

import { el, setAttribute, setFigure, setHidden, setText, stateIcon } from '../dom.js';
import { bitsParts, clock, decimal, duration, isKnown, packetsParts, percent, zone }
  from '../format.js';

const STATE_WORDS = {
  ok: 'ok', info: 'notice', warn: 'warning', crit: 'critical', unknown: 'not known',
};

const CONNECTIONS = {
  connecting: () => 'connecting',
  live: (store) => store.isStale && store.sampledMs !== null
    ? 'no sample since ' + clock(store.sampledMs) : 'live',
  lost: (store) => store.sampledMs === null
    ? 'no answer, trying again' : 'reconnecting, stale since ' + clock(store.sampledMs),
  full: () => 'not live: as many viewers as the daemon serves',
  refused: () => 'refused',
  paused: () => 'paused',
};

/* Below this there is no packet work to speak of. */
const LEAST_LOAD = 0.02;

/* Each gives [what is set large, what follows small]. Effective cores: as many evenly
 * loaded ones would be as the present spread is. */
const FIGURES = [
  ['Hottest core', (s) => isKnown(s.hottest_core)
    ? ['core ' + s.hottest_core, percent(s.hottest_core_load)] : null],
  ['Work spread over', (s) => isKnown(s.effective_cores) && s.hottest_core_load >= LEAST_LOAD
    ? [decimal(s.effective_cores, 1), 'of ' + (s.cores ?? '?')] : null],
  ['In', (s) => parts(bitsParts(s.rx_bps))],
  ['Out', (s) => parts(bitsParts(s.tx_bps))],
  ['Packets in', (s) => parts(packetsParts(s.rx_pps))],
  ['Drops', (s) => parts(packetsParts(s.drops_pps))],
];

function parts(p) {
  return p === null ? null : [p.number, p.unit];
}

function figureRow([label, read]) {
  const number = el('span', { class: 'figure-number' });
  const unit = el('span', { class: 'figure-unit' });
  const node = el('div', { class: 'figure' }, el('dt', {}, label), el('dd', {}, number, ' ', unit));
  const update = (summary) => {
    const value = summary === null ? null : read(summary);
    setFigure(number, value === null ? null : value[0]);
    setText(unit, value === null ? '' : value[1]);
  };
  return { node, update };
}

export function verdictView(document) {
  const byId = (id) => document.getElementById(id);
  const figures = FIGURES.map(figureRow);
  byId('figures').append(...figures.map((f) => f.node));
  setText(byId('host'), document.location.hostname);
  let shownState = '';
  const title = titleOf(document);

  return (store) => {
    const { summary } = store;
    const state = summary !== null && Object.hasOwn(STATE_WORDS, summary.state)
      ? summary.state : 'unknown';
    setAttribute(document.body, 'data-state', state);
    if (state !== shownState) {
      shownState = state;
      byId('state').replaceChildren(stateIcon(state), el('span', {}, STATE_WORDS[state]));
      /* Spoken once a change of state; the sentence itself changes every second. */
      setText(byId('announce'), STATE_WORDS[state] + ': ' + (summary?.verdict ?? ''));
    }
    setText(byId('sentence'), summary?.verdict || (store.problem === null
      ? 'Waiting for the first sample.' : 'The daemon does not answer this page.'));
    setText(byId('sampled'), sampledText(store));
    for (const figure of figures)
      figure.update(summary);

    const n = store.active.length;
    setText(byId('active'), n === 1 ? '1 active finding' : n + ' active findings');
    setHidden(byId('active'), n === 0);
    connection(document, store);
    title(store, state);
  };
}

/* The tab of the browser: a figure that changes there each second is no help. */
const TITLE_MS = 5000;

function titleOf(document) {
  let shown = '';
  let at = -Infinity;
  return ({ summary }, state) => {
    /* Other pages have titles of their own. */
    const { page } = document.body.dataset;
    const key = page + state + summary?.hottest_core;
    if (page !== 'now' || key === shown && performance.now() - at < TITLE_MS)
      return;
    shown = key;
    at = performance.now();
    const text = summary === null ? 'Ringside' : titleText(state, summary);
    if (document.title !== text)
      document.title = text;
  };
}

function titleText(state, summary) {
  const core = isKnown(summary.hottest_core)
    ? ', core ' + summary.hottest_core + ' ' + percent(summary.hottest_core_load) : '';
  return STATE_WORDS[state] + core + ' \u2013 Ringside';
}

function sampledText({ summary, sampledMs, intervalMs }) {
  if (sampledMs === null)
    return '';
  return 'Sampled ' + clock(sampledMs) + ' (' + zone(sampledMs) + '), every ' + duration(intervalMs)
    + (summary.clock_ok === false ? '. The clock of this machine is not set: times are provisional.'
      : '.');
}

function connection(document, store) {
  const link = document.getElementById('link');
  const isStale = store.connection === 'live' && store.isStale;
  setText(link, CONNECTIONS[store.connection](store));
  setAttribute(link, 'data-link', isStale ? 'lost' : store.connection);
  setAttribute(document.body, 'data-stale', store.sampledMs !== null && store.isStale ? '' : null);
  const problem = document.getElementById('problem');
  setHidden(problem, store.problem === null);
  setText(problem, store.problem === null ? '' : problemText(store.problem));
}

function problemText({ status, message }) {
  if (status !== 401)
    return 'The daemon refuses to answer: ' + message + '.';
  return 'This daemon asks for its token. Load the page again and, when the browser asks, give any '
    + 'user name and the token (the content of token_file) as the password.';
}
