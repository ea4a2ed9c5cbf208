/* SPDX-License-Identifier: ISC */
/*
 * What stands beside the map: the legend of its lines above it, and below it what
 * the box under the pointer says.
 */

import { el, setAttribute, setChildren, setHidden, setStyle, setText } from '../dom.js';
import { roundPackets } from '../format.js';
import { widthOf } from './layout.js';

const HINTS = { lanes: 'Point at a box to read it.', list: 'Press a line to read it.' };

export function legend() {
  const samples = [1, 0.1, 0.01].map((part) => {
    const line = el('span', { class: 'map-sample' });
    const words = el('span', {});
    return { node: el('span', { class: 'legend-item' }, line, words), line, words, part };
  });
  const dashed = el('span', { class: 'legend-item' }, el('span', { class: 'map-sample-dashed' }),
    'may be handed on (RPS)');
  const idle = el('span', { class: 'legend-item' },
    el('span', { class: 'map-sample-idle' }), 'idle');
  const node = el('div', { class: 'legend map-legend', 'aria-hidden': 'true' },
    ...samples.map((s) => s.node), idle, dashed);
  const update = (layout) => {
    for (const { line, words, part } of samples) {
      const pps = layout.reference * part;
      setStyle(line, 'height', widthOf({ kind: 'wire', state: 'flow', pps }, layout.size,
        layout.reference) + 'px');
      setText(words, roundPackets(pps));
    }
    setHidden(dashed, !layout.links.some((one) => one.kind === 'rps'));
  };
  return { node, update };
}

export function readingPanel() {
  const title = el('b', {});
  const text = el('span', {});
  const facts = el('dl', {});
  const node = el('div', { class: 'map-reading muted', id: 'map-reading' },
    el('p', {}, title, ' ', text), facts);
  const terms = [];
  const update = (now, form) => {
    setText(title, now?.title ?? '');
    setText(text, now?.text ?? HINTS[form]);
    const list = now?.facts ?? [];
    while (terms.length < list.length) {
      const [dt, dd] = [el('dt', {}), el('dd', {})];
      terms.push({ node: el('div', {}, dt, dd), dt, dd });
    }
    setChildren(facts, terms.slice(0, list.length).map((t) => t.node));
    for (const [i, [label, value]] of list.entries()) {
      setText(terms[i].dt, label);
      setText(terms[i].dd, value);
    }
    setAttribute(node, 'data-read', now ? '' : null);
  };
  return { node, update };
}
