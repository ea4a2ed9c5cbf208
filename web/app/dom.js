/* SPDX-License-Identifier: ISC */
/*
 * Building and updating elements. Everything shown goes through textContent:
 * device names and messages come from outside. Writes are skipped when nothing
 * changed, so that a tick without news costs no layout.
 */

import { DASH } from './format.js';

/* el('p', { class: 'x', title: 'y' }, 'text', child): attributes by name, a
 * function value is a listener, null and false leave the attribute out. */
export function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function')
      node.addEventListener(name, value);
    else if (value !== null && value !== false)
      node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

/* The text node is kept: a new one for each figure each second is work for the
 * garbage collector. */
export function setText(node, text) {
  const only = node.firstChild;
  if (only !== null && only === node.lastChild && only.nodeType === Node.TEXT_NODE) {
    if (only.data !== text)
      only.data = text;
  } else if (node.textContent !== text) {
    node.textContent = text;
  }
}

/* The text of a figure; null and the dash of format.js are "not known". */
export function setFigure(node, text) {
  const known = text !== null && text !== DASH;
  setText(node, known ? text : DASH);
  setAttribute(node, 'title', known ? null : 'not known');
}

export function setAttribute(node, name, value) {
  if (value === null || value === false)
    node.removeAttribute(name);
  else if (node.getAttribute(name) !== value)
    node.setAttribute(name, value);
}

export function setHidden(node, hidden) {
  if (node.hidden !== hidden)
    node.hidden = hidden;
}

/* A custom property or style by the object model (inline styles are refused by
 * the content-security policy, this is not one). */
export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value)
    node.style.setProperty(name, value);
}

/* Makes the children of parent the given nodes in this order, moving only what
 * is not in place: focus and selection inside survive. */
export function setChildren(parent, nodes) {
  let at = parent.firstChild;
  for (const node of nodes) {
    if (node === at)
      at = at.nextSibling;
    else
      parent.insertBefore(node, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/* Builds the children of node anew only when what they are made of changed: build(data)
 * gives them. An open selection or a focused button survives the rest. */
export function rebuilder(node, build) {
  let made = null;
  return (data) => {
    const key = JSON.stringify(data ?? null);
    if (key === made)
      return;
    made = key;
    setChildren(node, build(data));
  };
}

/* Keeps one row object per key: make(item) builds it, row.node is its element,
 * row.update(item, ...rest) fills it. Rows whose key is gone are dropped. */
export function keyedRows(parent, keyOf, make) {
  const rows = new Map();
  return (items, ...rest) => {
    const nodes = [];
    const seen = new Set();
    for (const item of items) {
      const key = keyOf(item);
      if (seen.has(key))
        continue;
      seen.add(key);
      if (!rows.has(key))
        rows.set(key, make(item));
      const row = rows.get(key);
      row.update(item, ...rest);
      nodes.push(row.node);
    }
    for (const key of rows.keys()) {
      if (!seen.has(key))
        rows.delete(key);
    }
    setChildren(parent, nodes);
  };
}

const SVG = 'http://www.w3.org/2000/svg';

/* One shape a state, so that colour is never the only sign. */
const STATE_SHAPES = {
  ok: ['M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z', 'M7.5 12.4l3.1 3.1 6-6.6'],
  info: ['M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z', 'M12 11v6M12 7v.1'],
  warn: ['M12 2.8L22.3 20.8H1.7z', 'M12 9.5v5M12 17.6v.1'],
  crit: ['M7.9 2h8.2L22 7.9v8.2L16.1 22H7.9L2 16.1V7.9z', 'M12 7v6.4M12 16.9v.1'],
  unknown: ['M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z',
    'M9 9.3c.3-3.6 6-3.5 6 .1 0 2.4-3 2.4-3 4.7M12 17.4v.1'],
};

export function stateIcon(state) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const [i, d] of (STATE_SHAPES[state] ?? STATE_SHAPES.unknown).entries()) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    path.setAttribute('class', i === 0 ? 'icon-shape' : 'icon-sign');
    svg.append(path);
  }
  return svg;
}
