/* SPDX-License-Identifier: ISC */
/*
 * The map's modules that need no page: the graph, where its boxes stand, its
 * words, and the words of settings.
 */

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as maps from './maps.mjs';

const dir = await mkdtemp(join(tmpdir(), 'ringside-map-'));
after(() => rm(dir, { recursive: true }));
await cp(fileURLToPath(new URL('../../web/app', import.meta.url)), dir, { recursive: true });
await writeFile(join(dir, 'package.json'), '{"type":"module"}');
const load = (name) => import(pathToFileURL(join(dir, name)));

const { cpuList, makeGraph } = await load('map/graph.js');
const { Memory, ROWS_MAX, sortCores } = await load('map/choose.js');
const { arrange, widthOf } = await load('map/layout.js');
const { feedsOf } = await load('map/feeds.js');
const { neighbour, pathsOf } = await load('map/ways.js');
const { feedsText, foldText, reading, summaryText } = await load('map/words.js');
const { changedValues, settingValue, settingWords } = await load('settings.js');
const { groupChanges, subjectsText } = await load('changelist.js');
const { ranges } = await load('format.js');
const plain = (text) => text.replaceAll('\u00a0', ' ');

const live = (map, f) => {
  const t = maps.tickOf(map, 1000, f);
  return { queues: t.queues, cores: t.cores, interfaces: t.interfaces,
    hottest: t.summary.hottest_core };
};
const graphOf = (map, before) => makeGraph(map, live(map), before);
const arrangeOf = (graph, o = {}) => arrange(graph, { width: 1224, open: new Set(),
  memory: new Memory(), now: 0, ...o });
const lane = (layout, n) => [...layout.boxes.values()].filter((b) => b.lane === n)
  .sort((a, b) => a.y - b.y);

test('CPU lists are read, and what is none is empty', () => {
  const cases = [['0-3', [0, 1, 2, 3]], ['1,3-4', [1, 3, 4]], ['none', []], ['', []], [null, []],
    [undefined, []], ['7', [7]], ['3-1', []], ['x,2', [2]]];
  for (const [text, cpus] of cases)
    assert.deepEqual(cpuList(text), cpus, String(text));
  assert.equal(cpuList('0-99999').length, 4096);
});

test('runs of numbers are told by their ends', () => {
  for (const [list, text] of [[[0, 1, 2, 3], '0 to 3'], [[1, 0], '0, 1'],
    [[5, 1, 2, 3, 5], '1 to 3, 5'], [[], '']])
    assert.equal(ranges(list), text);
});

test('both directions of a number are one row where one line serves them', () => {
  const [eth0] = graphOf(maps.piled()).devices;
  assert.deepEqual(eth0.rows.map((r) => [r.name, r.irq, r.rx.direction, r.tx.direction]),
    [0, 1, 2, 3].map((i) => [String(i), String(40 + i), 'rx', 'tx']));
  const eth1 = graphOf(maps.mixed()).devices.find((d) => d.device === 'eth1');
  assert.deepEqual(eth1.rows.map((r) => [r.name, r.irq]),
    [['rx 0', '33'], ['tx 0', '34'], ['rx 1', '35'], ['tx 1', '36']]);
});

test('packets go to the cores where interrupts fire, in the same proportion', () => {
  const map = maps.piled();
  Object.assign(map.interrupts[0], { per_core_ps: { 1: 300, 3: 900 } });
  const tick = live(map);
  tick.queues.filter((q) => q.irq === '40').forEach((q) => { q.cores = [1, 3]; });
  const { links, irqs } = makeGraph(map, tick);
  const to = (core) => links.find((l) => l.from === 'i 40' && l.to === 'c ' + core);
  assert.equal(to(1).pps.toFixed(3), (irqs.get('40').pps / 4).toFixed(3));
  assert.equal(to(3).pps.toFixed(3), (irqs.get('40').pps * 3 / 4).toFixed(3));
  assert.equal(to(0), undefined);
});

test('a line that is polled without interrupts keeps its core', () => {
  const map = maps.piled();
  const first = graphOf(map);
  const tick = live(map);
  tick.queues.forEach((q) => { q.cores = []; });
  const silent = structuredClone(map);
  silent.interrupts.forEach((irq) => Object.assign(irq, { per_core_ps: {}, rate_ps: 0,
    effective_affinity: '0-3' }));
  const isFlow = (graph) => graph.links.some((l) => l.from === 'i 40' && l.to === 'c 3'
    && l.state === 'flow');
  assert.ok(isFlow(makeGraph(silent, tick, makeGraph(silent, tick, first))));
  /* Without a word of before only one that may fire nowhere else is known. */
  assert.ok(!isFlow(makeGraph(silent, tick)));
  silent.interrupts[0].effective_affinity = '3';
  assert.ok(isFlow(makeGraph(silent, tick)));
});

test('a thread takes the packets to its own core, the interrupt only wakes it', () => {
  const graph = graphOf(maps.mixed());
  const links = graph.links.filter((l) => l.from === 'i 33');
  assert.deepEqual(links.map((l) => [l.to, l.state]), [['c 2', 'flow'], ['c 0', 'wake']]);
  assert.ok(feedsOf(graph, 2).some((f) => f.row.device.device === 'eth1'));
  assert.ok(!feedsOf(graph, 0).some((f) => f.row.device.device === 'eth1'));
});

test('of several threads that poll an interface none is given the packets', () => {
  const map = maps.piled();
  map.threads = [0, 1].map((core) => ({ tid: core, pid: core, name: 'napi/eth0-' + core,
    class: 'napi', device: 'eth0', core, load: 0.3 }));
  const links = (graph) => graph.links.filter((l) => l.from === 'i 40')
    .map((l) => [l.to, l.pps === null ? null : Math.round(l.pps), l.state]);
  assert.deepEqual(links(graphOf(map)), [['c 0', null, 'unknown'], ['c 1', null, 'unknown'],
    ['c 3', null, 'wake']]);
  map.threads.pop();
  assert.deepEqual(links(graphOf(map)), [['c 0', 12837, 'flow'], ['c 3', null, 'wake']]);
  assert.equal(feedsText(feedsOf(graphOf(map), 3)).includes('eth0'), false);
});

test('what is not counted is at work and no number', () => {
  const graph = graphOf(maps.mixed());
  const wan = graph.devices.find((d) => d.device === 'wan');
  assert.deepEqual(wan.rows.map((r) => [r.pps, r.state]), Array(4).fill([null, 'unknown']));
  const [feed] = feedsOf(graph, 3).filter((f) => f.row.device === wan);
  assert.equal(feed.pps, null);
  assert.equal(feed.ps, 800);
});

test('the only queue of an interface has its packets', () => {
  const eth0 = graphOf(maps.mixed()).devices.find((d) => d.device === 'eth0');
  assert.equal(eth0.rows[0].rx.pps, 48200);
  assert.equal(eth0.rows[0].rx.isOfDevice, true);
});

test('queues without figures, lines and steering of their own are one row', () => {
  const map = maps.makeMap({ loads: [0], devices: [{ device: 'veth0', ifindex: 2, kind: 'veth',
    rx: [null, null, null], tx: [null, null, null], rxPps: 70, txPps: 60, reason: 'x' }] });
  const [{ rows }] = graphOf(map).devices;
  assert.deepEqual(rows.map((r) => [r.name, r.rx.pps, r.tx.pps]), [['all', 70, 60]]);
  map.devices[0].queues[1].settings.rps_cpus = '0';
  assert.equal(graphOf(map).devices[0].rows.length, 3);
});

test('one line for all queues of a device serves each of them', () => {
  const map = maps.piled();
  map.devices[0].queues.forEach((q) => { q.irq = null; });
  map.interrupts = [{ irq: '40', actions: ['eth0'], feeds: [{ device: 'eth0', queue: null,
    direction: null }], rate_ps: 50, per_core_ps: { 2: 50 }, effective_affinity: '2' }];
  const tick = live(map);
  const [eth0] = makeGraph(map, tick).devices;
  assert.deepEqual(eth0.rows.map((r) => r.irq), ['40', '40', '40', '40']);
});

test('the hottest core does not change for a point', () => {
  const map = maps.spread();
  const first = makeGraph(map, { ...live(map), hottest: 2 });
  map.cores[0].packet_load = map.cores[2].packet_load + 0.02;
  const second = makeGraph(map, { ...live(map), hottest: 0 }, first);
  assert.deepEqual([second.hottest.core, second.isTie], [2, true]);
  map.cores[0].packet_load = 0.5;
  const third = makeGraph(map, { ...live(map), hottest: 0 }, second);
  assert.deepEqual([third.hottest.core, third.isTie], [0, false]);
});

test('the ways to a core are those that something goes on', () => {
  const graph = graphOf(maps.piled());
  const lit = pathsOf(graph.links, 'c 3', false);
  for (const key of ['d eth0', 'd eth1', 'q 2 eth1', 'i 48', 'c 3'])
    assert.ok(lit.has(key), key);
  for (const key of ['d eth2', 'i 53', 'c 0'])
    assert.ok(!lit.has(key), key);
  assert.ok(pathsOf(graph.links, 'q 3 eth2', true).has('c 3'), 'pointed at, an idle way is shown');
});

test('the sentence says who feeds the hottest core', () => {
  const told = (map) => plain(summaryText(graphOf(map)));
  assert.equal(told(maps.piled()), 'Core 3, the hottest at 97 %, is fed by eth0 rx 0 to 3 '
    + '(44.2 kpps), eth1 tx 0 to 3 (44.2 kpps), eth0 tx 0 to 3 (7.32 kpps), eth1 rx 0 to 3 '
    + '(7.09 kpps).');
  assert.match(told(maps.mixed()),
    /^Core 0, .* fed by eth0 rx 0 \(48\.2 kpps\), .*wan queue 0 \(800 interrupts\/s\)\.$/);
  assert.match(told(maps.empty()), /^No core is busy/);
  const unknown = maps.piled();
  unknown.cores.forEach((c) => { c.packet_load = null; });
  assert.match(told(unknown), /not known/);
  const fed = maps.piled();
  fed.devices = [];
  fed.interrupts = [];
  assert.match(told(fed), /fed by no queue/);
});

test('RPS is told as such and after what arrives by interrupt', () => {
  const text = plain(feedsText(feedsOf(graphOf(maps.mixed()), 3)));
  assert.match(text, /^eth1 .*wan queue 3 \(800 interrupts\/s\), eth0 rx 0 \(48\.2 kpps by RPS\)/);
});

test('no boxes of a lane overlap, and lines end in boxes', () => {
  for (const name of ['piled', 'spread', 'collapsed', 'mixed', 'big', 'bigBusy']) {
    for (const width of [640, 900, 1224, 1544]) {
      const layout = arrangeOf(graphOf(maps[name]()), { width });
      for (let n = 0; n < 4; n++) {
        const boxes = lane(layout, n);
        for (const [i, box] of boxes.slice(1).entries()) {
          const above = boxes[i];
          /* A note stands close below its rows. */
          const slack = (above.kind === 'note') + (box.kind === 'note') * 4;
          assert.ok(box.y >= above.y + above.h - slack,
            `${name} ${width}: ${above.key} over ${box.key}`);
        }
        for (const box of boxes) {
          assert.ok(box.y >= 0 && box.y + box.h <= layout.height + 1, `${name}: ${box.key} is out`);
          assert.ok(box.x >= 0 && box.x + box.w <= width + 1,
            `${name} ${width}: ${box.key} is wide`);
        }
      }
      for (const one of layout.links) {
        const [from, to] = [layout.boxes.get(one.from), layout.boxes.get(one.to)];
        assert.ok(one.y0 >= from.y && one.y0 <= from.y + from.h, one.key);
        assert.ok(one.y1 >= to.y && one.y1 <= to.y + to.h, one.key);
        assert.match(one.d, /^M[\d.]+ [\d.]+C[\d. ]+$/);
      }
    }
  }
});

test('a big machine folds what is idle, and never shows more than fits', () => {
  const layout = arrangeOf(graphOf(maps.big()));
  assert.deepEqual(lane(layout, 1).map((b) => b.kind === 'fold' ? foldText(b) : b.item.name),
    [1, 9, 17, 25, 33, 41, 49, 57].map(String).concat('+56 idle',
      [1, 9, 17, 25, 33, 41, 49, 57].map(String), '+56 idle'));
  assert.deepEqual(lane(layout, 3).map((b) => b.kind === 'fold' ? foldText(b) : b.item.core),
    [17, 33, 41, 49, 57, '+59 idle']);
  const busy = arrangeOf(graphOf(maps.bigBusy()));
  for (let n = 0; n < 4; n++)
    assert.ok(lane(busy, n).length <= ROWS_MAX, `lane ${n}: ${lane(busy, n).length}`);
  const rows = lane(busy, 1).filter((b) => b.kind === 'fold').reduce((a, b) => a + b.item.length, 0)
    + lane(busy, 1).filter((b) => b.kind === 'row').length;
  assert.equal(rows, 128, 'each queue is in a row or in a fold');
  const all = arrangeOf(graphOf(maps.bigBusy()), { open: new Set(['all']) });
  assert.equal(lane(all, 1).filter((b) => b.item.device.isPhysical).length, 128);
  assert.equal(lane(all, 3).length, 64);
});

test('what is opened shows all of it, however much that is', () => {
  const rowsOf = (layout, device) => lane(layout, 1).filter((b) => b.kind === 'row'
    && b.item.device.device === device).length;
  for (const map of [maps.big(), maps.bigBusy()]) {
    const layout = arrangeOf(graphOf(map), { open: new Set(['rows ens1f1np1']) });
    assert.equal(rowsOf(layout, 'ens1f1np1'), 64);
    assert.ok(rowsOf(layout, 'ens1f0np0') < 64);
  }
  const others = arrangeOf(graphOf(maps.big()), { open: new Set(['others']) });
  assert.equal(lane(others, 0).filter((b) => b.kind === 'device').length, 32);
});

test('an arrow key goes along the widest line, and up and down in the lane', () => {
  const layout = arrangeOf(graphOf(maps.collapsed()));
  const walk = (from, ...arrows) =>
    arrows.reduce((key, arrow) => neighbour(layout, key, arrow), from);
  assert.equal(walk('c 1', 'ArrowLeft'), 'i 41');
  assert.equal(walk('c 1', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'), 'd eth0');
  assert.equal(walk('d eth0', 'ArrowRight', 'ArrowDown'), 'q 2 eth0');
  assert.equal(walk('q 0 eth0', 'ArrowUp'), null);
  assert.equal(walk('q 1 eth0', 'Home'), 'q 0 eth0');
  assert.equal(walk('q 1 eth0', 'End'), 'q 3 eth2');
  assert.equal(walk('f others', 'ArrowRight'), 'q 3 eth2', 'without a line, to what is near');
  assert.equal(neighbour(layout, 'gone', 'ArrowUp'), null);
});

test('hundreds of busy tunnels do not push the map out of sight', () => {
  const map = maps.piled();
  const tunnels = maps.makeMap({ loads: [0], devices: Array.from({ length: 300 }, (_, i) => ({
    device: 'wg' + i, ifindex: 100 + i, kind: 'wireguard', rx: [null], tx: [null], rxPps: 100 + i,
    txPps: 5 })) });
  map.devices.push(...tunnels.devices);
  const layout = arrangeOf(graphOf(map));
  assert.ok(lane(layout, 0).length <= ROWS_MAX, String(lane(layout, 0).length));
  assert.ok(layout.boxes.has('d eth0') && layout.boxes.has('d wg299'));
});

test('queues of a size keep their places from tick to tick', () => {
  const map = maps.bigBusy();
  const memory = new Memory();
  const shown = (f) => lane(arrange(makeGraph(map, live(map, f)), { width: 1224, open: new Set(),
    memory, now: 0 }), 1).map((b) => b.key).join();
  const first = shown();
  let n = 0;
  /* Each queue a little different each time. */
  for (let i = 0; i < 5; i++)
    assert.equal(shown((pps) => pps * (1 + (n++ * 7919 % 100 - 50) / 1000)), first);
});

test('cores are in the order of load and do not jump for a few points', () => {
  const memory = new Memory();
  const sort = (...loads) => {
    const cores = loads.map((packet_load, core) => ({ core, packet_load }));
    return sortCores(cores, memory).map((c) => c.core).join('');
  };
  assert.equal(sort(0.2, 0.9, 0.5), '120');
  assert.equal(sort(0.48, 0.9, 0.45), '120');
  assert.equal(sort(0.7, 0.9, 0.45), '102');
});

test('a line is as wide as the root of its packets, idle ones are hairlines', () => {
  const layout = arrangeOf(graphOf(maps.collapsed()));
  const width = (key) => layout.links.find((l) => l.key === key).width;
  const { reference, size } = layout;
  for (const [part, root] of [[1, 1], [1 / 4, 1 / 2], [1 / 16, 1 / 4]]) {
    const w = widthOf({ kind: 'wire', state: 'flow', pps: part * reference }, size, reference);
    assert.ok(Math.abs(w - root * size.width) < 0.06, `${part}: ${w}`);
  }
  assert.ok(width('wire d eth0 > q 1 eth0') > 5 * width('wire d eth0 > q 0 eth0'));
  assert.equal(width('wire d eth2 > q 3 eth2'), 1);
  const wan = arrangeOf(graphOf(maps.mixed())).links.find((l) => l.from === 'd wan');
  assert.equal(wan.width, 2);
});

test('what has no line or no counters says so in words', () => {
  const notes = [...arrangeOf(graphOf(maps.mixed())).boxes.values()]
    .filter((b) => b.kind === 'note').map((b) => [b.key, b.text]);
  assert.deepEqual(notes, [
    ['n d wan', 'no queue counters: names of its counters are not known'],
    ['w d usb0', 'its interrupt line is not known'],
    ['w d wg0', 'no interrupt: softirq of the sending core'],
    ['w d br-lan', 'packets come through its ports'],
    ['w d veth1', 'no interrupt: softirq of the sending core'],
  ]);
});

test('idle software interfaces and links that are down are folded', () => {
  const layout = arrangeOf(graphOf(maps.mixed()));
  const others = layout.boxes.get('f others');
  assert.deepEqual(others.item.map((d) => d.device), ['veth2', 'eth0.7', 'eth9']);
  assert.match(reading(others).text, /eth9 \(link down\)/);
  const open = arrangeOf(graphOf(maps.mixed()), { open: new Set(['others']) });
  assert.ok(open.boxes.has('d veth2') && !open.boxes.has('f others'));
});

test('XPS is drawn for what is selected, much RPS too', () => {
  const graph = graphOf(maps.piled());
  const dashed = (layout) => layout.links.filter((l) => l.kind !== 'wire').map((l) => l.key);
  assert.deepEqual(dashed(arrangeOf(graph)), []);
  assert.deepEqual(dashed(arrangeOf(graph, { selected: 'q 1 eth0' })), ['xps q 1 eth0 > c 1']);
  assert.equal(dashed(arrangeOf(graphOf(maps.mixed()))).length, 5);
  const wide = maps.big();
  wide.devices[0].queues.forEach((q) => { q.settings.rps_cpus = '0-63'; });
  assert.deepEqual(dashed(arrangeOf(graphOf(wide))), []);
  assert.equal(dashed(arrangeOf(graphOf(wide), { selected: 'q 1 ens1f0np0' }))
    .filter((key) => key.startsWith('rps')).length, 6, 'five cores and the fold of the others');
});

test('a box is read with its settings', () => {
  const graph = graphOf(maps.piled());
  const { boxes } = arrangeOf(graph);
  const read = (key) => {
    const { title, text, facts } = reading(boxes.get(key), graph);
    return plain([title, text, ...facts.map((f) => f.join(' '))].join(' | '));
  };
  assert.match(read('d eth0'),
    /^eth0 \| igb, 1 Gbit\/s, in 44\.2 kpps, .*queues counted by ethtool/);
  assert.match(read('d eth0'),
    /channels 4 of 4 .*receive ring 256 of 4096 .*receive interrupts 3 \u00b5s/);
  assert.match(read('q 0 eth0'),
    /^eth0 queue 0 \| receive 11\.0 kpps, .*25 % of the interface; transmit/);
  assert.match(read('q 0 eth0'), /interrupt 40 on core 3 \| RPS cores none .*XPS cores 0/);
  assert.match(read('i 40'),
    /^Interrupt 40 \| eth0-TxRx-0, .*affinity wanted 3 \| affinity effective 3/);
  assert.match(read('c 3'),
    /^Core 3 \| packet load 97 %, busy 99 %; fed by eth0 .*clock 1\.40 of 1\.40 GHz/);
  const mixed = graphOf(maps.mixed());
  const thread = reading(arrangeOf(mixed).boxes.get('q rx 0 eth1'), mixed).facts;
  assert.ok(thread.some(([label, value]) => label === 'thread'
    && plain(value) === 'napi/eth1-8193 on core 2, 34 %'));
});

test('answers that lack members or are odd draw what there is', () => {
  const odd = [
    {}, { cores: [{ core: 0 }] }, { devices: [{ device: 'a' }], cores: [{ core: 0 }] },
    { devices: [{ device: '__proto__', kind: 'physical', queues: [{ queue: 0, direction: 'rx',
      irq: 'constructor', cores: null, settings: null, thread: {} }] }], cores: [{ core: 0 }],
    interrupts: [{ irq: 'constructor' }], threads: [] },
    { devices: [{ device: 'b', queues: [{ queue: 3, direction: 'rx', irq: '9', settings:
      { rps_cpus: '0-4000000000' } }] }], cores: [{ core: 0 }] },
  ];
  for (const map of odd) {
    const graph = makeGraph(map, {});
    const layout = arrangeOf(graph);
    for (const box of layout.boxes.values()) {
      if (box.kind !== 'note')
        assert.equal(typeof reading(box, graph).text, 'string');
    }
    assert.equal(typeof summaryText(graph), 'string');
    assert.ok(layout.links.every((l) => !l.d.includes('NaN')), JSON.stringify(map));
  }
});

test('every setting the daemon reads has words', async () => {
  const text = await readFile(new URL('../../daemon/model/fact.h', import.meta.url), 'utf8');
  const names = [...text.matchAll(/X\([A-Z_]+, "([a-z_]+)", RS_ON_/g)].map((m) => m[1]);
  assert.ok(names.length > 40, String(names.length));
  const plainNames = ['kernel', 'firmware', 'irqbalance', 'driver', 'duplex', 'offloads'];
  const missing = names.filter((name) => settingWords(name) === name.replaceAll('_', ' ')
    && !plainNames.includes(name));
  assert.deepEqual(missing, []);
  assert.equal(settingWords('new_kind'), 'new kind');
  assert.equal(settingWords('__proto__'), '  proto  ');
});

test('values of settings have their units', () => {
  for (const [kind, value, text] of [['cpu_freq_max_khz', '1400000', '1.40 GHz'],
    ['coalesce_rx_usecs', '3', '3 \u00b5s'], ['ring_rx', '256', '256 descriptors'],
    ['rps_cpus', 'none', 'none'], ['rps_cpus', null, 'not set'], ['offloads', '', 'none'],
    ['speed_mbit', '1000', '1000 Mbit/s'], ['mtu', '1500', '1500']])
    assert.equal(plain(settingValue(kind, value)), text);
});

test('of offloads that changed only those are told', () => {
  assert.deepEqual(changedValues('offloads', 'gso rx tx', 'gro gso tx'),
    ['rx on, gro off', 'rx off, gro on']);
  assert.deepEqual(changedValues('mtu', '1500', '9000'), ['1500', '9000']);
  assert.deepEqual(changedValues('offloads', null, 'gro'), ['not set', 'gro']);
});

test('the same change of many queues at one moment is one', () => {
  const groups = groupChanges(maps.changes(100000000));
  assert.deepEqual(groups.map((g) => [subjectsText(g.subjects), g.change.kind]), [
    ['interrupt 42', 'irq_affinity'], ['eth0 rx 0 to 3', 'rps_cpus'], ['eth0', 'ring_rx'],
    ['eth2', 'carrier'], ['core 1', 'cpu_freq_max_khz'], ['', 'kernel']]);
  const [a] = maps.changes();
  const b = { ...a, id: 99, subject: { kind: 'irq', irq: '43' } };
  assert.equal(subjectsText(groupChanges([a, b])[0].subjects), 'interrupts 42, 43');
  assert.equal(groupChanges([a, { ...b, new: '7' }]).length, 2);
  assert.equal(groupChanges([a, { ...b, at_ms: a.at_ms - 1000 }]).length, 2);
  assert.equal(groupChanges([{ id: 1 }]).length, 1);
  /* A line of the interface that serves no queue. */
  const [q, other] = [{ irq: '43', device: 'eth0', queue: 2 }, { irq: '44', device: 'eth0' }]
    .map((subject) => ({ ...a, subject }));
  assert.deepEqual(groupChanges([q, other]).map((g) => subjectsText(g.subjects)),
    ['eth0 queue 2 interrupt 43', 'eth0 interrupt 44']);
});
