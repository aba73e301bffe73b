// The events of whole turns of `helve agent`, compared with golden files: in both dialects, against aimock and against a
// server that sends exactly the bytes a test wants. Usage: node events.mjs HELVE [--update]
import {LLMock} from '../node/node_modules/@copilotkit/aimock/dist/index.js';
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

const helve = path.resolve(process.argv[2]);
const update = process.argv.includes('--update');
const goldens = path.join(import.meta.dirname, 'events');
const dialects = ['openai', 'anthropic'];

// Removes values that differ from run to run and joins the pieces of a text; the events are numbered anew.
function normalised(text, home) {
  const ids = new Map();
  const known = (id) => ids.get(id) ?? (ids.set(id, `call-${ids.size + 1}`), ids.get(id));
  text.trim().split('\n').map((line) => JSON.parse(line)).forEach((event, index) => {
    assert.equal(event.seq, index + 1);
    assert.ok(event.eventId.endsWith(`-${event.seq}`), event.eventId);
  });
  const events = text.trim().split('\n').map((line) => JSON.parse(line, (key, value) => {
    if (key === 'waiting') return value.map(known).sort();
    if (['executionTimeMs', 'usage', 'pauseMs'].includes(key)) return `(${key})`;
    if (key === 'tool_call_id') return known(value);
    if (typeof value !== 'string') return value;
    return value.replaceAll(home, 'HOME').replace(/sessions\/[\w-]+/g, 'sessions/ID').replace(/_[a-z0-9]{16}\.txt/g, '_ID.txt')
      .replace(/127\.0\.0\.1:\d+/g, 'SERVER').replace(/\b\d+(\.\d+)? m?s\b/g, 'N s');
  }));
  const joined = [];
  for (const event of events) {
    const before = joined.at(-1);
    if (event.stream_kind === 'delta' && before?.stream_kind === 'delta') before.content += event.content;
    else joined.push(event);
  }
  // Calls that run at once end in any order: one after the other here.
  const runs = (event) => ['running', 'end', 'error'].includes(event.tool_call);
  for (let from = 0; from < joined.length; ++from) {
    let to = from;
    while (to < joined.length && runs(joined[to])) ++to;
    const sorted = joined.slice(from, to).sort((one, other) => one.tool_call_id.localeCompare(other.tool_call_id));
    joined.splice(from, to - from, ...sorted);
    from = to;
  }
  return joined.map((event, index) => JSON.stringify({...event, eventId: `SESSION-${index + 1}`, seq: index + 1}))
    .join('\n') + '\n';
}

// One turn in a fresh home: yes to what is about c.txt, no to anything else, "y" to questions. The calls of a batch are
// answered from the last to the first, each after the event of the one before, and after a line that is no answer.
async function turn(dialect, url) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'helve-events-'));
  const workspace = path.join(home, 'workspace');
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, 'a.txt'), 'one\n');
  fs.writeFileSync(path.join(workspace, 'b.txt'), 'two\n');
  fs.writeFileSync(path.join(workspace, 'big.txt'), 'a line that is found\n'.repeat(900));
  const child = spawn(helve, ['agent', '--json', '--answers', '--workspace', workspace, '--model', 'test',
    '--set', `model.provider=${dialect}`, '--set', `model.base_url=${url}${dialect === 'openai' ? '/v1' : ''}`, 'Go'],
    {env: {PATH: process.env.PATH, HOME: home, OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none'}, stdio: 'pipe'});
  let out = '';
  let errors = '';
  let read = 0;
  const open = [];
  const say = (answer) => child.stdin.write(JSON.stringify(answer) + '\n');
  const answerLast = () => {
    const asked = open.pop();
    if (asked) say({tool_call_id: asked.id, granted: asked.description.includes('c.txt'), reason: 'one is enough'});
  };
  child.stderr.on('data', (piece) => (errors += piece));
  child.stdout.on('data', (piece) => {
    out += piece;
    for (let end; (end = out.indexOf('\n', read)) >= 0; read = end + 1) {
      const event = JSON.parse(out.slice(read, end));
      const id = event.tool_call_id;
      if (event.tool_call === 'question-required') say({tool_call_id: id, answers: ['y']});
      if (event.tool_call === 'permission-required') {
        const request = event.permission_request;
        assert.equal(request.index, open.push({id, description: request.description}));
        if (open.length === request.count) child.stdin.write('yes\n');
      }
      if (event.details?.waiting || /^permission-(granted|denied)$/.test(event.tool_call)) answerLast();
    }
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await new Promise((done) => child.on('close', done));
  clearTimeout(limit);
  fs.rmSync(home, {recursive: true, force: true, maxRetries: 50, retryDelay: 100});
  assert.notEqual(out, '', errors);
  return normalised(out, home);
}

function compare(name, who, got) {
  const file = path.join(goldens, `${name}.jsonl`);
  if (update && !compare.written.has(name)) {
    fs.writeFileSync(file, got);
    compare.written.add(name);
  }
  assert.equal(got, fs.readFileSync(file, 'utf8'), `${name}, ${who}`);
  console.log(`${name}, ${who}: as it was`);
}
compare.written = new Set();

// Everything in one turn.
const call = (name, args) => ({type: 'toolCall', id: `id_${name}_${Math.random()}`, name, arguments: args});
const steps = [
  {blocks: [{type: 'text', text: 'I look – über alles.'}, call('read', {path: 'a.txt'}), call('read', {path: 'b.txt'})]},
  {blocks: [call('write', {path: 'c.txt', content: 'c\n'}), call('write', {path: 'd.txt', content: 'd\n'})]},
  {blocks: [call('ask_user', {question: 'Which?', options: ['x', 'y']})]},
  {blocks: [call('grep', {pattern: 'found', maxResults: 900})]},
  {content: 'All is done.'},
];
for (const dialect of dialects) {
  const model = new LLMock({port: 0, host: '127.0.0.1', logLevel: 'silent'});
  let refused = false;
  model.on({predicate: () => true}, (request) => {
    const step = request.messages.filter((message) => message.role === 'assistant').length;
    if (step === 4 && !refused) {
      refused = true;
      return {error: {message: 'Slow down', type: 'rate_limit_error'}, status: 429, retryAfter: 1};
    }
    return steps[step];
  });
  await model.start();
  try {
    compare('everything', `aimock, ${dialect}`, await turn(dialect, model.url));
  } finally {
    await model.stop();
  }
}

// A reply as the two dialects write it: text, then a call whose arguments come as this text.
function stream(dialect, {text, name, args}) {
  const data = [];
  if (dialect === 'openai') {
    const send = (delta, finish_reason = null) => data.push({choices: [{index: 0, delta, finish_reason}]});
    if (text) send({role: 'assistant', content: text});
    if (name) send({tool_calls: [{index: 0, id: 'one', type: 'function', function: {name, arguments: args}}]});
    send({}, name ? 'tool_calls' : 'stop');
    return data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('') + 'data: [DONE]\n\n';
  }
  let index = -1;
  const block = (content_block, delta) => data.push({type: 'content_block_start', index: ++index, content_block},
    {type: 'content_block_delta', index, delta}, {type: 'content_block_stop', index});
  data.push({type: 'message_start', message: {id: 'm', type: 'message', role: 'assistant', model: 'test', content: [],
                                              usage: {input_tokens: 1, output_tokens: 1}}});
  if (text) block({type: 'text', text: ''}, {type: 'text_delta', text});
  if (name) block({type: 'tool_use', id: 'one', name, input: {}}, {type: 'input_json_delta', partial_json: args});
  data.push({type: 'message_delta', delta: {stop_reason: name ? 'tool_use' : 'end_turn'}, usage: {output_tokens: 1}},
            {type: 'message_stop'});
  return data.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
}
const brokenIn = (dialect) => dialect === 'openai' ? 'data: {"error": {"message": "It broke", "type": "server_error"}}\n\n'
  : 'event: error\ndata: {"type": "error", "error": {"type": "api_error", "message": "It broke"}}\n\n';

// How the bytes of a reply go over the wire.
const pause = () => new Promise((done) => setImmediate(done));
async function byteByByte(response, bytes) {
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    await pause();
  }
  response.end();
}
const whole = async (response, bytes) => response.end(bytes);
const good = (dialect, step) => stream(dialect, step === 0
  ? {text: 'Ich sehe nach – 見る 🦊.', name: 'read', args: '{"path":"a.txt"}'} : {text: 'Fertig.'});
// Of such a reply, as much as has the text.
const heardOf = (dialect) => {
  const events = good(dialect, 0).split('\n\n');
  return events.slice(0, events.findIndex((event) => event.includes('sehe')) + 1).join('\n\n') + '\n\n';
};
const ways = {
  framing: {
    'in one piece': async (response, dialect, step) => whole(response, good(dialect, step)),
    'byte by byte': async (response, dialect, step) => byteByByte(response, Buffer.from(good(dialect, step))),
    'CRLF': async (response, dialect, step) => whole(response, good(dialect, step).replaceAll('\n', '\r\n')),
    'CR': async (response, dialect, step) => whole(response, good(dialect, step).replaceAll('\n', '\r')),
  },
  overloaded: {'529 first': async (response, dialect, step) => whole(response, good(dialect, step))},
  malformed: {
    'arguments that are not JSON': async (response, dialect, step) => whole(response, stream(dialect, step === 0
      ? {text: 'Now.', name: 'read', args: '{oops'} : {text: 'Fertig.'})),
  },
  cut: {
    'cut in the middle': async (response, dialect) => {
      response.write(heardOf(dialect) + 'data: {"ch');
      await new Promise((done) => setTimeout(done, 50));
      response.destroy();
    },
  },
  broken: {
    'an error inside of the stream': async (response, dialect) => {
      whole(response, heardOf(dialect) + brokenIn(dialect));
    },
  },
};
for (const [name, cases] of Object.entries(ways))
  for (const [way, respond] of Object.entries(cases))
    for (const dialect of dialects) {
      let asked = 0;
      const server = http.createServer((request, response) => {
        let body = '';
        request.on('data', (piece) => (body += piece));
        request.on('end', async () => {
          if (request.method !== 'POST') return response.writeHead(404).end();
          const step = JSON.parse(body).messages.filter((message) => message.role === 'assistant').length;
          ++asked;
          if (name === 'overloaded' && asked === 1)
            return response.writeHead(529, {'retry-after-ms': '10'}).end('{"error": {"message": "Overloaded"}}');
          response.writeHead(200, {'content-type': 'text/event-stream'});
          await respond(response, dialect, step);
        });
      });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      try {
        compare(name, `${way}, ${dialect}`, await turn(dialect, `http://127.0.0.1:${server.address().port}`));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    }
