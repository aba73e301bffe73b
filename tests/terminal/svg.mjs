// Draws screens of a terminal, as `tmux capture-pane -e` prints them, as an SVG.

const cell = {width: 9, height: 18, baseline: 13.5};
const font = {size: 15, family: `ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace`};
const padding = {x: 19, y: 11};
const barHeight = 30;
const radius = 8;
const gap = 14;
// Readable on the window, which stays dark on light and on dark pages.
const theme = {window: '#0d1117', bar: '#161b22', border: '#3d444d', text: '#e6edf3', faint: '#9198a1'};
const ansi = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4',
  '#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'];

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const attributes = (values) =>
  Object.entries(values).filter(([, value]) => value !== undefined).map(([name, value]) => ` ${name}="${value}"`).join('');
const element = (name, values, content) => `<${name}${attributes(values)}${content === undefined ? '/>' : `>${content}</${name}>`}`;

// The style after one SGR code. A code that Helve starts to use has to be added here, not guessed.
function styled(style, code) {
  if (code === 0) return {};
  if (code === 1) return {...style, bold: true};
  if (code === 2) return {...style, dim: true};
  if (code === 3) return {...style, italic: true};
  if (code === 4) return {...style, underline: true};
  if (code === 7) return {...style, reverse: true};
  if (code >= 30 && code <= 37) return {...style, colour: ansi[code - 30]};
  if (code >= 90 && code <= 97) return {...style, colour: ansi[code - 90 + 8]};
  if (code === 39) return {...style, colour: undefined};
  if (code === 49) return style;  // the background is always the window's
  throw new Error(`svg.mjs does not know the SGR code ${code}`);
}

// Rows of runs {text, style}. A style lasts over the end of a row until it is reset, as tmux prints it.
export function rowsOf(screen) {
  let style = {};
  const rows = screen.split('\n').map((row) => {
    const runs = [];
    for (const [, codes, text] of row.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+|\x1b)/g)) {
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
      else if (text === '\x1b') throw new Error(`svg.mjs does not know an escape sequence in ${JSON.stringify(row)}`);
      else runs.push({text, style});
    }
    return runs;
  });
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

// One row: its text, and rectangles behind reversed text. Each character has its own place, so that columns align in any
// font: Firefox ignores textLength on a tspan. Vertical bars are also collected: as text, they leave gaps between rows.
function drawRow(runs, top, bars) {
  let column = 0;
  let behind = '';
  let spans = '';
  for (const {text, style} of runs) {
    const characters = [...text];
    const x = padding.x + column * cell.width;
    const width = characters.length * cell.width;
    column += characters.length;
    const colour = style.colour ?? theme.text;
    characters.forEach((character, index) => {
      if (character === '┃') bars.push({x: x + (index + 0.5) * cell.width, top, colour});
    });
    if (style.reverse) behind += element('rect', {x, y: top, width, height: cell.height, fill: colour});
    if (text.trim() === '') continue;
    spans += element('tspan', {
      x: characters.map((_, index) => x + index * cell.width).join(' '),
      fill: style.reverse ? theme.window : style.colour,
      'fill-opacity': style.dim ? 0.65 : undefined,
      'font-weight': style.bold ? 'bold' : undefined,
      'font-style': style.italic ? 'italic' : undefined,
      'text-decoration': style.underline ? 'underline' : undefined,
    }, escaped(text));
  }
  if (spans === '') return [];
  // On each text: Chromium does not inherit xml:space.
  return [...(behind === '' ? [] : [behind]), element('text', {y: top + cell.baseline, 'xml:space': 'preserve'}, spans)];
}

// Bars in adjacent rows become one line.
function drawBars(bars) {
  const lines = [];
  for (const {x, top, colour} of bars) {
    const above = lines.find((line) => line.x === x && line.colour === colour && line.bottom === top);
    if (above) above.bottom += cell.height;
    else lines.push({x, top, bottom: top + cell.height, colour});
  }
  return lines.map(({x, top, bottom, colour}) => element('path', {d: `M${x} ${top}V${bottom}`, stroke: colour, 'stroke-width': 3}));
}

function drawWindow({title, rows}, top, width) {
  const height = barHeight + 2 * padding.y + rows.length * cell.height;
  const frame = {x: 0.5, y: top + 0.5, width: width - 1, height: height - 1, rx: radius};
  const bars = [];
  const text = rows.flatMap((row, index) => drawRow(row, top + barHeight + padding.y + index * cell.height, bars));
  return {height, lines: [
    element('rect', {...frame, fill: theme.window}),
    element('path', {d: `M.5 ${top + barHeight}v${radius + 0.5 - barHeight}a${radius} ${radius} 0 0 1 ${radius} ${-radius}`
      + `h${frame.width - 2 * radius}a${radius} ${radius} 0 0 1 ${radius} ${radius}v${barHeight - radius - 0.5}z`, fill: theme.bar}),
    element('rect', {...frame, fill: 'none', stroke: theme.border}),
    ...[0, 1, 2].map((dot) => element('circle', {cx: 20 + 18 * dot, cy: top + barHeight / 2, r: 5.5, fill: theme.border})),
    element('text', {x: width / 2, y: top + barHeight / 2 + 4.5, fill: theme.faint, 'font-family': 'system-ui, sans-serif',
      'font-size': 13, 'text-anchor': 'middle'}, escaped(title)),
    ...drawBars(bars), ...text]};
}

// Windows {title, rows} one below the other.
export function toSvg({columns, title, description, windows}) {
  const width = columns * cell.width + 2 * padding.x;
  let height = 0;
  const lines = [];
  for (const window of windows) {
    if (height > 0) height += gap;
    const drawn = drawWindow(window, height, width);
    lines.push(...drawn.lines);
    height += drawn.height;
  }
  return [
    `<svg${attributes({xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-labelledby': 'title description', 'font-family': font.family, 'font-size': font.size, fill: theme.text})}>`,
    element('title', {id: 'title'}, escaped(title)),
    element('desc', {id: 'description'}, escaped(description)),
    ...lines, '</svg>', ''].join('\n');
}
