/** Draws the screen of a terminal as SVG: text in a fixed grid, so that it looks the same whatever font there is. */

/** @import { IBufferCell, Terminal } from '@xterm/headless' */

/** In pixels. */
const CELL = { width: 8.4, height: 18 };
const PADDING = 16;
const FONT_SIZE = 14;
const BASELINE = 13;

const BACKGROUND = '#0d1117';
const FOREGROUND = '#c9d1d9';
/** The sixteen colours that every terminal has, on a dark ground. */
const PALETTE = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
];

/**
 * @typedef {{ fill: string, ground: string | undefined, isBold: boolean, isDim: boolean }} Style
 * @typedef {{ column: number, width: number, text: string, style: Style }} Run
 */

/**
 * @param {Terminal} terminal
 * @param {{ title: string, description: string }} words
 */
export function terminalSvg(terminal, { title, description }) {
  const { cols, rows } = terminal;
  const width = Math.ceil(cols * CELL.width) + 2 * PADDING;
  const height = rows * CELL.height + 2 * PADDING;
  const lines = Array.from({ length: rows }, (_, row) => runsOf(terminal, row).map((run) => draw(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeXml(title)}</title>`,
    `<desc>${escapeXml(description)}</desc>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    `<g transform="translate(${PADDING} ${PADDING})" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" xml:space="preserve">`,
    ...lines.flat(),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/**
 * The text of a row, in runs of one style each; what nobody sees is left out.
 *
 * @param {Terminal} terminal
 * @param {number} row
 * @returns {readonly Run[]}
 */
function runsOf({ buffer: { active }, cols }, row) {
  const line = active.getLine(active.viewportY + row);
  /** @type {Run[]} */
  const runs = [];
  for (let column = 0; column < cols; column += 1) {
    const cell = line?.getCell(column);
    // The second half of a wide character has no width of its own.
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last && isSame(last.style, style)) {
      last.text += text;
      last.width += cell.getWidth();
    } else runs.push({ column, width: cell.getWidth(), text, style });
  }
  return runs.map(trimmed).filter(({ text, style }) => text !== '' || style.ground !== undefined);
}

/**
 * @param {Run} run
 * @returns {Run}
 */
function trimmed(run) {
  if (run.style.ground !== undefined) return run;
  const withoutEnd = run.text.trimEnd();
  const text = withoutEnd.trimStart();
  const before = withoutEnd.length - text.length;
  return { ...run, column: run.column + before, width: run.width - (run.text.length - text.length), text };
}

/**
 * @param {Run} run
 * @param {number} row
 */
function draw({ column, width, text, style: { fill, ground, isBold, isDim } }, row) {
  const x = round(column * CELL.width);
  const y = row * CELL.height;
  const length = round(width * CELL.width);
  return [
    ...(ground === undefined
      ? []
      : [`<rect x="${x}" y="${y}" width="${length}" height="${CELL.height}" fill="${ground}"/>`]),
    `<text x="${x}" y="${y + BASELINE}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${isBold ? ' font-weight="600"' : ''}${isDim ? ' opacity="0.6"' : ''}>${escapeXml(text)}</text>`,
  ].join('');
}

/**
 * @param {IBufferCell} cell
 * @returns {Style}
 */
function styleOf(cell) {
  const fore = cell.isFgDefault() ? undefined : colour(cell.isFgRGB(), cell.getFgColor());
  const back = cell.isBgDefault() ? undefined : colour(cell.isBgRGB(), cell.getBgColor());
  const isInverse = cell.isInverse() !== 0;
  return {
    fill: isInverse ? (back ?? BACKGROUND) : (fore ?? FOREGROUND),
    ground: isInverse ? (fore ?? FOREGROUND) : back,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
  };
}

/**
 * @param {boolean} isRgb
 * @param {number} value
 */
function colour(isRgb, value) {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  const known = PALETTE[value];
  if (known !== undefined) return known;
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const [red, green, blue] = [36, 6, 1].map((step) => level(Math.floor((value - 16) / step) % 6));
  return `rgb(${red} ${green} ${blue})`;
}

/** @param {number} of */
function level(of) {
  return of === 0 ? 0 : 55 + of * 40;
}

/** @param {number} value */
function grey(value) {
  return `rgb(${value} ${value} ${value})`;
}

/**
 * @param {Style} a
 * @param {Style} b
 */
function isSame(a, b) {
  return a.fill === b.fill && a.ground === b.ground && a.isBold === b.isBold && a.isDim === b.isDim;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
