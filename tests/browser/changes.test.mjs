/* SPDX-License-Identifier: ISC */
/*
 * The page of changes as Chromium shows it: of a router that is not at hand
 * (maps.mjs), whose core 3 had all the packet work until its interrupts were moved,
 * and of this machine.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as maps from './maps.mjs';
import { api, close as closeAll, open, openMap, openPage, until } from './support.mjs';

before(open);
after(closeAll);

const ROOT = '#page-changes';
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u2192', '->')
  .replace(/\s+/g, ' ').trim();
const row = (page, i) => page.locator(`${ROOT} .moment`).nth(i);
const textOf = async (locator) => plain(await locator.innerText());
const rows = (page) => page.locator(`${ROOT} .moment`).count();

/* n changes of eth0, a quarter of an hour apart, the newest `ago` ms old. */
const pastChanges = (n, ago = 900000) => Array.from({ length: n }, (_, i) => ({
  id: n - i, at_ms: Date.now() - ago - i * 900000, kind: 'ring_rx',
  subject: { kind: 'interface', device: i % 2 === 0 ? 'eth0' : 'eth1' },
  old: String(512 + i), new: String(513 + i) }));

/* What /api/v1/series says of a moment: core 3 at 97 % before and 55 % after,
 * 540 and 570 Mbit/s. */
function seriesOf(url, atMs, { tier = 'raw', resolution_ms = 1000 } = {}) {
  const [from, to] = ['after', 'before'].map((name) => 1000 * Number(url.searchParams.get(name)));
  const time_ms = [];
  for (let t = Math.ceil((from + 1) / 1000) * 1000; t <= to; t += resolution_ms)
    time_ms.push(t);
  const values = (old, now) => time_ms.map((t) => t <= atMs ? old : now);
  const nic = (old, now) => ['rx', 'tx'].map((direction) =>
    ({ labels: { device: 'eth0', direction }, values: values(old, now) }));
  const series = {
    core_packet_load_ratio: () => [0, 1, 2, 3].map((cpu) =>
      ({ labels: { cpu: String(cpu) },
        values: cpu === 3 ? values(0.97, 0.55) : values(0.02, 0.1) })),
    interface_bytes: () => nic(540e6 / 8, 570e6 / 8),
    interface_packets: () => nic(45000, 47500),
  }[url.searchParams.get('metric')]();
  return { tier, resolution_ms, time_ms, series };
}

/* The page at an address. broken: what is refused; tier: the finest that is kept. */
async function openChanges(changes, hash = '#changes',
  { broken = new Set(), tier = {}, map = maps.piled(), ...options } = {}) {
  const opened = await openMap(map, options);
  const { page } = opened;
  const asked = { changes: [], series: [] };
  const machine = { changes };
  const refuse = (route) => route.fulfill({ status: 503, json: { detail: 'try again' } });
  await page.route('**/api/v1/changes*', (route) => {
    const { searchParams } = new URL(route.request().url());
    asked.changes.push(searchParams);
    if (broken.has('changes'))
      return refuse(route);
    const [from, to] = ['after', 'before'].map((name) => searchParams.get(name));
    return route.fulfill({ json: machine.changes.filter((c) =>
      ['device'].every((n) => !searchParams.has(n) || c.subject.device === searchParams.get(n))
      && (from === null || c.at_ms > from * 1000) && (to === null || c.at_ms <= to * 1000))
      .slice(0, Number(searchParams.get('limit') ?? 200)) });
  });
  await page.route('**/api/v1/series?*', (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.get('after').startsWith('-'))
      return route.fulfill({ json: { time_ms: [], series: [] } });
    asked.series.push(url.searchParams);
    if (broken.has('series'))
      return refuse(route);
    /* The moment lies in the middle of what is asked for. */
    const [from, to] = ['after', 'before'].map((n) => 1000 * Number(url.searchParams.get(n)));
    return route.fulfill({ json: seriesOf(url, (from + to) / 2, tier) });
  });
  await page.goto(page.url().replace(/#.*$/, '') + hash);
  await page.reload();
  if (hash.startsWith('#changes'))
    await page.waitForSelector(`${ROOT} h2`);
  await until('the stream', () => page.evaluate(() => typeof window.say === 'function'));
  await opened.say('tick', maps.tickOf(map));
  return { ...opened, asked, machine, tick: (at) => opened.say('tick', maps.tickOf(map, at)) };
}

const measured = (page, i) => until('figures of row ' + i, async () =>
  await row(page, i).locator('.effect-value').count() > 0);

describe('changes', () => {
  test('each moment has what was set, and before and after', async () => {
    const { page, asked, complaints, close, tick } = await openChanges(pastChanges(2));
    await until('two rows', async () => await rows(page) === 2);
    await measured(page, 0);
    await measured(page, 1);
    const text = await textOf(row(page, 0));
    assert.match(text, /eth0: receive ring 512 descriptors -> became 513 descriptors/);
    assert.match(text, /Hottest core 97 % -> 55 % core 3/);
    assert.match(text, /Throughput in 540 -> 570 Mbit\/s/);
    assert.match(text, /Packets per CPU second \d/);
    assert.doesNotMatch(text, /caus|because|thanks/i);
    assert.equal(await row(page, 0).locator('svg .trace-moment').count(), 1);
    assert.match(await row(page, 0).getByRole('link').getAttribute('href'),
      /^#history\?from=\d+&to=\d+&chart=core_packet_load_ratio&chart=interface_bytes$/);
    const n = asked.series.length;
    assert.equal(n, 6, 'three questions for each moment');
    await tick();
    await tick(Date.now() + 1000);
    assert.equal(asked.series.length, n, 'none is asked twice');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('what is too recent says when, and is measured then', async () => {
    const { page, asked, close, say, tick, machine } = await openChanges(pastChanges(1));
    await measured(page, 0);
    const before = asked.series.length;
    const at = Date.now();
    const change = { id: 77, at_ms: at, kind: 'rps_cpus', old: 'none', new: '0-3',
      subject: { kind: 'queue', device: 'eth1', queue: 0, direction: 'rx' } };
    machine.changes = [change, ...machine.changes];
    await say('change', change);
    await until('the new row', async () => await rows(page) === 2);
    await until('the time it takes', async () =>
      /Before and after: in \d+ s/.test(await textOf(row(page, 0))));
    assert.equal(asked.series.length, before, 'nothing is asked for too early');
    await tick(at + 40000);
    await until('less time', async () => /in 2\d s/.test(await textOf(row(page, 0))));
    await tick(at + 68000);
    await measured(page, 0);
    assert.match(await textOf(row(page, 0)), /eth1 rx 0: packets handed to cores \(RPS\)/);
    await close();
  });

  test('other changes in the time compared are told', async () => {
    const list = pastChanges(1);
    list.unshift({ ...list[0], id: 90, at_ms: list[0].at_ms + 30000, kind: 'mtu' });
    const { page, close } = await openChanges(list, '#changes?device=eth0');
    await measured(page, 1);
    assert.match(await textOf(row(page, 1)), /Together with 1 other change in the time compared/);
    assert.match(await textOf(row(page, 0)), /Together with 1 other change in the time compared/);
    await close();
  });

  test('without samples of then, minutes tell it; hours are too coarse', async () => {
    const minutes = await openChanges(pastChanges(1), '#changes',
      { tier: { tier: 'minute', resolution_ms: 60000 } });
    await measured(minutes.page, 0);
    assert.match(await textOf(row(minutes.page, 0)),
      /Hottest core 97 % -> 55 %.*Means of five minutes each, of values 60 s apart/);
    assert.deepEqual(minutes.asked.series.map((q) => q.get('tier')),
      [null, null, null, 'minute', 'minute', 'minute']);
    await minutes.close();
    const hours = await openChanges(pastChanges(1), '#changes',
      { tier: { tier: 'hour', resolution_ms: 3600000 } });
    await until('the words', async () =>
      /Only means of hours are kept/.test(await textOf(row(hours.page, 0))));
    await hours.close();
  });

  test('device and setting are in the address', async () => {
    const { page, asked, close } = await openChanges(pastChanges(4), '#changes?device=eth1');
    await until('rows of eth1', async () => await rows(page) === 2);
    assert.equal(await page.getByLabel('Device').inputValue(), 'eth1');
    await page.getByLabel('Device').selectOption('');
    await until('all rows', async () => await rows(page) === 4);
    assert.equal(new URL(page.url()).hash, '#changes');
    await page.getByLabel('Setting').selectOption('ring_rx');
    await until('the setting asked for', () => asked.changes.at(-1).get('kind') === 'ring_rx');
    assert.equal(new URL(page.url()).hash, '#changes?kind=ring_rx');
    await close();
  });

  test('nothing that passes is no dead end', async () => {
    const { page, close } = await openChanges(pastChanges(2), '#changes?device=nosuch');
    await until('the words', async () => /None of these/.test(await textOf(page.locator(ROOT))));
    await page.getByRole('button', { name: 'Show all changes' }).click();
    await until('all rows', async () => await rows(page) === 2);
    await close();
  });

  test('of a moment with more changes than come at once all can be reached', async () => {
    const at = Date.now() - 3600000;
    const queues = Array.from({ length: 128 }, (_, i) => ({ id: 200 - i, at_ms: at,
      kind: 'xps_cpus', subject: { device: 'eth' + i, queue: 0, direction: 'tx' }, old: 'none',
      new: '1' }));
    const first = { id: 1, at_ms: at - 600000, kind: 'mtu', subject: { device: 'eth0' },
      old: '1500', new: '9000' };
    const { page, close } = await openChanges([...queues, first]);
    await until('the moment', async () => await rows(page) === 1);
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await until('the one before it', async () => await rows(page) === 2);
    assert.equal(await page.getByRole('button', { name: 'Show older ones' }).isVisible(), false);
    await close();
  });

  test('only moments on the screen are asked for; older changes on request', async () => {
    const { page, asked, close } = await openChanges(pastChanges(120));
    await until('the newest hundred', async () => await rows(page) === 100);
    await measured(page, 0);
    assert.ok(asked.series.length < 3 * 40, `${asked.series.length} questions`);
    assert.equal(await row(page, 99).locator('.effect-value').count(), 0);
    /* Notes that come move what is below them. */
    await until('figures of the last row', async () => {
      await row(page, 99).scrollIntoViewIfNeeded();
      return await row(page, 99).locator('.effect-value').count() > 0;
    });
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await until('all of them', async () => await rows(page) === 120);
    assert.equal(await page.getByRole('button', { name: 'Show older ones' }).isVisible(), false);
    await close();
  });

  test('a refusal is said where it is', async () => {
    const list = await openChanges([], '#changes', { broken: new Set(['changes']) });
    await until('the words', async () =>
      /could not be fetched: try again/.test(await textOf(list.page.locator(ROOT))));
    await list.close();
    const effect = await openChanges(pastChanges(1), '#changes', { broken: new Set(['series']) });
    await until('the words', async () =>
      /Before and after could not be fetched: try again/.test(await textOf(row(effect.page, 0))));
    await effect.close();
  });

  test('what could not be fetched is there when the daemon is back', async () => {
    const broken = new Set(['series']);
    const { page, say, close } = await openChanges(pastChanges(1), '#changes', { broken });
    await until('the words', async () => /could not be fetched/.test(await textOf(row(page, 0))));
    /* Time alone would bring it, too. */
    await page.evaluate(() => {
      const at = performance.now();
      performance.now = () => at;
    });
    broken.clear();
    await say('error', null);
    await until('the loss', async () =>
      await page.locator('#link').getAttribute('data-link') === 'lost');
    await say('open', null);
    await measured(page, 0);
    await close();
  });

  test('throughput is of the interfaces the daemon counts', async () => {
    const map = maps.mixed();
    /* Whatever its kind. */
    map.devices.find((d) => d.device === 'usb0').counted = false;
    const { page, asked, close } = await openChanges(pastChanges(1), '#changes', { map });
    await measured(page, 0);
    const traffic = asked.series.filter((q) => q.get('metric').startsWith('interface_'));
    assert.deepEqual(traffic[0].getAll('device'), ['eth0', 'eth1', 'wan', 'eth9']);
    await close();
    /* And it says of each whether it does. */
    const { devices } = await api('map');
    assert.ok(devices.length > 0 && devices.every((d) => typeof d.counted === 'boolean'));
  });

  test('without any change it says what is looked at', async () => {
    const { page, close } = await openChanges([]);
    await until('the words', async () => /None seen: affinity/.test(
      await textOf(page.locator(ROOT))));
    await close();
  });

  test('it is reached with the keyboard and fits a phone', async () => {
    const { page, complaints, close } = await openChanges(pastChanges(3), '#now',
      { viewport: { width: 360, height: 800 } });
    await page.locator('#pages a[href="#changes"]').focus();
    await page.keyboard.press('Enter');
    await measured(page, 0);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Changes');
    const [width, room] = await page.evaluate(() =>
      [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(width <= room, `${width} px in a window of ${room}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('this machine: the list of the API', async () => {
    const { page, complaints, close } = await openPage();
    await page.locator('#pages a[href="#changes"]').click();
    await page.waitForSelector(`${ROOT} h2`);
    const list = await api('changes?limit=100');
    await until('its list', async () => list.length > 0 ? await rows(page) > 0
      : /None seen/.test(await textOf(page.locator(ROOT))));
    assert.deepEqual(complaints, []);
    await close();
  });
});
