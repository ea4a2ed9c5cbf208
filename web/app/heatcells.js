/* SPDX-License-Identifier: ISC */
/*
 * Puts the cells of a plane (heatplane.js) on a canvas: one pixel a cell first, then
 * each row drawn as high as it is. Rows with a hole are hatched below.
 */

import { rowBox } from './heatgrid.js';

export class HeatCells {
  #small = null;
  #image = null;
  #pixels = null;
  #hatch = null;
  #hatchOf = '';

  /* context: in device pixels, cleared. */
  draw(context, plane, grid, colors, scale) {
    const left = Math.round(grid.plot.left * scale);
    const { width, cores } = plane;
    if (width === 0 || cores.length === 0)
      return;
    this.#fill(plane, colors.heatPixels);
    context.imageSmoothingEnabled = false;
    for (let row = 0; row < cores.length; row++) {
      const [y, height] = rowBox(grid, row, scale);
      if (hasHole(plane, row)) {
        context.fillStyle = this.#hatching(context, colors, scale);
        context.fillRect(left, y, width, height);
      }
      context.drawImage(this.#small, 0, row, width, 1, left, y, width, height);
    }
  }

  #fill({ width, cores, levels }, heatPixels) {
    if (this.#small?.width !== width || this.#small.height !== cores.length) {
      this.#small = new OffscreenCanvas(width, cores.length);
      this.#image = new ImageData(width, cores.length);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
    for (let i = 0; i < levels.length; i++)
      this.#pixels[i] = heatPixels[levels[i]];
    this.#small.getContext('2d').putImageData(this.#image, 0, 0);
  }

  #hatching(context, colors, scale) {
    const key = colors.hatch + scale;
    if (this.#hatchOf !== key) {
      this.#hatchOf = key;
      this.#hatch = context.createPattern(hatchTile(colors, scale), 'repeat');
    }
    return this.#hatch;
  }
}

function hasHole({ width, levels }, row) {
  return levels.subarray(row * width, (row + 1) * width).includes(0);
}

function hatchTile(colors, scale) {
  const step = Math.round(6 * scale);
  const tile = new OffscreenCanvas(step, step);
  const t = tile.getContext('2d');
  t.strokeStyle = colors.hatch;
  t.lineWidth = scale;
  t.beginPath();
  for (const shift of [-step, 0, step]) {
    t.moveTo(shift - 1, step + 1);
    t.lineTo(shift + step + 1, -1);
  }
  t.stroke();
  return tile;
}
