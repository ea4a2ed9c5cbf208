#!/usr/bin/env node
/* SPDX-License-Identifier: ISC */
/*
 * The dashboard in Chromium.
 *
 *     bench_page.mjs BUILD_DIR
 *
 * First loads: of a router of four cores and three NICs (page_transfer_kb, until the
 * page is live; page_transfer_64_cores_kb the same of 64 cores and 128 queues), and
 * from the daemon with the history of a year of 64 cores (page_first_heatmap_ms).
 * Then a page that stays open for BENCH_MINUTES (10) at one tick a second of 64
 * cores and 128 queues: page_cpu_ms_per_tick, page_heap_mb.
 *
 * BENCH_PROFILE=FILE.cpuprofile: what that page did, for the browser's own tools.
 * CHROMIUM names the browser; playwright-core is that of tests/browser.
 */

import { execFileSync, spawn } from 'node:child_process';
import { accessSync, chmodSync, chownSync, mkdtempSync, rmSync, statSync,
  writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bigBusy, changes, piled } from '../browser/maps.mjs';
import { openFakeRouter } from './fake_router.mjs';

const { chromium } = createRequire(new URL('../browser/package.json', import.meta.url))(
  'playwright-core');

const BUILD = resolve(process.argv[2] ?? 'build');
const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const LOADS = 21;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const VIEW = { viewport: { width: 1280, height: 900 } };

function emit(name, value, unit) {
  console.log(`bench ${name} ${value.toFixed(2)} ${unit}`);
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function findChromium() {
  const found = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome']
    .filter(Boolean).flatMap((name) => name.includes('/') ? [name]
      : process.env.PATH.split(':').map((folder) => join(folder, name)));
  return found.find((path) => {
    try {
      accessSync(path);
      return true;
    } catch {
      return false;
    }
  });
}

/* --- the daemon, with a year of history ------------------------------------ */

function isNewer(a, b) {
  return statSync(a).mtimeMs > statSync(b, { throwIfNoEntry: false })?.mtimeMs;
}

/* The database is made once; its copy ends now. */
function fillHistory(folder) {
  const program = join(BUILD, 'tests/bench/fill_history');
  const made = join(BUILD, 'bench-history.db');
  if (isNewer(program, made))
    rmSync(made);
  const db = join(folder, 'history.db');
  execFileSync(program, [made, db], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (process.getuid() === 0) { /* the daemon becomes nobody */
    const nobody = Number(execFileSync('id', ['-u', 'nobody']));
    for (const path of [folder, db])
      chownSync(path, nobody, nobody);
  }
  return db;
}

async function startDaemon(folder) {
  const config = join(folder, 'ringside.conf');
  writeFileSync(config, '');
  chmodSync(folder, 0o755);
  const child = spawn(join(BUILD, 'ringsided'), ['-f', '-c', config, '--db', fillHistory(folder),
    '--head', 'none', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => { log += text; });
  for (let i = 0; i < 300; i++) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(log)?.[1];
    const answer = port && await fetch(`http://127.0.0.1:${port}/api/v1/summary`).catch(() => null);
    if (answer && (await answer.json()).sampled_at_ms > 0)
      return { child, host: '127.0.0.1', port: Number(port) };
    await pause(100);
  }
  throw new Error('the daemon does not answer:\n' + log);
}

/* --- first loads ------------------------------------------------------------ */

/* In the page: when the heatmap shows stored samples (a live tick is one), and how
 * many colours it has. */
function watchHeatmap() {
  const MANY = 100;
  let tell;
  window.painted = new Promise((resolve) => { tell = resolve; });
  const look = () => {
    const canvas = document.querySelector('#load canvas');
    if (!(Number(canvas?.dataset.samples) > MANY)) {
      requestAnimationFrame(look);
      return;
    }
    /* What was drawn before this frame is on the screen with the next one. */
    requestAnimationFrame(() => {
      const ms = performance.now();
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      tell({ ms, colors: new Set(new Uint32Array(data.buffer)).size });
    });
  };
  requestAnimationFrame(look);
}

async function openPage(browser, origin, prepare = () => {}) {
  const context = await browser.newContext(VIEW);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await prepare(devtools);
  await page.addInitScript(watchHeatmap);
  await page.goto(origin + '/', { waitUntil: 'commit' });
  const { ms, colors } = await Promise.race([page.evaluate(() => window.painted),
    pause(30000).then(() => ({ colors: 0 }))]);
  if (colors < 3)
    throw new Error('the heatmap stays empty');
  return { page, devtools, paintedMs: ms, close: () => context.close() };
}

async function firstHeatmap(browser, origin) {
  const took = [];
  for (let i = 0; i < LOADS; i++) {
    const { paintedMs, close } = await openPage(browser, origin);
    took.push(paintedMs);
    await close();
  }
  emit('page_first_heatmap_ms', median(took), 'ms');
  emit('page_first_heatmap_slowest_ms', Math.max(...took), 'ms');
}

/* Everything that ends; the stream does not. */
async function transfer(browser, name, ringsided, map) {
  const router = await openFakeRouter({ map, changes: changes(), ringsided });
  const paths = new Map();
  let bytes = 0;
  let requests = 0;
  const { page, close } = await openPage(browser, router.origin, async (devtools) => {
    await devtools.send('Network.enable');
    devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
      paths.set(requestId, request.url));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes += encodedDataLength;
      requests++;
      if (process.env.BENCH_VERBOSE)
        console.error(encodedDataLength, paths.get(requestId));
    });
  });
  await page.waitForFunction(() => document.querySelector('#link').dataset.link === 'live');
  await page.waitForLoadState('load');
  await pause(1500); /* the last answers; the map is asked again only later */
  emit(name + '_kb', bytes / 1000, 'kB');
  emit(name + '_requests', requests, 'requests');
  await close();
  router.close();
}

/* --- a page that stays open -------------------------------------------------- */

async function metrics(devtools) {
  const { metrics: list } = await devtools.send('Performance.getMetrics');
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

async function live(browser, ringsided) {
  const work = [];
  let last = null;
  let look = () => {};
  /* Just before the next tick: what the last one caused is done. */
  const onTick = () => setTimeout(() => look(), 900);
  const router = await openFakeRouter({ map: bigBusy(), changes: changes(), ringsided, onTick });
  const { devtools, close } = await openPage(browser, router.origin);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await devtools.send('HeapProfiler.enable');
  const isOver = new Promise((done) => {
    look = async () => {
      const { TaskDuration } = await metrics(devtools);
      if (last !== null)
        work.push(1000 * (TaskDuration - last));
      last = TaskDuration;
      if (work.length >= 60 * MINUTES)
        done();
    };
  });
  if (process.env.BENCH_PROFILE) {
    await devtools.send('Profiler.enable');
    await devtools.send('Profiler.start');
  }
  await isOver;
  if (process.env.BENCH_PROFILE) {
    const { profile } = await devtools.send('Profiler.stop');
    writeFileSync(process.env.BENCH_PROFILE, JSON.stringify(profile));
  }
  look = () => {};
  await devtools.send('HeapProfiler.collectGarbage');
  emit('page_cpu_ms_per_tick', median(work), 'ms');
  emit('page_cpu_mean_ms_per_tick', work.reduce((a, b) => a + b, 0) / work.length, 'ms');
  emit('page_heap_mb', (await metrics(devtools)).JSHeapUsedSize / 1e6, 'MB');
  await close();
  router.close();
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'ringside-bench-'));
  let daemon;
  let browser;
  try {
    daemon = await startDaemon(folder);
    browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
    const { host, port } = daemon;
    await firstHeatmap(browser, `http://${host}:${port}`);
    await transfer(browser, 'page_transfer', { host, port }, piled());
    await transfer(browser, 'page_transfer_64_cores', { host, port }, bigBusy());
    await live(browser, { host, port });
  } finally {
    await browser?.close();
    daemon?.child.kill('SIGTERM');
    await new Promise((done) => daemon ? daemon.child.once('exit', done) : done());
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
