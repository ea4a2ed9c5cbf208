/* SPDX-License-Identifier: ISC */
/*
 * What becomes of a page that the daemon cannot serve whole: many viewers behind one
 * address, a part that does not come, a stream for which there is no place.
 * RINGSIDED and CHROMIUM name the programs (run.sh).
 */

import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import * as maps from './maps.mjs';
import { api, close as closeAll, open, openMap, openPage, until } from './support.mjs';

/* Contexts of one browser share its six connections; browsers do not. */
const BROWSERS = 6;
/* An address may have so many. */
const STREAMS = 16;

let origin;

before(async () => {
  origin = await open();
});

after(closeAll);

const isLive = async (page) => await page.getAttribute('#link', 'data-link') === 'live';
const refuse = (route) => route.fulfill({ status: 503, body: '' });

function openStream() {
  return new Promise((resolve, reject) => {
    const request = get(origin + '/api/v1/stream', { agent: false }, (answer) => {
      answer.on('error', () => {});
      resolve({ status: answer.statusCode, close: () => request.destroy() });
      answer.resume();
    });
    request.on('error', reject);
  });
}

describe('a page heals', () => {
  test('six browsers behind one address are all live', async () => {
    const browsers = [];
    const pages = [];
    try {
      for (let i = 0; i < BROWSERS; i++) {
        const browser = await chromium.launch({ executablePath: process.env.CHROMIUM,
          args: ['--no-sandbox', '--disable-gpu'] });
        browsers.push(browser);
        pages.push(await browser.newPage());
        await pages[i].goto(origin);
      }
      for (const [i, page] of pages.entries()) {
        await until(`browser ${i + 1} being live`, () => isLive(page));
        await page.click('#pages a[href="#about"]');
        await page.waitForSelector('#page-about dd');
      }
    } finally {
      await Promise.all(browsers.map((browser) => browser.close()));
    }
  });

  test('a page that did not come whole is loaded again, by itself once', async () => {
    let loads = 0;
    const { page, close } = await openPage({}, async (p) => {
      await p.route('**/now/verdict.js', (route) => loads === 0 ? refuse(route) : route.continue());
      p.on('load', () => loads++);
    });
    await until('the page being live', () => isLive(page));
    assert.equal(loads, 2);
    await close();
  });

  test('one that stays in pieces says so', async () => {
    let n = 0;
    const { page, close } = await openPage({}, async (p) => {
      await p.route('**/now/verdict.js', refuse);
      p.on('load', () => n++);
    });
    await until('it being loaded again', () => n === 2);
    /* It is not tried for ever. */
    await page.evaluate(() => new Promise((resolve) => {
      setTimeout(resolve, 4000);
    }));
    assert.equal(n, 2);
    const sentence = page.locator('#sentence');
    assert.match(await sentence.innerText(), /did not come whole: load it again/);
    assert.ok(await sentence.isVisible());
    await page.unroute('**/now/verdict.js');
    await page.reload();
    await until('the page being live', () => isLive(page));
    assert.doesNotMatch(await sentence.innerText(), /load it again/);
    await close();
  });

  test('a viewer too many is told so, and sees what is now all the same', async () => {
    await until('the streams of others being gone', async () =>
      (await api('health')).http.streams === 0);
    const streams = await Promise.all(Array.from({ length: STREAMS }, openStream));
    assert.deepEqual(streams.map((s) => s.status), Array(STREAMS).fill(200));
    const { page, close } = await openPage();
    await until('the words', async () =>
      /as many viewers as the daemon serves/.test(await page.textContent('#link')));
    const seen = await page.textContent('#sampled');
    assert.match(seen, /^Sampled/);
    await until('a later sample', async () => await page.textContent('#sampled') !== seen);
    assert.equal(await page.getAttribute('#link', 'data-link'), 'full');
    streams.forEach((s) => s.close());
    await until('the page being live', () => isLive(page));
    await close();
  });

  test('a page whose module could not be fetched comes with the daemon', async () => {
    const { page, say, close } = await openMap(maps.piled());
    await until('the page being live', () => isLive(page));
    const part = '**/about/links.js';
    await page.route(part, refuse);
    await page.click('#pages a[href="#about"]');
    await until('the words', async () =>
      /could not be fetched/.test(await page.textContent('#page-about')));
    await say('error', null);
    await until('the loss', async () => await page.getAttribute('#link', 'data-link') === 'lost');
    await page.unroute(part);
    await say('open', null);
    await page.waitForSelector('#page-about dd', { state: 'attached' });
    assert.equal(await page.locator('link[href="about/page.css"]').count(), 1);
    await close();
  });
});
