/* SPDX-License-Identifier: ISC */
/*
 * Colours for canvas. They are written down once, in style.css, for light and
 * dark; this reads them again when the scheme changes.
 */

const STOPS = 9;
export const LEVELS = 100;

let cached = null;

export function palette() {
  cached ??= read();
  return cached;
}

/* Calls back after the colours have changed. */
export function onPaletteChange(listener) {
  for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)',
    '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', () => {
      cached = null;
      listener();
    });
  }
}

function read() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const stops = Array.from({ length: STOPS }, (_, i) => rgb(value('--heat-' + i)));
  const scale = Array.from({ length: LEVELS + 1 }, (_, i) => between(stops, i / LEVELS));
  return {
    heat: scale.map((c) => 'rgb(' + c.join(' ') + ')'),
    /* The same as pixels of an image, behind one that is not there. */
    heatPixels: Uint32Array.from([[0, 0, 0, 0], ...scale.map((c) => [...c, 255])],
      (rgba) => new Uint32Array(Uint8Array.from(rgba).buffer)[0]),
    /* What is written on each of them. */
    heatInk: scale.map((c) => luminance(c) > 0.2 ? '#14181c' : '#ffffff'),
    ink: value('--ink'),
    muted: value('--muted'),
    line: value('--line'),
    hatch: value('--hatch'),
    rx: value('--rx'),
    tx: value('--tx'),
    info: value('--info'),
    warn: value('--warn'),
    crit: value('--crit'),
  };
}

/* "#rrggbb" */
function rgb(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

function between(stops, ratio) {
  const at = ratio * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return [0, 1, 2].map((c) => Math.round(stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c])));
}

/* As contrast is judged: 0 black, 1 white; black and white text are read equally
 * well on 0.18. */
function luminance(color) {
  const [r, g, b] = color.map((c) => c / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function heatLevel(ratio) {
  return Math.round(LEVELS * Math.min(1, Math.max(0, ratio)));
}
