/* SPDX-License-Identifier: ISC */
/*
 * The map on a narrow screen: each core with what feeds it, the hottest first,
 * then the interfaces that no interrupt line serves.
 */

import { el, keyedRows, setAttribute, setHidden, setStyle, setText } from '../dom.js';
import { isKnown, packets, percent } from '../format.js';
import { heatLevel, palette } from '../palette.js';
import { sortCores } from './choose.js';
import { feedsOf } from './feeds.js';
import { lineNote } from './layout.js';
import { clockShort, feedFigure, feedName } from './words.js';

const FEEDS_SHOWN = 6;
const QUIET = 0.05;

function makeFeed() {
  const [name, figure, fill] = ['feed-name', 'feed-figure', 'feed-fill'].map((c) =>
    el('span', { class: 'map-' + c }));
  const button = el('button', { type: 'button', class: 'map-feed',
    'aria-describedby': 'map-reading' }, fill, name, figure);
  const update = (feed, most) => {
    button.dataset.key = feed.row.key;
    setAttribute(button, 'data-steered', feed.isSteered ? '' : null);
    setText(name, feedName(feed));
    setText(figure, feedFigure(feed));
    const share = feed.isSteered || !isKnown(feed.pps) ? 0 : Math.sqrt(feed.pps / most);
    setStyle(fill, 'transform', 'scaleX(' + share.toFixed(3) + ')');
  };
  return { node: el('li', {}, button), update };
}

function makeCore(core) {
  const [name, load, about] = ['name', 'load', 'about'].map((c) =>
    el('span', { class: 'map-' + c }));
  const button = el('button', { type: 'button', class: 'map-core-head',
    'aria-describedby': 'map-reading' }, load, name, about);
  button.dataset.key = core.key;
  const list = el('ul', {});
  const more = el('p', { class: 'muted map-more' });
  const node = el('li', { class: 'map-core-item' }, button, list, more);
  const feedRows = keyedRows(list, (f) => f.row.key + (f.direction ?? '') + f.isSteered, makeFeed);
  const update = ({ core: now, feeds, isHot, isAll, most }) => {
    const colors = palette();
    const level = isKnown(now.packet_load) ? heatLevel(now.packet_load) : null;
    setText(name, 'core ' + now.core);
    setText(load, percent(now.packet_load));
    setText(about, [isHot ? 'hottest' : '', clockShort(now)].filter((t) => t !== '')
      .join(', '));
    setStyle(load, 'background-color', level === null ? '' : colors.heat[level]);
    setStyle(load, 'color', level === null ? '' : colors.heatInk[level]);
    setAttribute(node, 'data-hot', isHot ? '' : null);
    const shown = isAll ? feeds : feeds.slice(0, FEEDS_SHOWN);
    feedRows(shown, most);
    setHidden(more, feeds.length > 0 && feeds.length === shown.length);
    setText(more, feeds.length === 0 ? 'fed by no queue'
      : 'and ' + (feeds.length - shown.length) + ' more');
  };
  return { node, update };
}

function makeSoftware() {
  const name = el('span', { class: 'map-feed-name' });
  const words = el('span', { class: 'muted' });
  const button = el('button', { type: 'button', class: 'map-feed map-plain',
    'aria-describedby': 'map-reading' }, name, words);
  const update = (device) => {
    button.dataset.key = device.key;
    setText(name, device.device);
    setText(words, (isKnown(device.pps) ? packets(device.pps) + ', ' : '') + lineNote(device));
  };
  return { node: el('li', {}, button), update };
}

export class CoreList {
  #cores;
  #software;
  #softwareTitle = el('h3', { class: 'map-software' }, 'Without an interrupt line');
  #idle = el('p', { class: 'muted map-idle' });
  node;

  constructor() {
    const cores = el('ol', { class: 'map-cores' });
    const software = el('ul', {});
    this.#cores = keyedRows(cores, ({ core }) => core.core, makeCore);
    this.#software = keyedRows(software, (device) => device.device, makeSoftware);
    this.node = el('div', { class: 'map-list' }, cores, this.#idle, this.#softwareTitle, software);
  }

  /* Whether there is more than it shows is the answer. */
  update(graph, { hot, pinned, open, memory, now }) {
    const isAll = open.has('all');
    const online = graph.cores.filter((c) => c.online !== false);
    const items = sortCores(online, memory)
      .map((core) => ({ core, feeds: feedsOf(graph, core.core), isAll,
        isHot: core.key === hot && !graph.isTie }));
    const isShown = ({ core, feeds }) => isAll || memory.isAwake('list ' + core.key,
      core.packet_load >= QUIET || feeds.length > 0, now);
    const shown = items.filter(isShown);
    const most = Math.max(1, ...shown.flatMap((i) => i.feeds.map((f) => f.pps ?? 0)));
    this.#cores(shown.map((item) => ({ ...item, most })));
    const nIdle = items.length - shown.length;
    setHidden(this.#idle, nIdle === 0);
    setText(this.#idle, shown.length === 0 ? 'All cores are idle.'
      : nIdle + (nIdle === 1 ? ' other core is idle.' : ' other cores are idle.'));
    const software = graph.devices.filter((d) => lineNote(d) !== null
      && (isAll || d.isPhysical && d.up !== false || memory.isAwake(d.key, d.pps >= 1, now)));
    this.#software(software);
    setHidden(this.#softwareTitle, software.length === 0);
    const nOthers = graph.devices.filter((d) => lineNote(d) !== null).length - software.length;
    for (const button of this.node.querySelectorAll('[data-key]'))
      setAttribute(button, 'data-pinned', button.dataset.key === pinned ? '' : null);
    return nIdle > 0 || nOthers > 0 || shown.some((i) => i.feeds.length > FEEDS_SHOWN);
  }
}
