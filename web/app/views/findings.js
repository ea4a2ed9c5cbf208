/* SPDX-License-Identifier: ISC */
/*
 * Findings: what stands with its evidence and what to try, and what was
 * cleared lately.
 */

import { el, keyedRows, setChildren, setHidden, setText, stateIcon } from '../dom.js';
import { duration, measured, moment } from '../format.js';

const SEVERITY_WORDS = { info: 'notice', warn: 'warning', crit: 'critical' };

/* Rebuilds the children of node only when what they are made of changed: an
 * open selection or a focused button survives the rest. */
function rebuilder(node, build) {
  let made = null;
  return (data) => {
    const key = JSON.stringify(data ?? null);
    if (key === made)
      return;
    made = key;
    setChildren(node, build(data));
  };
}

function badge(severity) {
  return [el('span', { class: 'badge badge-' + severity }, stateIcon(severity),
    SEVERITY_WORDS[severity] ?? severity)];
}

function evidenceRows(evidence) {
  return (evidence ?? []).map(({ label, value, unit, text }) => el('tr', {},
    el('th', { scope: 'row' }, label),
    el('td', {}, measured(value, unit, text))));
}

function adviceItems(advice) {
  return (advice ?? []).map((a) => {
    const flags = [a.persistent ? 'survives a reboot' : 'until the next reboot'];
    if (a.disruptive)
      flags.push('interrupts traffic');
    return el('li', { class: 'advice' },
      el('div', { class: 'command' }, el('code', {}, a.command), copyButton(a.command)),
      el('p', { class: 'flags' }, ...flags.map((f) =>
        el('span', { class: f === 'interrupts traffic' ? 'flag flag-warn' : 'flag' }, f))),
      a.expect ? el('p', {}, el('b', {}, 'Expect: '), a.expect) : '',
      a.undo ? el('div', { class: 'command command-undo' }, el('b', {}, 'Undo: '),
        el('code', {}, a.undo), copyButton(a.undo)) : '');
  });
}

function copyButton(text) {
  const button = el('button', { type: 'button', class: 'copy', click: async () => {
    const isDone = await copy(text);
    setText(button, isDone ? 'Copied' : 'Not allowed');
    setTimeout(() => setText(button, 'Copy'), 2000);
  } }, 'Copy');
  return button;
}

/* The clipboard interface exists on secure origins only, which a router in the
 * local network is not. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea', { class: 'unseen', readonly: true, 'aria-hidden': 'true' });
    field.value = text;
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    focused?.focus();
    return isDone;
  }
}

function subjectText(subject) {
  if (!subject)
    return '';
  return [
    subject.core >= 0 ? 'core ' + subject.core : '',
    subject.device ?? '',
    subject.queue >= 0 ? (subject.direction ?? '') + ' queue ' + subject.queue : '',
    subject.irq ? 'interrupt ' + subject.irq : '',
  ].filter((part) => part !== '').join(' ');
}

function makeCard() {
  const severity = el('span', {});
  const [title, about, message] = ['h3', 'p', 'p'].map((tag) => el(tag, {}));
  about.className = 'finding-about muted';
  message.className = 'finding-message';
  const rows = el('tbody', {});
  const evidence = el('div', { class: 'finding-part' }, el('h4', {}, 'Evidence'),
    el('table', {}, rows));
  const causeList = el('ul', {});
  const causes = el('div', { class: 'finding-part' }, el('h4', {}, 'Likely causes'), causeList);
  const adviceList = el('ol', { class: 'advices' });
  const advice = el('div', { class: 'finding-part finding-advice' }, el('h4', {}, 'What to try'),
    el('p', { class: 'muted' }, 'Each is a hypothesis: change one thing, look, and undo it when it '
      + 'does not help. Nothing is changed from here.'), adviceList);
  const why = el('div', {}, causes, advice);
  const node = el('li', { class: 'finding' },
    el('div', { class: 'finding-head' }, severity, title, about), message,
    el('div', { class: 'finding-parts' }, why, evidence));
  const setSeverity = rebuilder(severity, badge);
  const setEvidence = rebuilder(rows, evidenceRows);
  const setCauses = rebuilder(causeList, (list) => list.map((c) => el('li', {}, c)));
  const setAdvice = rebuilder(adviceList, adviceItems);

  const update = (f, store) => {
    setSeverity(f.severity);
    setText(title, f.title);
    setText(about, aboutText(f, store));
    setText(message, f.message);
    setEvidence(f.evidence ?? []);
    setCauses(f.causes ?? []);
    setAdvice(f.advice ?? []);
    setHidden(evidence, !(f.evidence?.length > 0));
    setHidden(causes, !(f.causes?.length > 0));
    setHidden(advice, !(f.advice?.length > 0));
    setHidden(why, causes.hidden && advice.hidden);
  };
  return { node, update };
}

function aboutText(f, store) {
  return [
    subjectText(f.subject),
    'since ' + moment(f.raised_ms, store.nowMs) + ' (' + duration(store.nowMs - f.raised_ms) + ')',
    f.episodes > 1 ? f.episodes + ' episodes' : '',
    f.confidence ? f.confidence + ' confidence' : '',
    f.stale ? 'last known state, too few samples to judge now' : '',
  ].filter((part) => part !== '').join(' \u00b7 ');
}

function makeCleared() {
  const severity = el('span', {});
  const [title, when] = [el('span', { class: 'cleared-title' }), el('span', { class: 'muted' })];
  const setSeverity = rebuilder(severity, badge);
  const update = (f, store) => {
    setSeverity(f.severity);
    setText(title, f.title + (subjectText(f.subject) ? ', ' + subjectText(f.subject) : ''));
    setText(when, moment(f.raised_ms, store.nowMs) + ' to ' + moment(f.cleared_ms, store.nowMs)
      + ' (' + duration(f.cleared_ms - f.raised_ms) + ')');
  };
  return { node: el('li', {}, severity, title, when), update };
}

export function findingsView(panel) {
  const list = el('ul', { class: 'finding-list' });
  const none = el('p', { class: 'muted' }, 'No active findings.');
  const summary = el('summary', {});
  const clearedList = el('ul', { class: 'cleared' });
  const cleared = el('details', { hidden: true }, summary, clearedList);
  panel.append(el('div', { class: 'panel-head' }, el('h2', { id: 'findings-title' }, 'Findings')),
    none, list, cleared);
  const cards = keyedRows(list, (f) => f.id, makeCard);
  const past = keyedRows(clearedList, (f) => f.id, makeCleared);
  return (store) => {
    const { active, cleared: gone } = store;
    cards(active, store);
    setHidden(none, active.length > 0);
    past(gone, store);
    setHidden(cleared, gone.length === 0);
    setText(summary, gone.length + ' cleared lately');
  };
}
