import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Plot as PlotOfPart } from './part.js';

const FOLDER = new URL('../../docs/images/', import.meta.url);

/** Draws a plot as `docs/images/bench-<name>.svg`. */
export function drawPlot({ name, title, xLabel, yLabel, isLogX, isLogY, points }: PlotOfPart): void {
  const { document } = parseHTML('<html><body></body></html>');
  const channels = { x: 'x', y: 'y', stroke: 'series' };
  const svg = Plot.plot({
    document,
    title,
    width: 640,
    height: 320,
    marginLeft: 56,
    style: { background: 'white', color: '#222', fontFamily: 'system-ui, sans-serif' },
    x: { label: xLabel, type: isLogX ? 'log' : 'linear', grid: true, ...(isLogX && { tickFormat: '~s' }) },
    y: {
      label: yLabel,
      type: isLogY ? 'log' : 'linear',
      grid: true,
      zero: !isLogY,
      ...(isLogY && { tickFormat: '~s' }),
    },
    color: { legend: false, scheme: 'tableau10' },
    marks: [
      Plot.lineY(points, channels),
      Plot.dot(points, { ...channels, fill: 'series', r: 3 }),
      Plot.text(
        points,
        Plot.selectLast({
          ...channels,
          z: 'series',
          text: 'series',
          dy: -8,
          textAnchor: 'end',
          fill: 'series',
        }),
      ),
    ],
  });
  const drawing = document.createElement('div').appendChild(svg).ownerDocument.querySelector('svg') ?? svg;
  drawing.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileURLToPath(new URL(`bench-${name}.svg`, FOLDER)), `${drawing.outerHTML}\n`);
}
