/* SPDX-License-Identifier: ISC */
/*
 * A router that is not at hand, as the page meets it: the files of the dashboard
 * come from a running ringsided, the answers of the API and a stream of one tick a
 * second from a map of tests/browser/maps.mjs.
 */

import { createServer, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { tickOf } from '../browser/maps.mjs';

const HISTORY_S = 300;
/* As web/pack.c does it. */
const PACKING = { level: 1, windowBits: 13, memLevel: 7 };
const PACKED_MIN = 1024;

const wave = (t, i) => 0.5 + 0.5 * Math.sin(t / 7000 + i) * Math.cos(t / 1300 + 3 * i);

/* As many digits as the daemon gives. */
const digits = (v, n) => Math.round(v * 10 ** n) / 10 ** n;

/* Figures move from tick to tick as those of a router do: no paint is the same as
 * the one before. */
function alive(map, t) {
  const by = (v, i) => v === null ? null : digits(v * (0.8 + 0.2 * wave(t, i)), 2);
  return { ...map, sampled_at_ms: t,
    cores: map.cores.map((c) => ({ ...c, packet_load: digits(
      c.packet_load * (0.9 + 0.1 * wave(t, c.core)), 4) })),
    devices: map.devices.map((d, i) => ({ ...d, rx_pps: by(d.rx_pps, i), tx_pps: by(d.tx_pps, i),
      rx_bps: by(d.rx_bps, i), tx_bps: by(d.tx_bps, i),
      queues: d.queues.map((q) => ({ ...q, pps: by(q.pps, q.queue), bps: by(q.bps, q.queue) })) })),
  };
}

function series(map, url, now) {
  const stepMs = Math.ceil(HISTORY_S / (url.searchParams.get('points') ?? HISTORY_S)) * 1000;
  const times = Array.from({ length: HISTORY_S * 1000 / stepMs }, (_, i) =>
    now - HISTORY_S * 1000 + stepMs * (i + 1));
  const answer = (metric, unit, list) => ({ metric, unit, tier: 'raw', resolution_ms: stepMs,
    time_ms: times, series: list });
  const metric = url.searchParams.get('metric');
  if (metric === 'core_packet_load_ratio') {
    return answer(metric, 'ratio', map.cores.map((c) => ({ labels: { cpu: String(c.core) },
      values: times.map((t) => digits(c.packet_load * (0.9 + 0.1 * wave(t, c.core)), 4)) })));
  }
  const of = (device, direction, i) => ({ labels: { device, direction },
    values: times.map((t) => digits(3e7 * wave(t, i), 0)) });
  return answer(metric, 'bytes/s', url.searchParams.getAll('device').flatMap((device, i) =>
    [of(device, 'rx', i), of(device, 'tx', i + 0.5)]));
}

/* ringsided: host and port of the daemon. onTick(n) is called after each tick was
 * sent to all streams. */
export async function openFakeRouter({ map, changes = [], ringsided, onTick = () => {} }) {
  const streams = new Set();
  let ticks = 0;
  const now = () => Date.now();
  const answers = {
    summary: () => tickOf(alive(map, now()), now()).summary,
    cores: () => tickOf(alive(map, now()), now()).cores,
    interfaces: () => tickOf(alive(map, now()), now()).interfaces,
    map: () => alive(map, now()),
    changes: () => changes,
    findings: () => [],
    health: () => ({ tick_cpu_us: 300, sources: [], rules_not_evaluated: [] }),
    series: (url) => series(map, url, now()),
  };

  function stream(response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 2000\n\n');
    streams.add(response);
    response.on('close', () => streams.delete(response));
  }

  function answer(url, takesGzip, response) {
    const name = url.pathname.slice('/api/v1/'.length);
    if (name === 'stream') {
      stream(response);
      return;
    }
    const text = Buffer.from(JSON.stringify(answers[name]?.(url) ?? {}));
    const isPacked = takesGzip && text.length >= PACKED_MIN;
    const body = isPacked ? gzipSync(text, PACKING) : text;
    response.writeHead(name in answers ? 200 : 404, { 'Content-Type': 'application/json',
      'Content-Length': body.length, 'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer',
      ...isPacked && { 'Content-Encoding': 'gzip' } });
    response.end(body);
  }

  function fetchFile(asked, response) {
    request({ ...ringsided, path: asked.url, headers: asked.headers }, (from) => {
      response.writeHead(from.statusCode, from.rawHeaders);
      from.pipe(response);
    }).on('error', () => response.destroy()).end();
  }

  const server = createServer((asked, response) => {
    const url = new URL(asked.url, 'http://localhost');
    if (url.pathname.startsWith('/api/'))
      answer(url, /\bgzip\b/.test(asked.headers['accept-encoding']), response);
    else
      fetchFile(asked, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  const timer = setInterval(() => {
    const t = now();
    const text = 'id: 1-' + ++ticks + '\nevent: tick\ndata: '
      + JSON.stringify(tickOf(alive(map, t), t)) + '\n\n';
    for (const response of streams)
      response.write(text);
    onTick(ticks);
  }, 1000);

  return {
    origin: 'http://127.0.0.1:' + server.address().port,
    close: () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}
