/* SPDX-License-Identifier: ISC */
/*
 * What a finding consists of, as elements: for the panel of the first page and for
 * the page of findings. Built anew only when what it says changed: a selection or a
 * focused button survives the rest.
 */

import { el, rebuilder, setAttribute, setHidden, setText, stateIcon } from '../dom.js';
import { measured } from '../format.js';
import { copyButton } from './copy.js';
import { SEVERITY_WORDS, confidenceText } from './words.js';

export function badge() {
  const node = el('span', { class: 'badge' });
  const update = rebuilder(node, (severity) =>
    [stateIcon(severity), el('span', {}, SEVERITY_WORDS[severity] ?? severity)]);
  return { node, update: (severity) => {
    setAttribute(node, 'class', 'badge badge-' + severity);
    update(severity);
  } };
}

function evidenceRows(evidence) {
  return evidence.map(({ label, value, unit, text }) => el('tr', {},
    el('th', { scope: 'row' }, label),
    el('td', {}, measured(value, unit, text))));
}

function adviceItems(advice) {
  return advice.map((a) => {
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

/* Causes that were looked at and do not hold, each with the reason. */
function ruledOutItems(list) {
  return list.map(({ code, title, reason }) => el('li', {},
    el('b', {}, title || code), reason ? ': ' + reason : ''));
}

/* A part with its heading; level: of that heading. */
function part(level, title, ...content) {
  return el('div', { class: 'finding-part', hidden: true },
    el('h' + level, { class: 'part-title' }, title), ...content);
}

/* Fills list with what build makes of data and hides node while there is none. */
function filler(node, list, build) {
  const rebuild = rebuilder(list, build);
  return (data) => {
    rebuild(data ?? []);
    setHidden(node, !(data?.length > 0));
  };
}

/* Evidence, causes, what they are not, and advice. */
export function findingParts(level) {
  const rows = el('tbody', {});
  const evidence = part(level, 'Evidence', el('table', {}, rows));
  const causeList = el('ol', { class: 'causes' });
  const causes = part(level, 'Likely causes', causeList);
  const confidence = el('p', { class: 'finding-confidence muted' });
  const ruledOutList = el('ul', { class: 'ruled-out' });
  const ruledOut = el('details', { class: 'not-others' },
    el('summary', {}, 'Why not the others'), ruledOutList);
  const adviceList = el('ol', { class: 'advices' });
  const advice = part(level, 'What to try',
    el('p', { class: 'muted' }, 'Each is a hypothesis: change one thing, look, and undo it when it '
      + 'does not help. Nothing is changed from here.'), adviceList);
  const why = el('div', {}, causes, confidence, ruledOut, advice);
  const node = el('div', { class: 'finding-parts' }, why, evidence);

  const setEvidence = filler(evidence, rows, evidenceRows);
  const setCauses = filler(causes, causeList, (list) => list.map((cause) => el('li', {}, cause)));
  const setRuledOut = filler(ruledOut, ruledOutList, ruledOutItems);
  const setAdvice = filler(advice, adviceList, adviceItems);

  const update = (f) => {
    setEvidence(f.evidence);
    setCauses(f.causes);
    setText(confidence, confidenceText(f.confidence));
    setHidden(confidence, !f.confidence);
    setRuledOut(f.ruled_out);
    setAdvice(f.advice);
  };
  return { node, update };
}
