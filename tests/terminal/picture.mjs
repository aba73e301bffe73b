// Records docs/approval.svg: an approval card, and the undo of the approved edit, in a real terminal with a scripted model.
// Usage: scripts/picture [--check] [HELVE_PROGRAM]
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {Stage} from './stage.mjs';
import {rowsOf, toSvg} from './svg.mjs';

const columns = 88;
const root = path.resolve(import.meta.dirname, '../..');
const picture = path.join(root, 'docs/approval.svg');
const source = `def total(prices, percent_off=0):
    """The sum of the prices, after the discount."""
    return sum(prices) - percent_off
`;
const fixed = source.replace('- percent_off', '* (1 - percent_off / 100)');
const script = [
  {calls: [['read', {path: 'cart.py'}]]},
  {calls: [['edit', {path: 'cart.py', oldText: 'sum(prices) - percent_off', newText: 'sum(prices) * (1 - percent_off / 100)',
                     explanation: 'The discount is a percentage, but the code subtracts it as an amount.'}]]},
  {text: 'Fixed: `total` now takes a percentage off the sum.'}];

// The rows of the terminal from the one that starts with `first`. Neutral values replace what differs between machines and
// runs.
function record(terminal, stage, first) {
  const standIns = {workspace: '/home/you/shop', time: '2026-01-15T09:30:00Z', duration: '1 ms'};
  const rows = rowsOf(terminal.screen({styles: true, all: true}))
    .map((row) => row.map((run) => ({...run, text: stage.steady(run.text, standIns)})));
  const begin = rows.findIndex((row) => row.map((run) => run.text).join('').startsWith(first));
  assert.notEqual(begin, -1, `no row starts with ${first}`);
  return rows.slice(begin);
}

// The open card, and what follows the answer to it.
async function play(stage) {
  const request = 'test_discount fails. Fix it.';
  stage.model.script = script;
  const terminal = stage.start({columns, rows: 28, model: 'local-model'});
  const drawn = () => terminal.settled((screen) => screen);
  const content = () => fs.readFileSync(stage.file('cart.py'), 'utf8');
  fs.writeFileSync(stage.file('cart.py'), source);
  await terminal.shows('local-model · ');
  terminal.type(request);
  terminal.press('Enter');
  await terminal.card('percent_off / 100');
  await drawn();
  assert.equal(content(), source);
  const card = record(terminal, stage, `> ${request}`);
  terminal.press('y');
  await terminal.shows('Fixed:');
  await drawn();  // the turn has ended, so /undo runs at once
  assert.equal(content(), fixed);
  await terminal.say('/undo', 'Undid edit');
  await drawn();
  assert.equal(content(), source);
  return {card, undo: record(terminal, stage, '→ yes')};
}

const words = process.argv.slice(2);
const check = words[0] === '--check';
if (check) words.shift();
const [program = path.join(root, 'build/helve')] = words;
if (words.length > 1 || program.startsWith('-')) {
  console.error('usage: scripts/picture [--check] [HELVE_PROGRAM]');
  process.exit(2);
}
if (!fs.existsSync(program)) {
  console.error(`${program} does not exist; run make build, or name the program: scripts/picture HELVE_PROGRAM`);
  process.exit(1);
}
const stage = await Stage.open(program);
try {
  const {card, undo} = await play(stage);
  const svg = toSvg({
    columns,
    title: 'helve agent asks before an edit, and undoes it',
    description: 'Two terminal windows. In the first, an approval card shows the diff of an edit, the reason the model gave, '
      + 'why Helve asks, and the choices yes, session, always and no. In the second, the user has answered yes, the edit is '
      + 'done, and /undo restores the file.',
    windows: [{title: 'helve agent: approve the edit', rows: card}, {title: 'helve agent: undo it', rows: undo}],
  });
  if (!check) {
    fs.writeFileSync(picture, svg);
  } else if (!fs.existsSync(picture) || fs.readFileSync(picture, 'utf8') !== svg) {
    console.error('docs/approval.svg is out of date; run scripts/picture, look at the new picture and commit it');
    process.exitCode = 1;
  }
} finally {
  stage.close();
}
