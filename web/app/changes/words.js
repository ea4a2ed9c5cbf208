/* SPDX-License-Identifier: ISC */
/*
 * Before and after in words, with what keeps them from being compared. Pure.
 */

import { DASH, bitsParts, count, decimal, duration, isKnown, percent } from '../format.js';

const ARROW = ' \u2192 ';
const NBSP = '\u00a0';

/* "540 -> 743 Mbit/s"; the unit twice where it differs. */
function bitsPair(before, after) {
  const [a, b] = [bitsParts(before), bitsParts(after)];
  const whole = (p) => p === null ? DASH : p.number + NBSP + p.unit;
  return (a?.unit === b?.unit && a !== null ? a.number : whole(a)) + ARROW + whole(b);
}

/* CPU time is not measured well enough to tell less apart. */
const isNear = ({ before, after }) => Math.abs(after / before - 1) <= 0.1;

const coreText = ({ core }) => 'core ' + core;

/* [{ name, label, value, about, way }]: figures of a moment; way: which direction it
 * went, for the eye only. */
export function figuresOf({ way, before, after }, verdict) {
  const figures = [{ name: 'load', label: 'Hottest core',
    value: percent(before.load) + ARROW + percent(after.load), way: verdict.load,
    about: before.core === after.core ? coreText(before)
      : coreText(before) + ARROW + coreText(after) }];
  if (isKnown(before.bps) || isKnown(after.bps)) {
    figures.push({ name: 'bps', label: way === 'rx' ? 'Throughput in' : 'Throughput out',
      value: bitsPair(before.bps, after.bps), way: verdict.bps, about: '' });
  }
  const cost = verdict.perCpuSecond;
  if (cost !== null) {
    figures.push({ name: 'cost', label: 'Packets per CPU second', about: '',
      way: isNear(cost) ? 'same' : null, value: count(cost.before) + ARROW + count(cost.after) });
  }
  return figures;
}

function times(ratio) {
  return decimal(ratio, ratio < 10 ? 1 : 0) + ' times';
}

function perKpps({ before, after }) {
  const digits = Math.max(before, after) < 0.1 ? 1 : 0;
  const text = (v) => decimal(100 * v, digits) + NBSP + '%';
  return text(before) + ARROW + text(after);
}

function trafficNote({ traffic, loadPerKpps }) {
  switch (traffic.state) {
    case 'idle':
      return 'Hardly any packets before and after: the loads say nothing of this setting.';
    case 'one':
      return 'Hardly any packets on one side: the loads cannot be compared.';
    case 'unknown':
      return 'Packets are not known: whether the traffic was the same cannot be told.';
    case 'different':
      return 'Traffic was different: '
        + (traffic.ratio > 1 ? times(traffic.ratio) + ' as many packets after'
          : times(1 / traffic.ratio) + ' as many before')
        + (loadPerKpps === null ? ', so the loads cannot be compared.'
          : '. For each kpps the hottest core had ' + perKpps(loadPerKpps) + ' of load.');
    default:
      return '';
  }
}

/* What has to be known with the figures, in order of weight. */
export function notesOf({ before, after, stepMs }, verdict, nOthers, window) {
  const notes = [];
  if (nOthers > 0) {
    notes.push('Together with ' + nOthers + (nOthers > 1 ? ' other changes' : ' other change')
      + ' in the time compared.');
  }
  const traffic = trafficNote(verdict);
  if (traffic !== '')
    notes.push(traffic);
  else if (verdict.load === 'same' && (verdict.bps === 'same' || verdict.bps === null)) {
    notes.push(before.core === after.core ? 'No difference beyond the usual ups and downs.'
      : 'Another core is the hottest. The difference is within the usual ups and downs.');
  }
  if (window.lengthMs > 60000) {
    notes.push('Means of five minutes each, of values ' + duration(stepMs)
      + ' apart: what is kept of then is no finer.');
  }
  const share = Math.min(before.share, after.share);
  if (share < 0.9 * Math.min(1, 1 - stepMs / window.lengthMs))
    notes.push('Samples of ' + percent(share) + ' of the time are there.');
  return notes;
}

const PROBLEMS = {
  both: 'No samples of the time around it.',
  before: 'No samples of the time before it: nothing to compare with.',
  after: 'No samples of the time after it: nothing to compare with.',
};

/* state: as Effects.of() tells it; '' when there are figures. */
export function stateText(state) {
  switch (state.name) {
    case 'waiting':
      return 'Before and after: in ' + duration(state.inMs) + '.';
    case 'asked':
      return 'Before and after: being fetched.';
    case 'failed':
      return 'Before and after could not be fetched: ' + state.reason + '.';
    case 'coarse':
      return 'Only means of hours are kept of then, too coarse for one change.';
    case 'known':
      return state.verdict.problem === null ? '' : PROBLEMS[state.verdict.problem];
    default:
      return '';
  }
}
