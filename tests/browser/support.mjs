/* SPDX-License-Identifier: ISC */
/*
 * What the tests of the page share: a ringsided that watches this machine, pages
 * of Chromium that complain of what a user would not have seen, and answers of a
 * machine that is not at hand. RINGSIDED and CHROMIUM name the programs (run.sh).
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { tickOf } from './maps.mjs';

const DEADLINE_MS = 60000;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let dir;
let port;
let origin;
let daemon;
let browser;

/* Waits for a state, not for a time: says what was seen last when it never came. */
export async function until(what, probe) {
  const end = Date.now() + DEADLINE_MS;
  let seen;
  for (;;) {
    try {
      const value = await probe();
      if (value)
        return value;
      seen = value;
    } catch (error) {
      seen = error.message;
    }
    if (Date.now() > end)
      assert.fail(`${what} did not happen; last seen: ${seen}\n${daemon.log}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function api(path) {
  const answer = await fetch(origin + '/api/v1/' + path);
  assert.equal(answer.status, 200, path);
  return answer.json();
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port: found } = server.address();
      server.close(() => resolve(found));
    });
  });
}

/* An empty configuration, so that the one of this machine does not matter. */
export async function startDaemon() {
  const config = join(dir, 'ringside.conf');
  await writeFile(config, '');
  const child = spawn(process.env.RINGSIDED,
    ['-c', config, '--db', 'none', '--listen', '127.0.0.1:' + port],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  daemon = { child, log: '' };
  const own = daemon;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => { own.log = (own.log + text).slice(-8000); });
  child.on('error', (error) => { own.log += error.message; });
  child.on('exit', (code, signal) => { own.log += `\nended: ${code ?? signal}\n`; });
  await until('the daemon answering', async () => (await api('summary')).sampled_at_ms > 0);
}

export async function stopDaemon() {
  const { child } = daemon;
  if (child.exitCode !== null || child.signalCode !== null)
    return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15000);
  await ended;
  clearTimeout(timer);
}

/* A page of its own profile; complaints: what a user would not have seen. */
export async function openPage(options = {}, prepare = async () => {}, path = '/') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) =>
    console.error('refused by the policy: ' + event.violatedDirective + ' ' + event.blockedURI)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(message.text() + ' ' + message.location().url);
  });
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin)
      complaints.push('asked another host: ' + request.url());
  });
  await prepare(page);
  await page.goto(origin + path);
  return { page, complaints, close: () => context.close() };
}

/* Starts all of it; the port stays the same over restarts. */
export async function open() {
  dir = await mkdtemp(join(tmpdir(), 'ringside-browser-'));
  await chmod(dir, 0o755);
  port = await freePort();
  origin = 'http://127.0.0.1:' + port;
  await startDaemon();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  return origin;
}

export async function close() {
  await browser?.close();
  if (daemon)
    await stopDaemon();
  await rm(dir, { recursive: true, force: true });
}

/* Stands in for EventSource: the test is the daemon. */
function fakeStream() {
  const sources = [];
  window.EventSource = class extends EventTarget {
    static CLOSED = 2;
    readyState = 1;
    constructor() {
      super();
      sources.push(this);
      setTimeout(() => this.dispatchEvent(new Event('open')));
    }
    close() {
      this.readyState = 2;
    }
  };
  window.say = (name, data) => sources.at(-1).dispatchEvent(
    new MessageEvent(name, { data: JSON.stringify(data) }));
}

/* A page that sees the given map (maps.mjs) in place of this machine. say(name,
 * data) is an event of the stream, asked the paths asked for so far. answer(name, url)
 * may give another answer, { status, json }; path: what is opened. */
export async function openMap(map, { changes = [], answer = () => null, path = '/',
  ...options } = {}) {
  const asked = [];
  const machine = { map, changes };
  const tick = () => tickOf(machine.map);
  const answers = {
    summary: () => tick().summary, cores: () => tick().cores, interfaces: () => tick().interfaces,
    map: () => machine.map, changes: () => machine.changes, findings: () => [],
    series: () => ({ time_ms: [], series: [] }),
    health: () => ({ tick_cpu_us: 300, sources: [], rules_not_evaluated: [] }),
  };
  const opened = await openPage(options, async (page) => {
    await page.addInitScript(fakeStream);
    await page.route('**/api/v1/**', (route) => {
      const url = new URL(route.request().url());
      const name = url.pathname.split('/').pop();
      asked.push(name);
      const own = answer(name, url);
      if (own !== null)
        return route.fulfill(own);
      const json = answers[name]();
      return route.fulfill(json !== null ? { json }
        : { status: 404, json: { detail: 'nothing is here' } });
    });
  }, path);
  const say = (name, data) => opened.page.evaluate(([n, d]) => window.say(n, d), [name, data]);
  return { ...opened, asked, machine, say };
}
