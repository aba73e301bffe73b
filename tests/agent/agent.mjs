// `helve agent` as scripts and programs use it, with a model server of a few lines on this machine.
// Usage: node agent.mjs HELVE
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

const helve = path.resolve(process.argv[2]);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'helve-agent-'));
const workspace = path.join(home, 'workspace');
fs.mkdirSync(workspace);

// Plays the replies of a script: the one that fits the number of earlier replies.
let script = [];
let heard = [];
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end();
    const {messages} = JSON.parse(body);
    heard.push(messages);
    const reply = script[messages.filter((message) => message.role === 'assistant').length];
    response.writeHead(200, {'content-type': 'text/event-stream'});
    const send = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({choices: [{index: 0, delta, finish_reason: finish}]})}\n\n`);
    if (reply.text) for (const piece of reply.text.match(/.{1,4}/gs)) send({content: piece});
    (reply.calls ?? []).forEach(([name, args], index) =>
      send({tool_calls: [{index, id: `call_${messages.length}_${index}`, type: 'function',
                          function: {name, arguments: JSON.stringify(args)}}]}));
    if (reply.hang) return;
    send({}, reply.calls ? 'tool_calls' : 'stop');
    response.end('data: [DONE]\n\n');
  });
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));

const environment = {
  PATH: process.env.PATH, HOME: home,
  XDG_STATE_HOME: path.join(home, 'state'), XDG_DATA_HOME: path.join(home, 'data'),
  XDG_CONFIG_HOME: path.join(home, 'config'),
};
const started = new Set();

// Without a terminal: the user cannot be asked but the program that started it.
function start(...words) {
  const child = spawn(helve, ['agent', '--workspace', workspace, '--set', 'model.provider=openai',
    '--set', `model.base_url=http://127.0.0.1:${server.address().port}/v1`, '--model', 'test', ...words],
    {env: environment, stdio: 'pipe', detached: true});
  started.add(child);
  child.out = '';
  child.errors = '';
  child.stdout.on('data', (piece) => (child.out += piece));
  child.stderr.on('data', (piece) => (child.errors += piece));
  child.ended = new Promise((done) => child.on('close', (code, signal) => {
    started.delete(child);
    done(code ?? signal);
  }));
  return child;
}
async function run(...words) {
  const child = start(...words);
  child.stdin.end();
  const code = await child.ended;
  return {code, out: child.out, errors: child.errors};
}
async function plain(...words) {
  const child = spawn(helve, words, {env: environment, stdio: ['ignore', 'pipe', 'inherit'], cwd: workspace});
  let out = '';
  child.stdout.on('data', (piece) => (out += piece));
  const code = await new Promise((done) => child.on('close', done));
  return {code, out};
}
const until = async (what, holds) => {
  for (let tries = 0; tries < 1200; ++tries) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`waited too long for ${what}`);
};
const lines = (text) => text.trim().split('\n').map((line) => JSON.parse(line));
const results = () => heard.at(-1).filter((message) => message.role === 'tool').map((message) => message.content);
const file = (name) => path.join(workspace, name);

try {
  // Only the model's last word.
  script = [{text: 'Hello from the model.'}];
  let got = await run('--print', 'Say hello');
  assert.deepEqual(got, {code: 0, out: 'Hello from the model.\n', errors: ''});
  assert.equal(heard.at(-1)[0].role, 'system');
  assert.equal(heard.at(-1).at(-1).content, 'Say hello');

  // Events, one per line, each with its number.
  script = [{text: 'Writing.', calls: [['write', {path: 'a.txt', content: 'one\n'}]]}, {text: 'Done.'}];
  got = await run('--json', '--mode', 'full', 'Write');
  assert.equal(got.code, 0, got.errors);
  let events = lines(got.out);
  events.forEach((event, index) => assert.equal(event.seq, index + 1));
  assert.deepEqual(events.map((event) => event.stream_kind ?? event.tool_call ?? event.event),
    ['init', 'delta', 'delta', 'final', 'start', 'running', 'end', 'init', 'delta', 'delta', 'final', 'stream:end']);
  assert.equal(events.at(-1).reason, 'done');
  assert.equal(fs.readFileSync(file('a.txt'), 'utf8'), 'one\n');

  // Nobody can be asked: denied, and the model gets the reason.
  script = [{calls: [['write', {path: 'b.txt', content: 'x'}]]}, {text: 'Not allowed, then.'}];
  got = await run('--print', 'Write');
  assert.equal(got.code, 0);
  assert.match(results()[0], /^PERMISSION_DENIED: .*the user cannot be asked/);
  assert.equal(got.out, 'Not allowed, then.\n');
  assert.match(got.errors, /^warning: 1 call was not allowed: write\. To allow file changes use --mode accept-edits,/m);
  assert.ok(!fs.existsSync(file('b.txt')));

  // A question without a way to answer it is shown to the user.
  script = [{calls: [['ask_user', {question: 'Red or blue?'}]]}, {text: 'Red, then.'}];
  got = await run('--print', 'Paint it');
  assert.deepEqual([got.code, got.out], [0, 'Red, then.\n']);
  assert.match(got.errors, /^warning: unanswered question: Red or blue\?\nAnswer it with helve agent --resume ses_\w+ "…", /m);

  // A program answers on stdin: one yes for one call, and a question.
  script = [{calls: [['write', {path: 'c.txt', content: 'c\n'}], ['write', {path: 'd.txt', content: 'd\n'}]]},
            {calls: [['ask_user', {question: 'Which?', options: ['x', 'y']}]]}, {text: 'Good.'}];
  let child = start('--json', '--answers', 'Write both');
  child.stdout.on('data', () => {
    for (const line of child.out.split('\n').filter((text) => text.endsWith('}'))) {
      const event = JSON.parse(line);
      child.answered ??= new Set();
      if (!['permission-required', 'question-required'].includes(event.tool_call)) continue;
      if (child.answered.has(event.eventId)) continue;
      child.answered.add(event.eventId);
      child.waiting ??= [];
      child.waiting.push(event);
      if (child.answered.size === 1) continue;  // both approvals are asked for before the first answer
      if (child.answered.size === 2) child.stdin.write('yes\n');
      for (const asked of child.waiting.splice(0)) {
        const answer = asked.tool_call === 'question-required' ? {answers: ['y']}
          : asked.permission_request.description.includes('c.txt') ? {granted: true}
          : {granted: false, reason: 'one is enough'};
        child.stdin.write(JSON.stringify({tool_call_id: asked.tool_call_id, ...answer}) + '\n');
      }
    }
  });
  assert.equal(await child.ended, 0, child.errors);
  assert.deepEqual(results().slice(1), [
    'PERMISSION_DENIED: User denied the request. Reason: one is enough\nDo not try the same again; find another way or ask.', 'y']);
  assert.ok(fs.existsSync(file('c.txt')) && !fs.existsSync(file('d.txt')));
  const complaint = lines(child.out).find((event) => event.event === 'stream:error');
  assert.equal(complaint.error, 'A line on stdin is not JSON: yes');
  assert.equal(complaint.details.waiting.length, 2);

  // An edit of a file with two hard links asks twice, the second time while it runs; an answer ends each wait.
  fs.writeFileSync(file('linked.txt'), 'one\n');
  fs.linkSync(file('linked.txt'), file('other.txt'));
  script = [{calls: [['edit', {path: 'linked.txt', oldText: 'one', newText: 'two'}]]}, {text: 'Edited.'}];
  child = start('--json', '--answers', 'Edit');
  const questions = () => child.out.split('\n').filter((text) => text.endsWith('}'))
    .map((text) => JSON.parse(text)).filter((event) => event.tool_call === 'permission-required');
  for (const count of [1, 2]) {
    await until(`question ${count} about the linked file`, () => questions().length === count);
    assert.equal(fs.readFileSync(file('linked.txt'), 'utf8'), 'one\n');
    child.stdin.write(JSON.stringify({tool_call_id: questions().at(-1).tool_call_id, granted: true}) + '\n');
  }
  assert.equal(await child.ended, 0, child.errors);
  assert.equal(fs.readFileSync(file('other.txt'), 'utf8'), 'two\n');

  // A question that the program does not answer ends by its limit, and the next one is asked.
  script = [{calls: [['ask_user', {question: 'Still there?', timeoutMs: 200}]]},
            {calls: [['ask_user', {question: 'And now?', timeoutMs: 200}]]}, {text: 'Nobody.'}];
  child = start('--json', '--answers', 'Ask');
  assert.equal(await child.ended, 0, child.errors);
  assert.equal(results().filter((text) => text.startsWith('TIMEOUT')).length, 2, results().join('\n'));
  assert.equal(lines(child.out).filter((event) => event.tool_call === 'question-required').length, 2);

  // A session that is at work is not deleted.
  script = [{calls: [['exec', {command: 'touch begun; sleep 60'}]]}];
  child = start('--json', '--mode', 'full', 'Work');
  await until('the work', () => fs.existsSync(file('begun')));
  const [working] = JSON.parse((await plain('sessions', 'list', '--json')).out).sessions;
  assert.equal((await plain('sessions', 'delete', working.id)).code, 1);
  process.kill(child.pid, 'SIGTERM');
  await child.ended;
  const kept = path.join(home, 'state/helve/sessions', working.id);
  assert.equal((await plain('sessions', 'delete', working.id)).code, 0);
  assert.ok(!fs.existsSync(kept));

  // Killed in the middle of a command; nothing runs twice.
  script = [{calls: [['exec', {command: 'echo ran >> log.txt; sleep 60'}], ['ls', {path: '.'}]]}, {text: 'I looked.'}];
  child = start('--json', '--mode', 'full', 'Run it');
  await until('the command', () => fs.existsSync(file('log.txt')));
  process.kill(child.pid, 'SIGKILL');
  assert.equal(await child.ended, 'SIGKILL');
  const last = lines(child.out).at(-1).seq;
  got = await run('--json', '--mode', 'full', '--resume');
  assert.equal(got.code, 0, got.errors);
  assert.match(results()[0], /^OUTCOME_UNKNOWN: Helve was interrupted while exec \(echo ran >> log.txt; sleep 60\) ran/);
  assert.equal(heard.at(-1).at(-1).content, 'Note from Helve: Your turn was interrupted; continue it.');
  assert.equal(fs.readFileSync(file('log.txt'), 'utf8'), 'ran\n');
  events = lines(got.out);
  assert.ok(events[0].seq > last, 'events are counted on');

  // Ctrl-C while the model speaks.
  script = [{text: 'And so on and on', hang: true}];
  child = start('--json', 'Talk');
  await until('the first words', () => child.out.includes('"delta"'));
  process.kill(child.pid, 'SIGINT');
  assert.equal(await child.ended, 130, child.errors);
  assert.equal(lines(child.out).at(-1).reason, 'cancelled');
  script = [{text: 'Now I am through.'}];
  got = await run('--print', '--resume');
  assert.deepEqual([got.code, got.out], [0, 'Now I am through.\n']);

  // Background commands end with the program, which says so.
  script = [{calls: [['exec', {command: 'sleep 60', background: true}]]}, {text: 'It runs.'}];
  got = await run('--print', '--mode', 'full', 'Serve');
  assert.match(got.errors, /^1 background command was ended: cmd_\w+ \(sleep 60\)$/m);

  // A limit has its own exit code.
  script = Array(9).fill({calls: [['ls', {path: '.'}]]});
  got = await run('--print', 'Loop');
  assert.equal(got.code, 4);
  assert.match(got.errors, /same calls 4 times/);

  script = [{calls: [['ls', {path: '.'}]]}, {text: 'Through.'}];
  got = await run('--print', '--max-turns', '1', 'Look');
  assert.equal(got.code, 4);
  const goesOn = got.errors.match(/continue with helve agent --resume (ses_\w+) "Go on"\n$/);
  got = await run('--print', '--max-turns', '1', '--resume', goesOn[1], 'Go on');
  assert.deepEqual([got.code, got.out], [0, 'Through.\n']);

  // The sessions.
  const sessions = JSON.parse((await plain('sessions', 'list', '--json')).out).sessions;
  assert.equal(sessions.length, 12);
  assert.equal(sessions[0].title, 'Look');
  const written = sessions.find((session) => session.title === 'Write both');
  const find = async (words) => JSON.parse((await plain('sessions', 'find', words, '--json')).out).entries
    .map(({session, kind, subject}) => [session, kind, subject]);
  assert.deepEqual(await find('write both'), [[written.id, 'prompt', '']]);
  assert.deepEqual(await find('c.txt'), [[written.id, 'call', 'c.txt']]);
  assert.deepEqual(await find('d.txt'), [], 'it was denied');
  const exported = await plain('sessions', 'export', written.id);
  assert.match(exported.out, /^# Write both\n[^]*### write[^]*The user denied the call\. Reason: one is enough/);
  const steps = JSON.parse((await plain('sessions', 'export', written.id, '--format', 'json')).out).steps;
  assert.ok(steps.some((step) => step.kind === 'approval' && step.granted));
  fs.rmSync(file('a.txt'));
  const replayed = sessions.findLast((session) => session.title === 'Write');
  let replay = await plain('sessions', 'replay', replayed.id, '--json');
  assert.equal(replay.code, 0, replay.out);
  assert.equal(fs.readFileSync(file('a.txt'), 'utf8'), 'one\n');
  replay = await plain('sessions', 'replay', replayed.id, '--json');  // now the file is there already
  assert.equal(replay.code, 1);
  assert.deepEqual(await plain('sessions', 'delete', replayed.id), {code: 0, out: `${replayed.id} deleted: Write\n`});
  assert.deepEqual(await plain('sessions', 'delete', written.id, '--quiet'), {code: 0, out: ''});
  assert.equal(JSON.parse((await plain('sessions', 'list', '--json')).out).total, 10);
  assert.deepEqual(await find('c.txt'), []);
  console.log('helve agent works from outside');
} finally {
  for (const child of started) process.kill(child.pid, 'SIGKILL');
  server.closeAllConnections();
  server.close();
  fs.rmSync(home, {recursive: true, force: true, maxRetries: 50, retryDelay: 100});
}
