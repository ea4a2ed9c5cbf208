/* SPDX-License-Identifier: ISC */
/* Asks for what is stored, follows the stream, and repaints what that concerns. */

import { get } from './api.js';
import { FIRST_SPAN_MS, SPANS, askLoad } from './load.js';
import * as now from './now/page.js';
import { verdictView } from './now/verdict.js';
import { Pages } from './pages.js';
import { Store } from './store.js';
import { Stream } from './stream.js';

const HEALTH_MS = 30000;
const FINDINGS_MS = 15000;
/* Structure and settings; the figures come with each tick. */
const MAP_MS = 10000;
/* Many settings may change at once. */
const CHANGE_MS = 500;
/* Missed ticks must not become a request each. */
const FILL_MS = 10000;
/* Without a stream. */
const FULL_MS = 5000;
/* A page nobody looks at gives its stream back. */
const HIDDEN_MS = 30000;
const TRAFFIC_MAX = 32;
/* Past findings in the heatmap. */
const PAST_S = SPANS.at(-1) + 60;
/* A sparkline is not wider. */
const TRAFFIC_POINTS = '60';

const store = new Store();
store.loadSpanMs = FIRST_SPAN_MS;
const verdict = verdictView(document);
const VERDICT_ON = ['tick', 'connection', 'findings'];

const pages = new Pages(now, { store, repaint, ask });

/* Animation frames do not come while the page is hidden. */
let isFrameAsked = false;
function repaint() {
  if (isFrameAsked)
    return;
  isFrameAsked = true;
  requestAnimationFrame(() => {
    isFrameAsked = false;
    const changed = store.takeChanges();
    if (VERDICT_ON.some((name) => changed.has(name)))
      verdict(store);
    pages.update(store, changed);
  });
}

const ATTEMPTS = {
  now: async () => {
    const [summary, cores, interfaces] =
      await Promise.all(['summary', 'cores', 'interfaces'].map((path) => get(path)));
    /* A tick of the stream may have been quicker. */
    if (store.sampledMs === null || !(summary.sampled_at_ms <= store.sampledMs))
      store.applyTick({ summary, cores, interfaces });
  },
  load: async () => {
    let spanMs;
    do {
      spanMs = store.loadSpanMs;
      store.applyLoadHistory(await askLoad(spanMs));
      /* More may have been asked for meanwhile. */
    } while (spanMs < store.loadSpanMs);
  },
  traffic: async () => {
    const devices = store.interfaces.filter((i) => i.up !== false).map((i) => i.device);
    /* Hundreds of tunnels are not worth it: they draw from the stream alone. */
    if (devices.length > 0 && devices.length <= TRAFFIC_MAX) {
      store.applyTrafficHistory(await get('series',
        { metric: 'interface_bytes', device: devices, after: '-300', points: TRAFFIC_POINTS }));
    }
  },
  map: async () => store.applyMap(await get('map')),
  changes: async () => {
    const known = store.changes;
    store.applyChanges(await get('changes'), known);
  },
  findings: async () => {
    const known = store.findings;
    store.applyFindings(await get('findings', { state: 'all', after: String(-PAST_S) }), known);
  },
  active: async () => {
    const known = store.findings;
    /* One that is no longer there was cleared unheard: when, the store knows. */
    if (!store.applyActive(await get('findings'), known))
      ask('findings');
  },
  health: async () => store.applyHealth(await get('health')),
  /* Whether it would be opened. */
  stream: () => get('stream', {}, 'HEAD'),
};

/* Told when an attempt failed. */
const REFUSALS = {
  load: (reason) => store.refuseLoad(reason),
  map: (reason) => store.refuseMap(reason),
  changes: (reason) => store.refuseChanges(reason),
  stream: (reason, status) => {
    if (status !== 503 || store.connection !== 'lost')
      return;
    store.setConnection('full');
    stream.postpone();
  },
};

const asked = new Map();

/* Each by itself: one that fails leaves the others. Never the same twice at a time. */
async function ask(...names) {
  await Promise.all(names.map(async (name) => {
    if (asked.get(name)?.isRunning)
      return;
    asked.set(name, { isRunning: true, at: performance.now() });
    try {
      await ATTEMPTS[name]();
    } catch (error) {
      if (error.status === 401 || error.status === 403)
        store.setConnection('refused', { status: error.status, message: error.message });
      REFUSALS[name]?.(error.message, error.status);
    } finally {
      asked.get(name).isRunning = false;
      repaint();
    }
  }));
}

function askAll() {
  ask('load', 'findings', 'map', 'changes', 'health');
  ask('now').then(() => ask('traffic'));
}

function askIfOlder(name, ms) {
  if (performance.now() - (asked.get(name)?.at ?? -Infinity) >= ms)
    ask(name);
}

const HANDLERS = {
  tick: (data) => {
    const isWhole = store.applyTick(data);
    if (store.connection !== 'live')
      store.setConnection('live');
    if (!isWhole) {
      askIfOlder('load', FILL_MS);
      askIfOlder('traffic', FILL_MS);
    }
    if (!document.hidden)
      askIfOlder('map', MAP_MS);
    if (store.active.length > 0 || data.summary.findings_active !== store.active.length)
      askIfOlder('active', FINDINGS_MS);
  },
  finding: (data) => store.applyFinding(data.finding),
  change: (data) => {
    store.applyChange(data);
    askIfOlder('map', CHANGE_MS);
  },
  gap: () => ask('load', 'traffic', 'findings', 'changes'),
};

let hasBeenLost = false;
const stream = new Stream({
  onOpen: () => {
    store.setConnection('live');
    if (hasBeenLost)
      askAll();
    hasBeenLost = false;
    pages.heal();
    repaint();
  },
  onLost: (isRefused) => {
    hasBeenLost = true;
    if (store.connection !== 'refused')
      store.setConnection('lost');
    /* The stream does not say why; plain requests do. */
    if (isRefused)
      ask('now', 'stream');
    repaint();
  },
  onEvent: (name, data) => {
    HANDLERS[name](data);
    repaint();
  },
});

function start() {
  stream.open();
  askAll();
}

let hiddenTimer = 0;
function followSight() {
  clearTimeout(hiddenTimer);
  if (document.hidden) {
    hiddenTimer = setTimeout(() => {
      stream.close();
      store.setConnection('paused');
    }, HIDDEN_MS);
    return;
  }
  if (!stream.isWanted) {
    store.setConnection('connecting');
    start();
  }
  repaint();
}
document.addEventListener('visibilitychange', followSight);

setInterval(() => {
  if (document.hidden)
    return;
  stream.watch(Math.max(15000, 4 * store.intervalMs));
  askIfOlder('health', HEALTH_MS);
  if (store.connection === 'full')
    askIfOlder('now', FULL_MS);
  if (store.isStale) {
    store.setConnection(store.connection, store.problem);
    repaint();
  }
}, 1000);

pages.follow();
start();
/* A tab that is opened in the background is told of no change. */
followSight();
