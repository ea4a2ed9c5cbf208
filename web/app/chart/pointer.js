/* SPDX-License-Identifier: ISC */
/*
 * Ways to move in a chart besides the drag that selects (uPlot's own): shift and
 * drag to pan, a finger to read, keys for all of it. The wheel is the page's.
 */

const ZOOM = 2;
const PAN = 0.25;

/* Range of a step of zoom or pan; middle: what stays in its place. */
export function zoomed([from, to], factor, middle = (from + to) / 2) {
  return [middle - (middle - from) * factor, middle + (to - middle) * factor];
}

export function panned([from, to], share) {
  const by = (to - from) * share;
  return [from + by, to + by];
}

/* chart: { plot, options, point(timeMs, isSpoken), neighbour(steps) } */
export function listen(chart, view) {
  const { plot } = chart;
  const zoomTo = ([from, to]) => chart.options.onZoom?.(from, to);
  const shown = () => [plot.scales.x.min, plot.scales.x.max];
  const timeAt = (event) =>
    plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x');

  panByDrag(chart, zoomTo);

  plot.over.addEventListener('dblclick', (event) =>
    zoomTo(zoomed(shown(), ZOOM, timeAt(event))));
  const byFinger = (event) => {
    if (event.pointerType !== 'mouse')
      chart.point(timeAt(event));
  };
  plot.over.addEventListener('pointerdown', byFinger);
  plot.over.addEventListener('pointermove', byFinger);

  const KEYS = {
    ArrowLeft: () => chart.point(chart.neighbour(-1), true),
    ArrowRight: () => chart.point(chart.neighbour(1), true),
    Home: () => chart.point(chart.neighbour(-Infinity), true),
    End: () => chart.point(chart.neighbour(Infinity), true),
    Escape: () => chart.point(null),
    '+': () => zoomTo(zoomed(shown(), 1 / ZOOM)),
    '=': () => zoomTo(zoomed(shown(), 1 / ZOOM)),
    '-': () => zoomTo(zoomed(shown(), ZOOM)),
    'shift ArrowLeft': () => zoomTo(panned(shown(), -PAN)),
    'shift ArrowRight': () => zoomTo(panned(shown(), PAN)),
  };
  view.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey)
      return;
    const isArrow = event.key.startsWith('Arrow');
    const key = (event.shiftKey && isArrow ? 'shift ' : '') + event.key;
    if (!Object.hasOwn(KEYS, key))
      return;
    event.preventDefault();
    KEYS[key]();
  });
  view.addEventListener('blur', () => chart.point(null));
}

/* With shift the range follows the pointer; it is told at the end. Before uPlot's
 * own listener, which would select. */
function panByDrag(chart, zoomTo) {
  const { plot } = chart;
  plot.root.addEventListener('mousedown', (event) => {
    if (!event.shiftKey || event.button !== 0 || chart.options.onZoom === null)
      return;
    event.preventDefault();
    event.stopPropagation();
    const start = [plot.scales.x.min, plot.scales.x.max];
    const x0 = event.clientX;
    const width = plot.over.clientWidth;
    let range = start;
    const move = (e) => {
      range = panned(start, (x0 - e.clientX) / width);
      chart.range = range;
      plot.setScale('x', { min: range[0], max: range[1] });
    };
    const end = () => {
      removeEventListener('mousemove', move);
      removeEventListener('mouseup', end);
      if (range !== start)
        zoomTo(range);
    };
    addEventListener('mousemove', move);
    addEventListener('mouseup', end);
  }, { capture: true });
}
