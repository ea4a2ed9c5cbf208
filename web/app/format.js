/* SPDX-License-Identifier: ISC */
/*
 * Numbers and times as text. The one place that knows units: throughput in
 * bit/s and multiples of 1000, loads as whole per cent (the kernel's tick does
 * not support more digits), what is not known as a dash and never as 0. Pure.
 */

export const DASH = '\u2014';
const NBSP = '\u00a0';

export function isKnown(v) {
  return typeof v === 'number' && Number.isFinite(v);
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];

/* Three significant digits and a prefix: 1.23 k, 12.3 k, 123 k. What is below one
 * has one digit: a slow loss is not none. */
function scale(v) {
  let n = Math.abs(v);
  let i = 0;
  while (i < PREFIXES.length - 1 && n >= 999.5) {
    n /= 1000;
    i++;
  }
  let digits = 0;
  if (i > 0 && n < 9.995)
    digits = 2;
  else if (i > 0 && n < 99.95)
    digits = 1;
  const text = n > 0 && n < 0.95 ? n.toPrecision(1) : n.toFixed(digits);
  return { number: v < 0 ? '-' + text : text, prefix: PREFIXES[i] };
}

/* { number, unit } for large figures that set the unit apart; null: not known. */
function parts(v, unit) {
  if (!isKnown(v))
    return null;
  const { number, prefix } = scale(v);
  return { number, unit: prefix + unit };
}

function join(v, unit) {
  const p = parts(v, unit);
  return p === null ? DASH : p.number + (p.unit && NBSP + p.unit);
}

/* Of a figure that is round by itself: "2.5 Gbit/s", "20 kpps". */
function round(p) {
  return p === null ? DASH : Number(p.number) + NBSP + p.unit;
}

export const bitsParts = (bps) => parts(bps, 'bit/s');
export const packetsParts = (pps) => parts(pps, 'pps');
export const bits = (bps) => join(bps, 'bit/s');
export const packets = (pps) => join(pps, 'pps');
export const lineRate = (bps) => round(bitsParts(bps));
export const roundPackets = (pps) => round(packetsParts(pps));
/* A count per second of things named elsewhere: "11.9 k/s". */
export const rate = (ps) => join(ps, '/s');
export const count = (n) => join(n, '');
export const bytes = (n) => join(n, 'B');

export function percent(ratio) {
  return isKnown(ratio) ? Math.round(ratio * 100) + NBSP + '%' : DASH;
}

/* "0 to 3, 7": numbers in order, runs of three and more by their ends. */
export function ranges(numbers) {
  const sorted = [...new Set(numbers.map(Number))].sort((a, b) => a - b);
  const runs = [];
  for (const n of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === n - 1)
      run[1] = n;
    else
      runs.push([n, n]);
  }
  return runs.map(([a, b]) => a === b ? String(a) : a + (b - a > 1 ? ' to ' : ', ') + b).join(', ');
}

export function decimal(v, digits) {
  return isKnown(v) ? v.toFixed(digits) : DASH;
}

export function microseconds(us) {
  if (!isKnown(us))
    return DASH;
  if (us < 999.5)
    return us.toFixed(0) + NBSP + '\u00b5s';
  if (us < 999500)
    return (us / 1000).toFixed(us < 99950 ? 1 : 0) + NBSP + 'ms';
  return (us / 1e6).toFixed(1) + NBSP + 's';
}

export function duration(ms) {
  if (!isKnown(ms))
    return DASH;
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 120)
    return s + NBSP + 's';
  if (s < 6000)
    return Math.floor(s / 60) + NBSP + 'min';
  if (s < 172800)
    return Math.floor(s / 3600) + NBSP + 'h' + NBSP + Math.floor(s % 3600 / 60) + NBSP + 'min';
  return Math.floor(s / 86400) + NBSP + 'days';
}

/* Made once: a new formatter for each text costs more than all the drawing. */
const CLOCK = new Intl.DateTimeFormat(undefined,
  { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const MINUTE = new Intl.DateTimeFormat(undefined,
  { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const DATE = new Intl.DateTimeFormat(undefined,
  { day: 'numeric', month: 'short', year: 'numeric' });

export function clock(ms) {
  return isKnown(ms) && ms > 0 ? CLOCK.format(ms) : DASH;
}

export function minute(ms) {
  return isKnown(ms) && ms > 0 ? MINUTE.format(ms) : DASH;
}

/* With the day when it is not the day of `now`, and the year when it is another. */
export function moment(ms, now) {
  if (!isKnown(ms) || ms <= 0)
    return DASH;
  const [then, today] = [new Date(ms), new Date(now)];
  if (then.toDateString() === today.toDateString())
    return CLOCK.format(ms);
  const day = then.getFullYear() === today.getFullYear() ? DAY : DATE;
  return day.format(ms) + ' ' + CLOCK.format(ms);
}

const BY_UNIT = {
  ratio: percent,
  'bit/s': bits,
  'packets/s': packets,
  '1/s': rate,
  bytes,
  packets: (v) => count(v) + NBSP + 'packets',
  interrupts: (v) => count(v) + NBSP + 'interrupts',
  'interrupts/s': rate,
  'events/s': rate,
  celsius: (v) => decimal(v, 1) + NBSP + '\u00b0C',
  events: count,
  cores: (v) => decimal(v, Number.isInteger(v) ? 0 : 2) + NBSP + (v === 1 ? 'core' : 'cores'),
  seconds: (v) => duration(v * 1000),
  Hz: (v) => join(v, 'Hz'),
};

/* A value with the unit's name as the API gives it; a text stays as it is. */
export function quantity(value, unit) {
  if (typeof value === 'string')
    return value;
  if (!isKnown(value))
    return DASH;
  if (Object.hasOwn(BY_UNIT, unit))
    return BY_UNIT[unit](value);
  const number = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
  return unit ? number + NBSP + unit : number;
}

/* A value with the words that go with it: either may be missing. */
export function measured(value, unit, text) {
  if (!text)
    return quantity(value, unit);
  return isKnown(value) ? quantity(value, unit) + ', ' + text : text;
}

/* What stands behind a number on an axis. */
const SYMBOLS = {
  'bit/s': 'bit/s', 'packets/s': 'pps', '1/s': '/s', 'interrupts/s': '/s', 'events/s': '/s',
  bytes: 'B', Hz: 'Hz', seconds: 's', celsius: '\u00b0C',
};

/* The ticks of an axis, evenly spaced: one prefix for all, and as many digits as
 * tell them apart. */
export function axisTexts(values, unit) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0] ?? 1);
  const digitsOf = (s) => Math.min(6, Math.max(0, Math.ceil(-Math.log10(s) - 1e-9)));
  const digits = (s) => s > 0 ? digitsOf(s) + (isRound(s * 10 ** digitsOf(s)) ? 0 : 1) : 0;
  if (unit === 'ratio')
    return values.map((v) => (v * 100).toFixed(digits(step * 100)) + NBSP + '%');
  const most = Math.max(...values.map(Math.abs), 0);
  let i = 0;
  while (i < PREFIXES.length - 1 && most >= 1000 ** (i + 1))
    i++;
  const unitText = PREFIXES[i] + (SYMBOLS[unit] ?? '');
  return values.map((v) => v === 0 ? '0' : (v / 1000 ** i).toFixed(digits(step / 1000 ** i))
    + (unitText === '' ? '' : NBSP + unitText));
}

function isRound(v) {
  return Math.abs(v - Math.round(v)) < 1e-6;
}

const MINUTE_MS = 60000;
const DAY_MS = 86400000;
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short' });
const YEAR = new Intl.DateTimeFormat(undefined, { year: 'numeric' });

/* The ticks of a time axis, `step` ms apart: the day, or the year, is told below
 * the first of them and where it changes. */
export function timeTexts(times, step) {
  const [fine, coarse] = step < MINUTE_MS ? [CLOCK, DAY] : step < DAY_MS ? [MINUTE, DAY]
    : step < 28 * DAY_MS ? [DAY, YEAR] : [MONTH, YEAR];
  let told = null;
  return times.map((t) => {
    const below = coarse.format(t);
    const isNew = below !== told;
    told = below;
    return fine.format(t) + (isNew ? '\n' + below : '');
  });
}

/* A time as exact as values `resolutionMs` apart are; with the year when it is not
 * that of `now`. */
export function instant(ms, resolutionMs, now) {
  const isThisYear = YEAR.format(ms) === YEAR.format(now);
  return (isThisYear ? DAY : DATE).format(ms) + ' '
    + (resolutionMs < MINUTE_MS ? CLOCK : MINUTE).format(ms);
}

const WEEKDAY = new Intl.DateTimeFormat(undefined,
  { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

/* A day as the head of what happened on it. */
export function weekday(ms) {
  return WEEKDAY.format(ms);
}

const OFFSET = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' });

/* "Europe/Berlin, GMT+1": what local time is here. */
export function zone(ms) {
  const offset = OFFSET.formatToParts(ms).find((p) => p.type === 'timeZoneName')?.value ?? '';
  const name = OFFSET.resolvedOptions().timeZone;
  return name === offset || !name ? offset : name === 'UTC' ? 'UTC' : name + ', ' + offset;
}
