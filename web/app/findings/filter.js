/* SPDX-License-Identifier: ISC */
/*
 * Which findings are shown, and how that stands in the address:
 * "#findings?severity=warn&device=eth0&state=past&text=...&id=7". Pure.
 */

import { SEVERITIES, isActive, subjectText } from './words.js';

export const STATES = ['active', 'past'];

/* severities: Set, empty for all; device, state, text: '' for all; id: the one
 * that is open, or null. */
export function parseFilter(parameters) {
  const id = Number(parameters.get('id'));
  const state = parameters.get('state') ?? '';
  return {
    severities: new Set(parameters.getAll('severity').filter((s) => SEVERITIES.includes(s))),
    device: parameters.get('device') ?? '',
    state: STATES.includes(state) ? state : '',
    text: parameters.get('text') ?? '',
    id: Number.isInteger(id) && id > 0 ? id : null,
  };
}

/* For addressOf(). */
export function filterParameters(filter) {
  return {
    severity: SEVERITIES.filter((s) => filter.severities.has(s)),
    device: filter.device,
    state: filter.state,
    text: filter.text,
    id: filter.id === null ? '' : String(filter.id),
  };
}

export function isFiltering({ severities, device, state, text }) {
  return severities.size > 0 || device !== '' || state !== '' || text.trim() !== '';
}

/* All that is said in a finding, but for what it is not. */
function wordsOf(f) {
  return [f.title, f.code, f.message, subjectText(f.subject), ...f.causes ?? [],
    ...(f.evidence ?? []).flatMap((e) => [e.label, e.text ?? '']),
    ...(f.advice ?? []).map((a) => a.command)];
}

/* A core's finding concerns the device that feeds it, which it names. A name
 * without a digit ("in", "wan") may be a word like any other there. */
export function concerns(f, device) {
  if (f.subject?.device === device)
    return true;
  if (!/\d/.test(device))
    return false;
  const words = wordsOf(f).join('\n');
  const isPart = (c) => c !== undefined && /[\w.@-]/.test(c);
  for (let at = words.indexOf(device); at >= 0; at = words.indexOf(device, at + 1)) {
    const next = words[at + device.length];
    /* "eth0." ends a sentence, "eth0.7" is another device. */
    const isEnd = next === '.' ? !isPart(words[at + device.length + 1]) : !isPart(next);
    if (isEnd && !isPart(words[at - 1]))
      return true;
  }
  return false;
}

/* Devices that findings are of, in order. */
export function devicesOf(findings) {
  const names = new Set(findings.map((f) => f.subject?.device ?? '').filter((d) => d !== ''));
  return [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

function hasText(f, text) {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || wordsOf(f).some((w) => (w ?? '').toLowerCase().includes(wanted));
}

export function matches(f, { severities, device, state, text }) {
  return (severities.size === 0 || severities.has(f.severity))
    && (device === '' || concerns(f, device))
    && (state === '' || isActive(f) === (state === 'active'))
    && hasText(f, text);
}

/* How many of each severity pass all but the severities asked for. */
export function severityCounts(findings, filter) {
  const rest = { ...filter, severities: new Set() };
  const counts = Object.fromEntries(SEVERITIES.map((s) => [s, 0]));
  for (const f of findings) {
    if (Object.hasOwn(counts, f.severity) && matches(f, rest))
      counts[f.severity]++;
  }
  return counts;
}

/* [{ key, atMs, findings }] of past ones by the day they were raised, newest first. */
export function daysOf(past) {
  const days = new Map();
  for (const f of [...past].sort((a, b) => b.raised_ms - a.raised_ms || b.id - a.id)) {
    const key = new Date(f.raised_ms).toDateString();
    if (!days.has(key))
      days.set(key, { key, atMs: f.raised_ms, findings: [] });
    days.get(key).findings.push(f);
  }
  return [...days.values()];
}
