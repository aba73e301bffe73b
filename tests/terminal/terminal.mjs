// `helve agent` at a real terminal, a tmux, with a scripted model; its screens are kept as text beside this file.
// Usage: node terminal.mjs HELVE [--update] [SCENE…]
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {Stage} from './stage.mjs';

const [program, ...rest] = process.argv.slice(2);
const update = rest.includes('--update');
const wanted = rest.filter((word) => !word.startsWith('--'));
const stage = await Stage.open(program);
const {model} = stage;
const start = (options) => stage.start(options);
const file = (name) => stage.file(name);

// Times, signs of life, ids and places differ from run to run.
function normalised(screen) {
  return stage.steady(screen, {workspace: '/workspace', time: 'TIME', duration: 'N s'})
    .replace(/ses_[0-9a-z]+/g, 'ses_ID').replace(/\b(cmd|exec|proc)_[0-9a-z]+/g, '$1_ID')
    .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '*')
    .replace(/\d+ process(es)?, CPU N s, [^,]*,/, 'N processes, CPU N s, N MB,')
    .replace(/[ \t]+$/gm, '').replace(/\n+$/, '\n');
}

// The screen as it is kept; waits until it is so. With all that was scrolled out of it: how much that is depends on
// how much was shown at once, and so on who was faster, the model or Helve.
async function golden(terminal, name) {
  const options = {all: true};
  const file = path.join(import.meta.dirname, `${name}.txt`);
  if (update) {
    await terminal.settled(normalised);
    fs.writeFileSync(file, normalised(terminal.screen(options)));
    return;
  }
  const kept = fs.readFileSync(file, 'utf8');
  try {
    await terminal.until(name, (screen) => normalised(screen) === kept, options);
  } catch {
    assert.equal(normalised(terminal.screen(options)), kept, `the screen is not that of ${name}.txt; --update keeps the new one`);
  }
}

const results = () => model.heard.at(-1).filter((message) => message.role === 'tool').map((message) => message.content);
const ready = (terminal) => terminal.shows('test-model · ');

const markdown = `## What I found

The function **add** in \`add.py\` subtracts, which is *not* what its name says, so every test of it fails.

1. Fix the sign.
2. Run the tests, all of them, also those that seem to have nothing to do with it.

\`\`\`python
def add(a, b):
    return a + b  # was: a - b
\`\`\`

| file | tests |
|---|---|
| add.py | 3 |

See [the docs](https://example.com/add).`;

const scenes = {
  // The user's input, with editing, and the model's answer, as Markdown.
  async markdown() {
    model.script = [{reasoning: 'The user wants a summary. I know what is wrong.', text: markdown}];
    const terminal = start();
    await ready(terminal);
    terminal.type('What id wrong?');
    terminal.press('C-a', 'M-f', 'Right', 'Right', 'Right', 'BSpace', 'BSpace');
    terminal.type('is');
    await terminal.shows('> What is wrong?');
    terminal.press('C-e', 'Enter');
    await terminal.shows('the docs');
    await golden(terminal, 'markdown');
    assert.equal(model.heard.at(-1).at(-1).content, 'What is wrong?');
    assert.match(terminal.screen({styles: true}), /\x1b\[1m/);
    terminal.press('C-d');
    await terminal.shows('(ended with 0)');
  },

  // A command: the card, yes, and the line that stays; no with a reason; always, with the rule.
  async approval() {
    model.script = [
      {text: 'I run the tests.', calls: [['exec', {command: 'echo 3 passed', explanation: 'To see whether they pass.'}]]},
      {calls: [['exec', {command: 'touch made && echo made'}]]},
      {calls: [['exec', {command: 'touch other', cwd: '.'}]]},
      {text: 'All done.'}];
    const terminal = start();
    await ready(terminal);
    terminal.type('Run the tests');
    terminal.press('Enter');
    await terminal.card('wants to');
    await golden(terminal, 'approval-card');
    terminal.press('y');
    await terminal.card('touch made');
    await terminal.decide('n');
    await terminal.shows('Why not?');
    terminal.type('not today');
    terminal.press('Enter');
    await terminal.card('touch other');
    await terminal.decide('a');
    await terminal.says('All done.');
    await golden(terminal, 'approval-done');
    assert.match(results()[0], /3 passed/);
    assert.match(results()[1], /User denied the request\. Reason: not today/);
    assert.ok(!fs.existsSync(file('made')) && fs.existsSync(file('other')));
    const rules = path.join(stage.home, 'config/helve/rules');
    const kept = fs.readdirSync(rules).map((name) => fs.readFileSync(path.join(rules, name), 'utf8')).join('');
    assert.match(kept, /exec\(touch/);
  },

  // The screen of docs/agent.md, which tests/docs compares with the page.
  async guide() {
    model.script = [
      {calls: [['read', {path: 'add.py'}]]},
      {calls: [['edit', {path: 'add.py', oldText: 'return a - b', newText: 'return a + b'}]]},
      {calls: [['exec', {command: 'python3 -m unittest', explanation: 'To see whether the tests pass.'}]]}];
    const terminal = start();
    fs.writeFileSync(file('add.py'), 'def add(a, b):\n    """Adds."""\n    return a - b\n');
    await ready(terminal);
    terminal.type('Fix the failing test');
    terminal.press('Enter');
    await terminal.card('return a + b');
    terminal.press('y');
    await terminal.card('unittest');
    await golden(terminal, 'guide');
  },

  // An edit: the diff in the card, not again after it; Ctrl-O shows the result; /diff and /undo.
  async diff() {
    model.script = [
      {calls: [['read', {path: 'add.py'}]]},
      {calls: [['edit', {path: 'add.py', oldText: 'return a - b', newText: 'return a + b'}]]},
      {calls: [['write', {path: 'new.txt', content: 'one\ntwo\n'}]]},
      {text: 'Fixed.'}];
    const terminal = start({rows: 45});
    fs.writeFileSync(file('add.py'), 'def add(a, b):\n    """Adds."""\n    return a - b\n');
    await ready(terminal);
    terminal.type('Fix it');
    terminal.press('Enter');
    await terminal.card('return a + b');
    await golden(terminal, 'diff-card');
    assert.match(terminal.screen({styles: true}), /return a \x1b\[7m-/);
    terminal.press('y');
    await terminal.card('new.txt (new)');
    await terminal.decide('s');
    await terminal.says('Fixed.');
    terminal.press('C-o');
    await terminal.until('the last result', (screen) => screen.split('+ two').length > 2);
    terminal.type('/undo 2');
    terminal.press('Enter');
    await terminal.until('the undo', () => !fs.existsSync(file('new.txt')));
    await golden(terminal, 'diff-done');
    assert.match(fs.readFileSync(file('add.py'), 'utf8'), /a - b/);
    model.script = [{}, {}, {}, {}, {text: 'I see.'}];
    terminal.type('go on');
    terminal.press('Enter');
    await terminal.says('I see.');
    assert.match(model.heard.at(-1).at(-1).content, /undid[^]*go on$/);
  },

  // Esc while the model speaks, Ctrl-C while a command runs; what is in the background goes on.
  async interruption() {
    model.script = [{calls: [['exec', {command: 'while sleep 0.1; do date >> ticks; done', background: true}]]},
      {text: 'Now I talk and', hang: true}];
    const terminal = start({mode: 'full', columns: 170});  // what /ps says has no fixed length
    await ready(terminal);
    terminal.type('Talk');
    terminal.press('Enter');
    await terminal.shows('Now I talk and');
    terminal.press('Escape');
    await terminal.shows('Interrupted.');
    await golden(terminal, 'interrupted');
    model.script = [{}, {calls: [['exec', {command: 'echo working; sleep 300'}]]}, {text: 'no'}];
    terminal.type('Work');
    terminal.press('Enter');
    await terminal.shows('  working');
    terminal.press('C-c');
    await terminal.until('the end of the command', (screen) => screen.split('Interrupted.').length > 2);
    terminal.type('/ps');
    terminal.press('Enter');
    await terminal.shows('while sleep');
    await golden(terminal, 'interrupted-ps');
    const ticks = fs.statSync(file('ticks')).size;
    await terminal.until('the background command', () => fs.statSync(file('ticks')).size > ticks);
    terminal.press('C-c');
    await terminal.shows('will be ended');
    terminal.press('C-d');
    await terminal.shows('1 background command was ended: cmd_');
    await terminal.shows('(ended with 0)');
  },

  // Background commands: which one is meant, and which ended with the program.
  async background() {
    model.script = [{text: 'Hello.'},
      {calls: [['exec', {command: 'echo one; sleep 300', background: true}]]},
      {calls: [['exec', {command: 'echo two; sleep 300', background: true}]]},
      {text: 'Both run.'}];
    const terminal = start({mode: 'full', columns: 150, rows: 60});
    await ready(terminal);
    await terminal.say('Hi', 'Hello.');
    await terminal.say('/tail', 'There are no background commands.');
    await terminal.say('/stop', 'No background command is running.');
    await terminal.say('Start both', 'Both run.');
    await terminal.say('/tail', 'Several commands match. Name one: /tail ID');
    await terminal.say('/stop cmd_nosuch', 'There is no background command cmd_nosuch.');
    const [, first] = terminal.screen({all: true}).match(/Background commands: (cmd_[0-9a-z]+) \(echo one; sleep 300\), cmd_/);
    await terminal.say(`/stop ${first}`, `${first} has ended: killed`);
    await terminal.say(`/stop ${first}`, 'had ended before');
    await terminal.say('/tail 1', '1    two');
    await terminal.say('/tail cmd_x many', 'LINES must be');
    await golden(terminal, 'background');
    terminal.type('/quit');
    terminal.press('Enter');
    await terminal.shows('1 background command was ended: cmd_');
    await terminal.shows('(ended with 0)');
  },

  // Narrower and wider while a card is open and while text is there.
  async resizing() {
    model.script = [{text: 'A paragraph that is long enough to be wrapped at eighty columns, and more so at fifty of them.',
      calls: [['exec', {command: 'echo one two three four five six seven eight nine ten'}]]}, {text: markdown}];
    const terminal = start();
    await ready(terminal);
    terminal.type('Go, and let this be a line that needs two rows when the terminal is narrow');
    terminal.press('Enter');
    await terminal.card('wants to');
    terminal.resize(50, 30);
    await golden(terminal, 'resized-card');
    terminal.press('y');
    await terminal.shows('2.4k in');
    terminal.resize(100, 40);
    terminal.type('wider');
    await terminal.shows('> wider');
    await golden(terminal, 'resized-wider');
  },

  async narrow() {
    model.script = [{text: markdown, calls: [['edit', {path: 'a-file-with-a-long-name.txt', oldText: 'two', newText: 'three'}]]},
      {calls: [['ask_user', {question: 'Which colour should it have?', options: ['red', 'green'], default: 'green'}]]}, {text: 'Good.'}];
    const terminal = start({columns: 40, rows: 60});
    fs.writeFileSync(file('a-file-with-a-long-name.txt'), 'a line that is longer than forty columns by far: one two\n');
    await ready(terminal);
    terminal.type('Do something with the file');
    terminal.press('Enter');
    await terminal.card('wants to');
    await golden(terminal, 'narrow');
    terminal.press('y');
    await terminal.shows('no answer');
    terminal.type('1');
    terminal.press('Enter');
    await terminal.says('Good.');
    await golden(terminal, 'narrow-question');
    assert.equal(results().at(-1), 'red');
  },

  async nocolour() {
    model.script = [{text: markdown, calls: [['write', {path: 'x', content: 'y\n'}]]}, {text: 'Good.'}];
    const terminal = start({environment: {NO_COLOR: '1'}, rows: 50});
    await ready(terminal);
    terminal.type('Go');
    terminal.press('Enter');
    await terminal.card('wants to');
    await golden(terminal, 'no-colour');
    assert.ok(!terminal.screen({styles: true, all: true}).includes('\x1b'), 'there are no colours');
  },

  // A terminal that cannot move its cursor: lines out, lines in.
  async dumb() {
    model.script = [{text: 'Hello.', calls: [['exec', {command: 'echo x'}]]},
      {calls: [['ask_user', {question: 'Which?', options: ['a', 'b']}]]}, {text: 'Good.'}];
    const terminal = start({environment: {TERM: 'dumb'}, words: []});
    await terminal.shows('>');
    terminal.type('Go');
    terminal.press('Enter');
    await terminal.shows('Allow?');
    terminal.type('y');
    terminal.press('Enter');
    await terminal.shows('Answer:');
    terminal.type('2');
    terminal.press('Enter');
    await terminal.says('Good.');
    await golden(terminal, 'dumb');
    terminal.type('/quit');
    terminal.press('Enter');
    await terminal.shows('(ended with 0)');
  },

  // Nothing that a model, a file or a command says moves the cursor, sets a title or clears the screen.
  async hostile() {
    model.script = [
      {reasoning: 'evil\x1b[2Jthought', text: 'Before \x1b[2J\x1b]0;owned\x07 after \u202eback\u202c \x9b31m end',
       calls: [['exec', {command: 'printf "out\\033[2Jput\\033]0;x\\007\\n"; exit 3 # \x1b[1A\x1b[2K'}]]},
      {calls: [['write', {path: 'na\x1b[2Jme', content: 'x\n'}]]},  // is refused before the user is asked
      {calls: [['write', {path: 'name', content: 'con\x1b[2Jtent\n', explanation: 'why\x1b[2J not'}]]},
      {calls: [['ask_user', {question: 'Q\x1b[2J?', options: ['o\x1b[2Jne']}]]},
      {text: 'Done.'}];
    const terminal = start({rows: 50});
    await ready(terminal);
    terminal.type('Be evil');
    terminal.press('Enter');
    await terminal.card('wants to');
    terminal.press('y');
    await terminal.card('write wants to');
    await terminal.decide('y');
    await terminal.shows('Type a number or text.');
    terminal.type('1');
    terminal.press('Enter');
    await terminal.says('Done.');
    await golden(terminal, 'hostile');
  },

  // Commands, their help, and names that are nearly right; what was typed is there in the next run.
  async commands() {
    model.script = [{text: 'Hello.'}];
    let terminal = start({rows: 45});
    await ready(terminal);
    terminal.type('/tial');
    terminal.press('Enter');
    await terminal.shows('Did you mean /tail?');
    terminal.type('/he');
    terminal.press('Tab', 'Enter');
    await terminal.shows('Ctrl-O');
    terminal.paste('two\nlines');
    await terminal.shows('  lines');
    terminal.press('Enter');
    await terminal.says('Hello.');
    await terminal.shows('1.2k in');
    terminal.type('/cost');
    terminal.press('Enter');
    await terminal.shows('1,200 tokens in');
    terminal.type('/model other');
    terminal.press('Enter');
    await terminal.shows('The model is now other');
    await golden(terminal, 'commands');
    terminal.press('C-c');
    await terminal.shows('Press Ctrl-C again to quit.');
    terminal.press('C-c');
    await terminal.shows('(ended with 0)');
    terminal.end();
    terminal = start({same: true, words: ['--resume']});
    await terminal.says('Hello.');
    terminal.press('Up', 'Up', 'Up');
    await terminal.shows('  lines');
    await golden(terminal, 'commands-resumed');
    const history = path.join(stage.home, 'state/helve/agent-history');
    assert.equal(fs.statSync(history).mode & 0o777, 0o600);
  },

  // Two cards of one reply are two; what was done is taken back, made again, and in another mode not asked about.
  async modes() {
    model.script = [{calls: [['exec', {command: 'sleep 0.3'}], ['write', {path: 'two', content: '2\n'}]]}, {text: 'Both done.'},
      {calls: [['write', {path: 'three', content: '3\n'}]]}, {text: 'A third.'}];
    const terminal = start({rows: 60});
    await ready(terminal);
    await terminal.say('/mode plann', 'Unknown mode plann.');
    terminal.type('Wait and write');
    terminal.press('Enter');
    await terminal.card('wants to execute');
    terminal.press('y');
    await terminal.card('wants to write');
    await terminal.decide('s');
    await terminal.says('Both done.');
    await terminal.say('/undo', 'two (deleted)');
    assert.ok(!fs.existsSync(file('two')));
    await terminal.say('/redo', 'Redid write');
    assert.equal(fs.readFileSync(file('two'), 'utf8'), '2\n');
    await terminal.say('/redo', 'There is nothing to redo');
    await terminal.say('/mode', 'The mode is ask.');
    await terminal.say('/mode accept-edits', 'Mode accept-edits until');
    await terminal.say('And one more', 'A third.');
    assert.equal(fs.readFileSync(file('three'), 'utf8'), '3\n');
    assert.match(model.heard.at(-2).at(-1).content, /the user redid 1 change/);
    await golden(terminal, 'modes');
  },

  // Text typed while the model works is sent afterwards; a card does not take it for an answer.
  async typing() {
    model.script = [{calls: [['exec', {command: 'until test -e go; do sleep 0.05; done'}]]},
      {calls: [['write', {path: 'x', content: 'y\n'}]]}, {text: 'First.'}, {text: 'Second.'}];
    const terminal = start({mode: 'accept-edits', words: ['--set', 'permissions.allow=["exec(until *)","exec(sleep *)","exec(test *)"]']});
    await ready(terminal);
    terminal.type('Work');
    terminal.press('Enter');
    await terminal.until('the call', (screen) => /exec until|wants to/.test(screen));
    if (/wants to/.test(terminal.screen())) terminal.press('y');
    await terminal.shows('Working,');
    terminal.type('then this');
    terminal.press('Enter');
    await terminal.shows('Next: then this');
    fs.writeFileSync(file('go'), '');
    await terminal.says('Second.');
    assert.equal(model.heard.at(-1).at(-1).content, 'then this');
  },
};

try {
  for (const [name, scene] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const begun = Date.now();
    model.heard = [];
    await scene();
    console.log(`${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }
} finally {
  stage.close();
}
