/* SPDX-License-Identifier: ISC */
/*
 * The map panel: interfaces, queues, interrupt lines and cores as lanes, or a
 * list of cores where there is no room for lanes. What is pointed at, focused or
 * pressed is lit with its ways and read out; else the hottest core is, with all
 * that feeds it.
 */

import { el, setAttribute, setHidden, setText } from '../dom.js';
import { legend, readingPanel } from '../map/beside.js';
import { Memory } from '../map/choose.js';
import { Drawing } from '../map/draw.js';
import { makeGraph } from '../map/graph.js';
import { arrange } from '../map/layout.js';
import { CoreList } from '../map/list.js';
import { neighbour, pathsOf } from '../map/ways.js';
import { hotCore, reading, summaryText } from '../map/words.js';
import { heatLevel, onPaletteChange, palette } from '../palette.js';

/* CSS pixels a line of lanes needs. */
const LANES_FROM = 620;
/* From this load the lines to a core have its colour: below, it is as pale as
 * theirs. */
const COLORED_FROM = 0.5;

class MapPanel {
  #drawing = new Drawing();
  #list = new CoreList();
  #legend = legend();
  #reading = readingPanel();
  #summary = el('p', { class: 'map-summary', id: 'map-summary' });
  #empty = el('p', { class: 'muted' });
  #fold = el('button', { type: 'button', class: 'fold', hidden: true });
  #box;
  #memory = new Memory();
  /* What was unfolded: names as in a fold's `folds`, or 'all'. */
  #open = new Set();
  #store = null;
  #graph = null;
  /* null in the form of a list. */
  #layout = null;
  /* Keys of the box under the mouse and of the one pressed or focused. */
  #pointed = null;
  #pinned = null;
  /* Of the panel, told when it changes: asking for it lays the page out. */
  #width = 0;

  constructor(panel) {
    this.#box = el('div', { class: 'map', role: 'group', 'aria-describedby': 'map-summary',
      'aria-label': 'Map of interfaces, queues, interrupts and cores. Arrow keys move from box to '
        + 'box.' }, this.#drawing.node, this.#list.node, this.#fold);
    panel.append(el('div', { class: 'panel-head' },
      el('h2', { id: 'map-title' }, 'Who feeds which core'), this.#legend.node),
    this.#summary, this.#empty, this.#box, this.#reading.node);
    this.#listen();
    new ResizeObserver(([{ contentRect }]) => {
      this.#width = contentRect.width;
      this.#draw();
    }).observe(panel);
    onPaletteChange(() => this.#draw());
  }

  update(store) {
    this.#store = store;
    this.#draw();
  }

  #draw() {
    const width = this.#width;
    if (this.#store === null || width === 0 || !this.#showEmpty())
      return;
    const { map, queues, cores, interfaces, summary } = this.#store;
    this.#graph = makeGraph(map, { queues, cores, interfaces, hottest: summary?.hottest_core },
      this.#graph);
    setText(this.#summary, summaryText(this.#graph));
    const isList = width < LANES_FROM;
    setAttribute(this.#box, 'data-form', isList ? 'list' : 'lanes');
    setHidden(this.#drawing.node, isList);
    setHidden(this.#list.node, !isList);
    setHidden(this.#legend.node, isList);
    const hasMore = isList ? this.#drawList() : this.#drawLanes(width);
    const isOpen = this.#open.size > 0;
    setHidden(this.#fold, !hasMore && !isOpen);
    setText(this.#fold, isOpen ? 'Show less' : 'Show all');
    setAttribute(this.#fold, 'aria-expanded', String(isOpen));
    const read = this.#find(this.#selected());
    this.#reading.update(read === null ? null : reading(read, this.#graph),
      this.#box.dataset.form);
  }

  /* Whether there is something to draw; says so if not. */
  #showEmpty() {
    const { map, mapProblem } = this.#store;
    const isThere = map?.cores?.length > 0 && map.devices?.length > 0;
    for (const node of [this.#box, this.#reading.node, this.#summary, this.#legend.node])
      setHidden(node, !isThere);
    setHidden(this.#empty, isThere);
    setText(this.#empty, emptyText(map, mapProblem));
    return isThere;
  }

  #drawList() {
    this.#layout = null;
    const hot = hotCore(this.#graph)?.key ?? null;
    return this.#list.update(this.#graph, { hot, pinned: this.#pinned, open: this.#open,
      memory: this.#memory, now: performance.now() });
  }

  #drawLanes(width) {
    this.#layout = arrange(this.#graph, { width, open: this.#open, memory: this.#memory,
      now: performance.now(), selected: this.#pointed ?? this.#pinned });
    this.#legend.update(this.#layout);
    this.#drawing.update(this.#layout, this.#light());
    return this.#layout.isFolded;
  }

  /* What stands out: the ways of the selected box, else those to the hot core. */
  #light() {
    const { boxes, links } = this.#layout;
    const core = hotCore(this.#graph);
    const hot = core !== null && boxes.has(core.key) ? core.key : null;
    const selected = this.#selected();
    const chosen = selected ?? hot;
    const isHotColor = chosen !== null && chosen === hot && core.packet_load >= COLORED_FROM;
    return {
      hot,
      isHottest: !this.#graph.isTie,
      lit: chosen === null ? new Set() : pathsOf(links, chosen, selected !== null),
      litColor: isHotColor ? palette().heat[heatLevel(core.packet_load)] : 'var(--map-flow-lit)',
      current: { key: boxes.has(this.#pinned) ? this.#pinned : hot ?? firstKey(boxes),
        isPinned: this.#pinned !== null },
    };
  }

  #selected() {
    return [this.#pointed, this.#pinned].find((key) => this.#find(key) !== null) ?? null;
  }

  /* The box of a key, or what it would be; null: there is none. */
  #find(key) {
    if (key === null || this.#graph === null)
      return null;
    return this.#layout !== null ? this.#layout.boxes.get(key) ?? null : inList(this.#graph, key);
  }

  /* Dashed curves come with a selection, so all is laid out again. */
  #select(pointed, pinned) {
    if (pointed === this.#pointed && pinned === this.#pinned)
      return;
    this.#pointed = pointed;
    this.#pinned = pinned;
    this.#draw();
  }

  #listen() {
    const on = (name, f) => this.#box.addEventListener(name, f);
    on('pointerover', (event) =>
      this.#select(event.pointerType === 'mouse' ? keyAt(event) : null, this.#pinned));
    on('pointerleave', () => this.#select(null, this.#pinned));
    on('focusin', (event) => {
      if (keyAt(event) !== null && event.target.matches(':focus-visible'))
        this.#select(this.#pointed, keyAt(event));
    });
    on('focusout', (event) => {
      if (!this.#box.contains(event.relatedTarget) && document.hasFocus())
        this.#select(this.#pointed, null);
    });
    on('click', (event) => this.#click(event));
    on('keydown', (event) => this.#key(event));
  }

  #click(event) {
    const key = keyAt(event);
    const isByKey = event.detail === 0;
    const box = this.#layout?.boxes.get(key);
    if (event.target === this.#fold) {
      const isOpen = this.#open.size > 0;
      this.#open.clear();
      if (!isOpen)
        this.#open.add('all');
      this.#draw();
    } else if (box?.folds) {
      this.#open.add(box.folds);
      this.#select(null, null);
      this.#draw();
      if (isByKey)
        this.#drawing.focus(box.item[0].key);
    } else {
      this.#select(this.#pointed, key === this.#pinned && !isByKey ? null : key);
    }
  }

  #key(event) {
    if (event.key === 'Escape') {
      this.#select(null, null);
      return;
    }
    const next = this.#layout === null ? null : neighbour(this.#layout, keyAt(event), event.key);
    if (next === null)
      return;
    event.preventDefault();
    this.#drawing.focus(next);
  }
}

function keyAt(event) {
  return event.target.closest?.('[data-key]')?.dataset.key ?? null;
}

function emptyText(map, problem) {
  if (map !== null)
    return 'No network interface but the loopback is there.';
  return problem === null ? 'Waiting for the map.' : 'The map is not available: ' + problem + '.';
}

/* The list has no boxes: what is read is found in the graph. */
function inList({ cores, devices }, key) {
  const is = (thing) => thing.key === key;
  for (const [kind, list] of [['core', cores], ['device', devices],
    ['row', devices.flatMap((d) => d.rows)]]) {
    const item = list.find(is);
    if (item !== undefined)
      return { kind, item };
  }
  return null;
}

function firstKey(boxes) {
  return [...boxes.values()].find((box) => box.kind !== 'note')?.key ?? null;
}

export function mapView(panel) {
  const map = new MapPanel(panel);
  return (store) => map.update(store);
}
