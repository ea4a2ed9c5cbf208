/* SPDX-License-Identifier: ISC */
/*
 * What is said of a finding in a few words: how bad, of what, since when, how sure.
 * Pure.
 */

import { duration, moment } from '../format.js';

export const SEVERITIES = ['crit', 'warn', 'info'];

export const SEVERITY_WORDS = { crit: 'critical', warn: 'warning', info: 'notice' };

/* How far the figures carry, in words. */
const CONFIDENCE_WORDS = {
  high: 'the figures rule out the other explanations',
  medium: 'the effect is certain, the cause is one of those named',
  low: 'a figure that would decide it is missing or too close to its limit',
};

export function confidenceText(confidence) {
  if (!confidence)
    return '';
  const words = Object.hasOwn(CONFIDENCE_WORDS, confidence) ? CONFIDENCE_WORDS[confidence] : '';
  return confidence + ' confidence' + (words === '' ? '' : ': ' + words);
}

/* "core 3", "eth0 rx queue 2", "interrupt 41", '' for the host */
export function subjectText(subject) {
  if (!subject)
    return '';
  return [
    subject.core >= 0 ? 'core ' + subject.core : '',
    subject.device ?? '',
    subject.queue >= 0 ? (subject.direction ?? '') + ' queue ' + subject.queue : '',
    subject.irq ? 'interrupt ' + subject.irq : '',
  ].filter((part) => part !== '').map((part) => part.trim()).join(' ');
}

export function nameText(f) {
  const subject = subjectText(f.subject);
  return subject === '' ? f.title : f.title + ', ' + subject;
}

export const isActive = (f) => !f.cleared_ms;

/* The worst first, then the newest. */
export function byUrgency(a, b) {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
    || b.raised_ms - a.raised_ms || b.id - a.id;
}

/* An end on the day of the beginning is a clock time. */
export function whenText(f, nowMs) {
  if (isActive(f))
    return 'since ' + moment(f.raised_ms, nowMs);
  return moment(f.raised_ms, nowMs) + ' to ' + moment(f.cleared_ms,
    new Date(f.raised_ms).toDateString() === new Date(f.cleared_ms).toDateString()
      ? f.cleared_ms : nowMs);
}

export function durationText(f, nowMs) {
  return duration((isActive(f) ? nowMs : f.cleared_ms) - f.raised_ms);
}

/* What is worth a word only when it is so. */
export function oddText(f) {
  return [
    f.episodes > 1 ? f.episodes + ' episodes' : '',
    f.stale ? 'last known state, too few samples to judge now' : '',
  ].filter((part) => part !== '').join(' \u00b7 ');
}

export const joined = (...parts) => parts.filter((part) => part !== '').join(' \u00b7 ');
