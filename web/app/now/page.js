/* SPDX-License-Identifier: ISC */
/*
 * The first page: what the router does now. Its panels stand in index.html so
 * that they are there before any script. How it is looked at is kept in the address:
 * #now?span=3600&order=number
 *
 * A panel out of sight is not brought up to date with each tick: on a big machine
 * that is most of the work.
 */

import { SPANS, spanOf } from '../load.js';
import { tell } from '../router.js';
import { changesView } from './changes.js';
import { ORDERS, coresView } from './cores.js';
import { findingsView } from './findings.js';
import { heatmapView } from './heatmap.js';
import { instrumentView } from './instrument.js';
import { interfacesView } from './interfaces.js';
import { mapView } from './map.js';

/* A screen reader may read what is not in sight: it is never older than this. */
const UNSEEN_MS = 5000;

export function makePage(root, { store, ask = () => {} }) {
  const panel = (name) => root.querySelector('#' + name);
  /* What is as at the start is left out. */
  const chosen = { span: null, order: null };
  const choose = (name) => (value, first) => {
    chosen[name] = value === first ? null : value;
    tell('now', chosen);
  };
  const reach = (seconds) => {
    if (1000 * seconds <= store.loadSpanMs)
      return;
    store.loadSpanMs = 1000 * seconds;
    ask('load');
  };
  const heatmap = heatmapView(panel('load'), (seconds) => {
    choose('span')(seconds, SPANS[0]);
    reach(seconds);
  });
  const cores = coresView(panel('cores'), (order) => choose('order')(order, ORDERS[0]));
  /* What a panel depends on. */
  const views = [
    { name: 'load', view: (s) => heatmap.update(s),
      on: ['tick', 'history', 'findings', 'connection'] },
    { name: 'map', view: mapView(panel('map')), on: ['tick', 'map'] },
    { name: 'cores', view: cores.render, on: ['tick', 'map', 'connection'] },
    { name: 'interfaces', view: interfacesView(panel('interfaces')),
      on: ['tick', 'history', 'connection'] },
    { name: 'findings', view: findingsView(panel('findings')), on: ['tick', 'findings', 'connection'] },
    { name: 'changes', view: changesView(panel('changes')), on: ['changes'] },
    { name: 'instrument', view: instrumentView(panel('instrument')), on: ['health'] },
  ];
  watchSight(views.map((one) => Object.assign(one, { panel: panel(one.name), isSeen: true,
    isOld: false, at: -Infinity })), (one) => draw(one, store));
  return {
    /* What the address does not say stays as it was. */
    show(parameters) {
      const span = spanOf(parameters);
      if (span !== null) {
        chosen.span = span === SPANS[0] ? null : span;
        heatmap.setSpan(span);
        reach(span);
      }
      const order = parameters.get('order');
      if (ORDERS.includes(order)) {
        chosen.order = order === ORDERS[0] ? null : order;
        cores.setOrder(order);
      }
      if (chosen.span !== null || chosen.order !== null)
        tell('now', chosen);
    },
    hide() {},
    update(changedStore, changed) {
      const isTick = changed.has('tick') && changed.size === 1;
      for (const one of views) {
        if (!one.on.some((name) => changed.has(name)))
          continue;
        one.isOld = isTick && !one.isSeen && performance.now() - one.at < UNSEEN_MS;
        if (!one.isOld)
          draw(one, changedStore);
      }
    },
  };
}

function draw(one, store) {
  one.at = performance.now();
  one.isOld = false;
  one.view(store);
}

/* Keeps isSeen of each; what comes into sight is drawn at once. */
function watchSight(views, drawOld) {
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const one = views.find((v) => v.panel === target);
      one.isSeen = isIntersecting;
      if (one.isSeen && one.isOld)
        drawOld(one);
    }
  });
  for (const one of views)
    observer.observe(one.panel);
}
