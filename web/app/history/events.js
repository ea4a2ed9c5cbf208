/* SPDX-License-Identifier: ISC */
/*
 * Findings and setting changes as marks on the time line: what is in a range, in the
 * order of time. Pure.
 */

import { groupChanges, subjectsText } from '../changelist.js';
import { KEPT } from '../findings/say.js';
import { nameText, SEVERITY_WORDS } from '../findings/words.js';
import { changedValues, settingWords } from '../settings.js';

/* As many as the daemon tells at once. */
export const CHANGES_MAX = 1000;

/* A value of hundreds of letters is no label. */
const TEXT_MAX = 60;
const short = (text) => text.length > TEXT_MAX ? text.slice(0, TEXT_MAX - 1) + '\u2026' : text;

function changeText({ change, subjects }) {
  const of = subjectsText(subjects);
  const [before, after] = changedValues(change.kind, change.old, change.new);
  return (of === '' ? '' : of + ': ') + settingWords(change.kind) + ' ' + short(before)
    + ' \u2192 ' + short(after);
}

/* [{ key, atMs, toMs, kind, label, words }] of the range, oldest first. words: what
 * the kind is called. */
export function marksOf(findings, changes, [from, to]) {
  const ofFindings = findings.map((f) => ({ key: 'finding ' + f.id, atMs: f.raised_ms,
    toMs: f.cleared_ms || to, kind: f.severity, label: nameText(f),
    words: SEVERITY_WORDS[f.severity] ?? f.severity, isOver: Boolean(f.cleared_ms) }));
  const inRange = changes.filter((c) => c.at_ms >= from && c.at_ms <= to);
  const ofChanges = groupChanges(inRange).map((group) => ({ key: 'change ' + group.change.id,
    atMs: group.change.at_ms, toMs: null, kind: 'change', label: changeText(group),
    words: 'setting', isOver: true }));
  return [...ofFindings, ...ofChanges].filter((m) => m.atMs <= to && (m.toMs ?? m.atMs) >= from)
    .sort((a, b) => a.atMs - b.atMs);
}

/* The time before which there may be more than the daemon told, which are the latest
 * ones; null: these are all. */
const cutAt = (times, isCut) => isCut && times.length > 0
  ? times.reduce((a, b) => Math.min(a, b)) : null;

/* Those that stand are told however old they are. */
export function findingsCutAt(findings) {
  return cutAt(findings.filter((f) => f.cleared_ms).map((f) => f.raised_ms),
    findings.length >= KEPT);
}

export function changesCutAt(changes) {
  return cutAt(changes.map((c) => c.at_ms), changes.length >= CHANGES_MAX);
}
