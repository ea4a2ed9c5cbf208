/* SPDX-License-Identifier: ISC */
/*
 * Machines for the tests of the map: what /api/v1/map and a tick of the stream
 * say of a router that is not at hand.
 */

const round = (v) => v === null || v === undefined ? null : Math.round(v * 100) / 100;

/* A queue number's two directions on one line, as TxRx vectors have it.
 * spec: { device, ifindex, driver, kind, speed, rx: [pps], tx: [pps], irq: first
 * number, core: queue -> core, settings, rxSettings, txSettings, thread: queue ->
 * { name, core, load }, reason, perPacket: packets an interrupt, up, split } */
function makeDevice(spec, interrupts, threads) {
  const { device, rx = [], tx = [], core = () => null } = spec;
  const sums = { rx: sum(rx), tx: sum(tx) };
  const queues = [];
  const number = (i, direction) => spec.irq === undefined ? null
    : String(spec.irq + (spec.split ? 2 * i + (direction === 'tx') : i));
  const rate = (pps) => pps === null ? spec.blindRate ?? 0
    : Math.min(12000, pps / (spec.perPacket ?? 6));
  for (const [direction, list] of [['rx', rx], ['tx', tx]]) {
    for (const [i, pps] of list.entries()) {
      const irq = number(i, direction);
      const ps = round(rate(pps));
      const thread = spec.thread?.(i) ?? null;
      queues.push({ queue: i, direction, pps: round(pps), bps: pps === null ? null
        : round(pps * 8 * 700), drops_pps: pps === null ? null : 0,
      share: pps === null || !(sums[direction] > 0) ? null : round(pps / sums[direction]),
      irq, napi_id: irq === null ? null : 8193 + i, thread,
      cores: irq !== null && ps > 0 ? { [core(i)]: ps } : {},
      settings: { ...(direction === 'rx' ? spec.rxSettings : spec.txSettings)?.(i) } });
      if (irq !== null)
        addLine(interrupts, spec, { irq, i, direction, ps, core: core(i) });
      if (thread !== null && direction === 'rx')
        threads.push(thread);
    }
  }
  return { device, ifindex: spec.ifindex, driver: spec.driver ?? null,
    kind: spec.kind ?? 'physical', counted: (spec.kind ?? 'physical') === 'physical',
    up: spec.up ?? true, speed_bps: spec.speed ?? null,
    rx_pps: round(spec.rxPps ?? sums.rx), tx_pps: round(spec.txPps ?? sums.tx),
    rx_bps: round((spec.rxPps ?? sums.rx) * 5600), tx_bps: round((spec.txPps ?? sums.tx) * 5600),
    counters: { source: spec.reason ? 'none' : 'ethtool', pace_s: null,
      reason: spec.reason ?? null },
    settings: spec.settings ?? {}, queues };
}

function sum(list) {
  return list.reduce((a, b) => a + (b ?? 0), 0);
}

function addLine(interrupts, spec, { irq, i, direction, ps, core }) {
  const known = interrupts.find((line) => line.irq === irq);
  const feed = { device: spec.device, queue: i, direction };
  if (known !== undefined) {
    known.feeds.push(feed);
    known.rate_ps = Math.max(known.rate_ps, ps);
    if (ps > 0)
      known.per_core_ps[core] = Math.max(known.per_core_ps[core] ?? 0, ps);
    return;
  }
  const action = spec.device + (spec.split ? '-' + direction : '-TxRx') + '-' + i;
  interrupts.push({ irq, actions: [action], chip: 'PCI-MSI 524289-edge', feeds: [feed], rate_ps: ps,
    per_core_ps: ps > 0 ? { [core]: ps } : {},
    affinity: spec.affinity ?? String(core), effective_affinity: String(core) });
}

/* loads: packet load by core. */
export function makeMap({ loads, devices, clock = null, threads = [], host = {} }) {
  const interrupts = [];
  const all = [...threads];
  const made = devices.map((spec) => makeDevice(spec, interrupts, all));
  const hottest = loads.indexOf(Math.max(...loads));
  const cores = loads.map((load, core) => {
    const lines = interrupts.filter((line) => line.per_core_ps[core] > 0);
    return { core, online: true, eligible: true, hottest: core === hottest, packet_load: load,
      busy: Math.min(1, load + 0.02), packet_threads: 0,
      nic_interrupts_ps: round(lines.reduce((a, line) => a + line.per_core_ps[core], 0)),
      processed_pps: round(load * 68000), rps_ps: 0, freq_hz: clock?.now ?? null,
      freq_max_hz: clock?.most ?? null, freq_measured: clock === null ? null : clock.isMeasured,
      throttled_ps: null, fed_by: lines.flatMap((line) => line.feeds),
      settings: clock === null ? {} : { cpu_governor: 'ondemand' } };
  });
  return { sampled_at_ms: Date.now(), host: { temperature_celsius: 61, settings: host },
    devices: made, interrupts, cores, threads: all };
}

/* The tick that goes with a map; f(pps) changes the figures. */
export function tickOf(map, at = Date.now(), f = (pps) => pps) {
  const pps = (v) => v === null ? null : round(f(v));
  const hottest = map.cores.find((c) => c.hottest);
  const isHot = hottest?.packet_load > 0.9;
  const physical = map.devices.filter((d) => d.kind === 'physical');
  const total = (name) => physical.reduce((a, d) => a + (d[name] ?? 0), 0);
  return {
    summary: { state: isHot ? 'warn' : 'ok', verdict: isHot
      ? 'core ' + hottest.core + ' saturated: every NIC interrupt fires on core ' + hottest.core
      : 'no bottleneck', hottest_core: hottest?.core ?? null,
    hottest_core_load: hottest?.packet_load ?? null, effective_cores: 1.2, cores: map.cores.length,
    cpu_accounting: 'precise', rx_bps: total('rx_bps'), tx_bps: total('tx_bps'),
    rx_pps: total('rx_pps'), drops_pps: 118, findings_active: 0, sampled_at_ms: at,
    interval_ms: 1000, clock_ok: true },
    cores: map.cores.map((c) => ({ core: c.core, online: c.online, eligible: c.eligible,
      packet_load: c.packet_load, busy: c.busy, user: 0.01, nice: 0, system: 0.01,
      irq: 0.02 * c.packet_load, softirq: 0.95 * c.packet_load, steal: 0, iowait: 0,
      idle: 1 - c.busy,
      nic_interrupts_ps: c.nic_interrupts_ps, net_rx_ps: 0,
      softnet: { processed_pps: c.processed_pps, dropped_pps: 0, squeezed_ps: 0, rps_ps: 0,
        flow_limit_ps: 0, backlog: 0 },
      freq_hz: c.freq_hz, freq_max_hz: c.freq_max_hz, fed_by: c.fed_by })),
    interfaces: map.devices.map((d, i) => ({ device: d.device, ifindex: d.ifindex, driver: d.driver,
      kind: d.kind, up: d.up, speed_bps: d.speed_bps, duplex: 'full', mtu: 1500, rx_bps: d.rx_bps,
      tx_bps: d.tx_bps, rx_pps: pps(d.rx_pps), tx_pps: pps(d.tx_pps),
      rx_utilization: d.speed_bps ? d.rx_bps / d.speed_bps : null,
      tx_utilization: d.speed_bps ? d.tx_bps / d.speed_bps : null,
      rx_dropped_pps: 0, tx_dropped_pps: 0, rx_missed_pps: 0, errors_pps: 0,
      drops: d.kind === 'physical' ? { wire_pps: 0, ring_pps: i === 0 ? 118 : 0, qdisc_pps: 0,
        tx_pps: 0, unattributed_pps: i === 0 ? 3 : 0 }
        : { wire_pps: null, ring_pps: null, qdisc_pps: null, tx_pps: null, unattributed_pps: null },
      carrier_changes: 1, rx_queues: d.queues.filter((q) => q.direction === 'rx').length,
      tx_queues: d.queues.filter((q) => q.direction === 'tx').length })),
    queues: map.devices.flatMap((d) => d.queues.map((q) => ({ device: d.device, queue: q.queue,
      direction: q.direction, pps: pps(q.pps), bps: q.bps, drops_pps: q.drops_pps, share: q.share,
      irq: q.irq, cores: Object.keys(q.cores).map(Number), source: d.counters.source }))),
  };
}

const IGB = { channels_combined: '4', channels_combined_max: '4', ring_rx: '256',
  ring_rx_max: '4096', ring_tx: '256', ring_tx_max: '4096', coalesce_rx_usecs: '3',
  coalesce_rx_frames: '0',
  threaded: 'off', qdisc: 'mq', mtu: '1500', offloads: 'rx tx sg tso gso gro rxhash rxvlan txvlan',
  pause_rx: 'on', pause_tx: 'on' };
const APU = { now: 1.4e9, most: 1.4e9, isMeasured: true };

const igb = (device, ifindex, irq, o) => ({ device, ifindex, driver: 'igb', speed: 1e9, irq,
  settings: IGB, rxSettings: () => ({ rps_cpus: 'none', rps_flow_cnt: '0' }),
  txSettings: (i) => ({ xps_cpus: String(i) }), ...o });
const virtual = (device, ifindex, kind, pps = 0) => ({ device, ifindex, driver: kind, kind,
  rx: [null], tx: [null], rxPps: pps, txPps: pps, reason: 'no driver counts them' });

/* Four cores, three igb ports; where(queue): the core its interrupt fires on. */
function apu(loads, where, rx, tx) {
  return makeMap({ loads, clock: APU, host: { irqbalance: 'off' }, devices: [
    igb('eth0', 2, 40, { rx, tx: tx.map((v) => v / 6), core: where }),
    igb('eth1', 3, 45, { rx: tx.map((v) => v / 6.2), tx: rx, core: where }),
    igb('eth2', 4, 50, { rx: [2, 0, 0, 0], tx: [1, 0, 0, 0], core: (i) => i }),
    virtual('br0', 5, 'bridge'), virtual('wg0', 6, 'wireguard'), virtual('eth0.10', 7, 'vlan'),
  ] });
}

/* Every line of eth0 and eth1 on core 3. */
export const piled = () => apu([0.01, 0.004, 0, 0.97], () => 3,
  [11020, 11420, 10870, 10890], [10900, 11400, 10800, 10840]);
export const spread = () => apu([0.31, 0.29, 0.33, 0.28], (i) => i,
  [11020, 11420, 10870, 10890], [10900, 11400, 10800, 10840]);
/* One flow: one queue has it all. */
export const collapsed = () => apu([0.02, 0.94, 0.01, 0.02], (i) => i,
  [310, 66200, 280, 420], [300, 64100, 300, 300]);

/* One queue handed on by RPS, a port polled by threads, a NIC that counts
 * nothing apart, tunnels and pairs. */
export function mixed() {
  const napi = (i) => ({ tid: 900 + i, pid: 900 + i, name: 'napi/eth1-' + (8193 + i), class: 'napi',
    device: 'eth1', core: 2 + i % 2, load: 0.34 + 0.2 * i });
  return makeMap({ loads: [0.62, 0.2, 0.41, 0.55],
    clock: { now: 8e8, most: 1.8e9, isMeasured: false },
    threads: [{ tid: 31, pid: 31, name: 'openvpn', class: 'user', device: null, core: 1,
      load: 0.88 }],
    devices: [
      { device: 'eth0', ifindex: 2, driver: 'r8169', speed: 1e9, irq: 30, rx: [null], tx: [null],
        rxPps: 48200, txPps: 21900, blindRate: 9100, core: () => 0, affinity: '0-3',
        reason: 'driver counts no queues',
        settings: { qdisc: 'fq_codel', mtu: '1500', threaded: 'off' },
        rxSettings: () => ({ rps_cpus: '1-3', rps_flow_cnt: '0' }), txSettings: () => ({}) },
      { device: 'eth1', ifindex: 3, driver: 'mt7915e', speed: 1e9, irq: 33, split: true,
        rx: [21400, 3100], tx: [18300, 2000], core: (i) => i, thread: napi,
        settings: { threaded: 'on', qdisc: 'mq' } },
      { device: 'wan', ifindex: 4, driver: 'atlantic', speed: 2.5e9, irq: 50,
        rx: [null, null, null, null], tx: [null, null, null, null], rxPps: 5200, txPps: 4900,
        blindRate: 800, core: (i) => i,
        reason: 'names of its counters are not known' },
      { device: 'usb0', ifindex: 5, driver: 'r8152', speed: 1e9, rx: [null], tx: [null], rxPps: 900,
        txPps: 400, reason: 'read only once a minute' },
      virtual('wg0', 6, 'wireguard', 4200), virtual('br-lan', 7, 'bridge', 26000),
      { ...virtual('veth1', 8, 'veth', 300), rx: [150, 150], tx: [200, 100], reason: null,
        rxSettings: () => ({ rps_cpus: '3' }) },
      virtual('veth2', 9, 'veth'), virtual('eth0.7', 10, 'vlan'),
      { device: 'eth9', ifindex: 11, driver: 'igb', up: false, rx: [0], tx: [0], irq: 70,
        core: () => 0 },
    ] });
}

/* 64 cores, 128 queues of two ports; nBusy of each work. Core 17 has four lines
 * of each. */
export function big(nBusy = 8) {
  const busy = (i) => i % (64 / nBusy) === Math.min(1, 64 / nBusy - 1) ? 41000 + 1500 * (i % 7) : 0;
  const where = (i) => busy(i) > 0 && i < 32 ? 17 : i;
  const rx = Array.from({ length: 64 }, (_, i) => busy(i));
  const loads = Array.from({ length: 64 }, (_, core) => core === 17 ? 0.98
    : busy(core) > 0 && core >= 32 ? 0.22 + 0.01 * (core % 9) : 0.004);
  const mlx = (device, ifindex, irq) => ({ device, ifindex, driver: 'mlx5_core', speed: 25e9,
    irq, rx, tx: rx.map((v) => v / 5), core: where, perPacket: 20,
    settings: { channels_combined: '64',
      channels_combined_max: '64', ring_rx: '1024', ring_rx_max: '8192' },
    txSettings: (i) => ({ xps_cpus: String(i) }), rxSettings: () => ({ rps_cpus: 'none' }) });
  return makeMap({ loads, devices: [mlx('ens1f0np0', 2, 200), mlx('ens1f1np1', 3, 300),
    ...Array.from({ length: 30 }, (_, i) => virtual('veth' + i, 10 + i, 'veth'))] });
}

/* The same with work on every queue. */
export function bigBusy() {
  const map = big(64);
  for (const c of map.cores)
    c.packet_load = c.core === 17 ? 0.98 : 0.35 + 0.005 * (c.core % 20);
  return map;
}

export const empty = () => makeMap({ loads: [0, 0], devices: [] });

/* Changes, newest first. */
export function changes(at = Date.now()) {
  const make = (id, ago, kind, subject, old, now) => ({ id, at_ms: at - ago, kind,
    subject: { kind: 'host', ...subject }, old, new: now });
  const rps = [0, 1, 2, 3].map((queue) => make(20 + queue, 95000, 'rps_cpus',
    { kind: 'queue', device: 'eth0', queue, direction: 'rx' }, 'none', '0-3'));
  return [
    make(30, 12000, 'irq_affinity', { kind: 'irq', irq: '42' }, '2', '3'),
    ...rps,
    make(12, 3600000, 'ring_rx', { kind: 'interface', device: 'eth0' }, '256', '4096'),
    make(11, 7200000, 'carrier', { kind: 'interface', device: 'eth2' }, 'up', 'down'),
    make(10, 90000000, 'cpu_freq_max_khz', { kind: 'core', core: 1 }, '1400000', '600000'),
    make(9, 90000000, 'kernel', {}, '6.1.0-21-amd64', '6.1.0-22-amd64'),
  ];
}
