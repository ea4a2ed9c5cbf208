/* SPDX-License-Identifier: ISC */
/*
 * Findings on the first page: what stands with its evidence and what to try, and
 * what was cleared lately. Each leads to the page that draws it over time.
 */

import { el, keyedRows, setAttribute, setHidden, setText } from '../dom.js';
import { announcer } from '../findings/announce.js';
import { badge, findingParts } from '../findings/parts.js';
import { durationText, joined, nameText, oddText, subjectText, whenText }
  from '../findings/words.js';
import { addressOf } from '../router.js';

/* As many past ones as are a glance. */
const CLEARED_MOST = 12;

const linkTo = (f) => addressOf('findings', { id: String(f.id) });

function makeCard() {
  const severity = badge();
  const title = el('h3', {});
  const about = el('p', { class: 'finding-about muted' });
  const message = el('p', { class: 'finding-message' });
  const link = el('a', {}, 'Over time');
  const parts = findingParts(4);
  const node = el('li', { class: 'finding' },
    el('div', { class: 'finding-head' }, severity.node, title, about,
      el('p', { class: 'finding-about' }, link)),
    message, parts.node);
  const update = (f, store) => {
    severity.update(f.severity);
    setText(title, f.title);
    setText(about, joined(subjectText(f.subject),
      whenText(f, store.nowMs) + ' (' + durationText(f, store.nowMs) + ')', oddText(f)));
    setText(message, f.message);
    setAttribute(link, 'href', linkTo(f));
    setAttribute(link, 'aria-label', 'Over time: ' + nameText(f));
    parts.update(f);
  };
  return { node, update };
}

function makeCleared() {
  const severity = badge();
  const [title, when] = [el('a', { class: 'cleared-title' }), el('span', { class: 'muted' })];
  const update = (f, store) => {
    severity.update(f.severity);
    setText(title, nameText(f));
    setAttribute(title, 'href', linkTo(f));
    setText(when, whenText(f, store.nowMs) + ' (' + durationText(f, store.nowMs) + ')');
  };
  return { node: el('li', {}, severity.node, title, when), update };
}

export function findingsView(panel) {
  const list = el('ul', { class: 'finding-list' });
  const none = el('p', { class: 'muted' });
  const summary = el('summary', {});
  const clearedList = el('ul', { class: 'cleared' });
  const cleared = el('details', { hidden: true }, summary, clearedList);
  const region = el('p', { class: 'unseen', role: 'status' });
  panel.append(el('div', { class: 'panel-head' }, el('h2', { id: 'findings-title' }, 'Findings'),
    el('a', { class: 'finding-about', href: addressOf('findings') }, 'All findings')),
  region, none, list, cleared);
  const cards = keyedRows(list, (f) => f.id, makeCard);
  const past = keyedRows(clearedList, (f) => f.id, makeCleared);
  const announce = announcer(region);
  return (store) => {
    const { active, cleared: gone } = store;
    cards(active, store);
    setHidden(none, active.length > 0);
    setText(none, noneText(store));
    past(gone.slice(0, CLEARED_MOST), store);
    setHidden(cleared, gone.length === 0);
    setText(summary, Math.min(gone.length, CLEARED_MOST) + ' cleared lately');
    announce(store);
  };
}

/* Nothing was judged yet is not the same as nothing was found. */
function noneText({ summary, connection }) {
  if (connection === 'refused')
    return 'Not permitted.';
  if (!(summary?.sampled_at_ms > 0))
    return 'Waiting for the first sample.';
  return summary.state === 'unknown' ? 'Nothing found of what can be judged.'
    : 'No active findings.';
}
