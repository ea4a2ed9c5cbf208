/* SPDX-License-Identifier: ISC */
/*
 * Puts a layout on the page: a button for each box, a curve for each link. Made
 * once for each key and changed in place; what a tick does not change is not
 * touched.
 */

import { el, setAttribute, setChildren, setText } from '../dom.js';
import { DASH, isKnown, lineRate, packets, percent, rate } from '../format.js';
import { heatLevel, palette } from '../palette.js';
import { clockShort, foldText } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';
const LANE_NAMES = ['Interfaces', 'Queues', 'Interrupts', 'Cores'];
const HEADS = [['Interface'], ['Queue', 'in', 'out'], ['Interrupt', 'per second'],
  ['Core', 'packet load']];

function svg(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    node.setAttribute(key, value);
  return node;
}

/* Sets a style property unless it has that value already: what is remembered here
 * need not be asked of the page. */
function styler(node) {
  const set = new Map();
  return (name, value) => {
    if (set.get(name) === value)
      return;
    set.set(name, value);
    node.style.setProperty(name, value);
  };
}

function part(name, ...children) {
  return el('span', { class: 'map-' + name }, ...children);
}

/* A share of next to nothing says nothing. */
const SHARE_FROM_PPS = 10;
/* CSS pixels of the map below which space is saved. */
const TIGHT = 960;
/* CSS pixels that a core takes with "hottest" and its clock. */
const CLOCK_FROM = 136;
/* CSS pixels that a queue takes with its shares as figures. */
const SHARES_FROM = 288;

const figure = (value, format) => isKnown(value) ? format(value) : DASH;

function deviceParts() {
  const [name, about, rx, tx] = ['name', 'about', 'in', 'out'].map((n) => part(n));
  const update = ({ item: d, h }) => {
    setText(name, d.device);
    setText(about, [d.driver ?? d.kind ?? '', isKnown(d.speed_bps) ? lineRate(d.speed_bps) : '']
      .filter((text) => text !== '').join(', '));
    setText(rx, 'in ' + figure(d.rx_pps, packets));
    setText(tx, 'out ' + figure(d.tx_pps, packets));
    return { lines: h >= 84 ? '4' : h >= 62 ? '3' : h >= 40 ? '2' : '1' };
  };
  return { parts: [name, about, rx, tx], update };
}

function half(direction, words) {
  const fill = part('fill');
  const text = part('figure');
  const share = part('share');
  const node = part('half', fill, el('span', { class: 'unseen' }, ' ' + words + ' '), text, share);
  node.classList.add('map-' + direction);
  const style = styler(fill);
  const update = (q, total, isWide) => {
    setAttribute(node, 'data-none', q ? null : '');
    setText(text, q ? figure(q.pps, packets) : '');
    const ratio = q && isKnown(q.share) && total >= SHARE_FROM_PPS ? q.share : null;
    setText(share, isWide && ratio !== null ? percent(ratio) : '');
    style('transform', 'scaleX(' + (ratio ?? 0).toFixed(3) + ')');
  };
  return { node, update };
}

function rowParts() {
  const unseen = el('span', { class: 'unseen' });
  const name = part('no');
  const [rx, tx] = [half('rx', 'in'), half('tx', 'out')];
  const update = ({ item: row, w }) => {
    setText(unseen, row.device.device + ' queue ');
    setText(name, row.name);
    rx.update(row.rx, row.device.rx_pps, w >= SHARES_FROM);
    tx.update(row.tx, row.device.tx_pps, w >= SHARES_FROM);
    const isLossy = row.rx?.drops_pps > 0 || row.tx?.drops_pps > 0;
    return { lossy: isLossy ? '' : null };
  };
  return { parts: [unseen, name, rx.node, tx.node], update };
}

function irqParts() {
  const name = part('name');
  const ps = part('figure');
  const unseen = () => el('span', { class: 'unseen' }, 'interrupt ');
  const update = ({ item: irq }) => {
    setText(name, irq.irq);
    setText(ps, figure(irq.rate_ps, rate));
    return {};
  };
  return { parts: [unseen(), name, ps], update };
}

function coreParts(node) {
  const [name, load, about] = ['name', 'load', 'about'].map((n) => part(n));
  const style = styler(node);
  const update = ({ item: core, w, h }, { hot, isHottest }) => {
    const level = isKnown(core.packet_load) ? heatLevel(core.packet_load) : null;
    const colors = palette();
    setText(name, 'core ' + core.core);
    setText(load, percent(core.packet_load));
    setText(about, coreAbout(core, isHottest && core.key === hot, w));
    style('background-color', level === null ? '' : colors.heat[level]);
    style('color', level === null ? '' : colors.heatInk[level]);
    return { lines: h >= 40 ? '2' : '1', hot: core.key === hot ? '' : null,
      unknown: level === null ? '' : null };
  };
  return { parts: [name, load, about], update };
}

function coreAbout(core, isHot, width) {
  const hasRoom = !isHot || width >= CLOCK_FROM;
  return [isHot ? 'hottest' : '', hasRoom ? clockShort(core) : '']
    .filter((text) => text !== '').join(', ');
}

function foldParts() {
  const text = part('name');
  const update = (box) => {
    setText(text, foldText(box));
    return {};
  };
  return { parts: [text], update };
}

function noteParts() {
  const text = part('words');
  const update = (box, { node }) => {
    setText(text, box.text);
    setAttribute(node, 'title', box.text);
    return {};
  };
  return { parts: [text], update };
}

const MAKERS = { device: deviceParts, row: rowParts, irq: irqParts, core: coreParts,
  fold: foldParts, note: noteParts };

function makeBox(box) {
  const isButton = box.kind !== 'note';
  const node = el(isButton ? 'button' : 'div', { class: 'map-box map-' + box.kind,
    type: isButton ? 'button' : null, tabindex: isButton ? '-1' : null,
    'aria-describedby': isButton ? 'map-reading' : null,
    'aria-expanded': box.kind === 'fold' ? 'false' : null });
  node.dataset.key = box.key;
  const { parts, update } = MAKERS[box.kind](node);
  node.append(...parts);
  const style = styler(node);
  return { node, kind: box.kind, update: (now, context) => {
    style('transform', 'translate(' + now.x + 'px,' + now.y + 'px)');
    style('width', now.w + 'px');
    style('height', now.h + 'px');
    for (const [name, value] of Object.entries(update(now, { ...context, node })))
      setAttribute(node, 'data-' + name, value);
  } };
}

export class Drawing {
  #heads;
  #lanes;
  #links = svg('svg', { class: 'map-links', 'aria-hidden': 'true', focusable: 'false' });
  /* Lit ones lie above the others. */
  #layers = ['quiet', 'lit'].map((name) => svg('g', { class: 'map-' + name }));
  #boxes = new Map();
  #paths = new Map();
  #planeStyle;
  #headStyles;
  #litStyle;
  #current = null;
  node;
  plane;

  constructor() {
    this.#heads = HEADS.map((words) => el('div', { class: 'map-head', 'aria-hidden': 'true' },
      ...words.map((text) => el('span', {}, text))));
    this.#heads.forEach((head, i) => head.classList.add('map-head-' + i));
    this.#lanes = LANE_NAMES.map((name) => el('div', { role: 'group', 'aria-label': name }));
    this.#links.append(...this.#layers);
    this.plane = el('div', { class: 'map-plane' }, this.#links, ...this.#lanes);
    this.node = el('div', { class: 'map-lanes' }, el('div', { class: 'map-heads' }, ...this.#heads),
      this.plane);
    this.#planeStyle = styler(this.plane);
    this.#headStyles = this.#heads.map(styler);
    /* On the layer alone: what is set further up concerns every box. */
    this.#litStyle = styler(this.#layers[1]);
  }

  /* lit: Set of keys of links and boxes, litColor: of these links; hot: key of the
   * core to emphasise or null, isHottest: whether it is to be called so; current: see
   * #setCurrent. */
  update(layout, { lit, litColor, hot, isHottest, current }) {
    this.#planeStyle('height', layout.height + 'px');
    for (const [i, { x, width }] of layout.lanes.entries()) {
      this.#headStyles[i]('left', x + 'px');
      this.#headStyles[i]('width', width + 'px');
    }
    setAttribute(this.node, 'data-size', layout.size.pitch < 30 ? 'dense' : 'normal');
    setAttribute(this.node, 'data-tight', layout.width < TIGHT ? '' : null);
    setAttribute(this.#links, 'width', String(layout.width));
    setAttribute(this.#links, 'height', String(layout.height));
    this.#updateBoxes(layout, { hot, isHottest });
    this.#updateLinks(layout);
    this.#light(lit);
    this.#litStyle('stroke', litColor);
    this.#setCurrent(current);
  }

  #updateBoxes(layout, context) {
    const byLane = this.#lanes.map(() => []);
    for (const box of layout.boxes.values()) {
      let own = this.#boxes.get(box.key);
      if (own === undefined || own.kind !== box.kind) {
        own = makeBox(box);
        this.#boxes.set(box.key, own);
      }
      own.update(box, context);
      byLane[box.lane].push([box.y, own.node]);
    }
    for (const key of this.#boxes.keys()) {
      if (!layout.boxes.has(key))
        this.#boxes.delete(key);
    }
    for (const [i, list] of byLane.entries())
      setChildren(this.#lanes[i], list.sort((a, b) => a[0] - b[0]).map(([, node]) => node));
  }

  #updateLinks(layout) {
    const seen = new Set();
    for (const one of layout.links) {
      seen.add(one.key);
      let own = this.#paths.get(one.key);
      if (own === undefined) {
        own = { node: svg('path', { class: 'map-link' }), d: '', width: 0, state: '' };
        own.node.dataset.kind = one.kind;
        own.node.dataset.key = one.key;
        this.#paths.set(one.key, own);
        this.#layers[0].append(own.node);
      }
      if (own.d !== one.d)
        own.node.setAttribute('d', own.d = one.d);
      if (own.width !== one.width)
        own.node.setAttribute('stroke-width', own.width = one.width);
      if (own.state !== one.state)
        own.node.dataset.state = own.state = one.state;
    }
    for (const [key, own] of this.#paths) {
      if (seen.has(key))
        continue;
      own.node.remove();
      this.#paths.delete(key);
    }
  }

  /* Only what changes sides is touched. */
  #light(lit) {
    for (const [key, own] of this.#paths) {
      const isLit = lit.has(key);
      if (isLit === (own.node.parentNode === this.#layers[1]))
        continue;
      this.#layers[isLit ? 1 : 0].append(own.node);
    }
    for (const [key, own] of this.#boxes) {
      if (lit.has(key) !== Boolean(own.isLit)) {
        own.isLit = lit.has(key);
        setAttribute(own.node, 'data-lit', own.isLit ? '' : null);
      }
    }
    setAttribute(this.node, 'data-any-lit', lit.size > 0 ? '' : null);
  }

  /* The one box that the tab key reaches, and whether it is held. */
  #setCurrent({ key, isPinned }) {
    const own = this.#boxes.get(key);
    const node = own === undefined || own.kind === 'note' ? null : own.node;
    if (node !== this.#current) {
      this.#current?.setAttribute('tabindex', '-1');
      this.#current?.removeAttribute('data-pinned');
      node?.setAttribute('tabindex', '0');
      this.#current = node;
    }
    if (node !== null)
      setAttribute(node, 'data-pinned', isPinned ? '' : null);
  }

  focus(key) {
    this.#boxes.get(key)?.node.focus();
  }
}
