/* SPDX-License-Identifier: ISC */
/*
 * Ways through the map: what is lit with a box, and where an arrow key goes. Pure.
 */

import { isAtWork } from './graph.js';

/* Keys of all links and boxes on the ways through a box: up to the interfaces,
 * down to the cores. isIdleToo: also where nothing goes at present. */
export function pathsOf(links, key, isIdleToo) {
  const lit = new Set([key]);
  const walk = (end, next) => {
    let edge = [key];
    while (edge.length > 0) {
      const ends = new Set(edge);
      edge = [];
      for (const one of links) {
        if (!ends.has(one[end]) || lit.has(one.key) || (!isAtWork(one) && !isIdleToo))
          continue;
        lit.add(one.key);
        if (!lit.has(one[next]))
          edge.push(one[next]);
        lit.add(one[next]);
      }
    }
  };
  walk('from', 'to');
  walk('to', 'from');
  return lit;
}

const SIDES = { ArrowLeft: ['to', 'from', -1], ArrowRight: ['from', 'to', 1] };

/* Up and down in the lane; left and right along a link, the widest first, else
 * to what lies at that height. */
export function neighbour(layout, key, arrow) {
  const box = layout.boxes.get(key);
  if (box === undefined)
    return null;
  const middle = (b) => b.y + b.h / 2;
  const inLane = (lane) => [...layout.boxes.values()].filter((b) => b.lane === lane
    && b.kind !== 'note').sort((a, b) => a.y - b.y);
  const own = inLane(box.lane);
  const i = own.indexOf(box);
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown')
    return own[i + (arrow === 'ArrowUp' ? -1 : 1)]?.key ?? null;
  if (arrow === 'Home' || arrow === 'End')
    return own.at(arrow === 'Home' ? 0 : -1).key;
  if (!Object.hasOwn(SIDES, arrow))
    return null;
  const [here, there, step] = SIDES[arrow];
  const linked = layout.links.filter((one) => one[here] === key).sort((a, b) => b.width - a.width);
  if (linked.length > 0)
    return linked[0][there];
  for (let lane = box.lane + step; lane >= 0 && lane < 4; lane += step) {
    const [nearest] = inLane(lane).sort((a, b) =>
      Math.abs(middle(a) - middle(box)) - Math.abs(middle(b) - middle(box)));
    if (nearest !== undefined)
      return nearest.key;
  }
  return null;
}
