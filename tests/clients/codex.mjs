// Codex adds Helve with the lines that Helve shows, and works with its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {assertReadAndEdited, checkClient, helve, program, readAndEdit} from './harness.mjs';
import {playResponses} from './responses_model.mjs';

const codex = () => program('@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex');

const text = (value) => JSON.stringify(value);  // strings and lists are the same in TOML

async function callThrough(around, server, environment = {}) {
  const model = await playResponses(readAndEdit.map(([name, given]) => ['mcp__helve', name, given]));
  around.model = model;
  around.heard = model.heard;
  const directory = path.join(around.home, '.codex');
  fs.mkdirSync(directory, {recursive: true});
  fs.writeFileSync(path.join(directory, 'config.toml'), `
check_for_update_on_startup = false
model = "gpt-5.1"
model_provider = "local"
[analytics]
enabled = false
[model_providers.local]
name = "Local"
base_url = ${text(`${model.url}/v1`)}
wire_api = "responses"
env_key = "LOCAL_KEY"
supports_websockets = false
[mcp_servers.helve]
${Object.entries(server).map(([key, value]) => `${key} = ${text(value)}`).join('\n')}
default_tools_approval_mode = "approve"
`);
  const {said} = await around.run(
    [codex(), 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox',
     'Read the secret and change the colour.'],
    {environment: {LOCAL_KEY: 'none', RUST_LOG: process.env.KEEP ? 'warn' : 'error', ...environment}});
  assertReadAndEdited(around, said, model.results());
}

async function assertListed(around, what) {
  const {out, said} = await around.run([codex(), 'mcp', 'list', '--json']);
  const server = JSON.parse(out).find((each) => each.name === 'helve');
  assert.ok(server?.enabled, said);
  assert.deepEqual(what(server.transport), true, said);
}

await checkClient('Codex', {
  'is added over stdio': async (around) => {
    await around.type('codex mcp add helve -- helve mcp', 'codex', codex());
    await assertListed(around, ({command, args}) => command === 'helve' && args.join(' ') === 'mcp');
  },
  'is added over HTTP with the line that helve serve prints': async (around) => {
    const {url, line} = await around.serve();
    await around.type(line('Codex'), 'codex', codex());
    const variable = /--bearer-token-env-var (\S+)/.exec(line('Codex'))[1];
    await assertListed(around, (transport) => transport.url === url && transport.bearer_token_env_var === variable);
  },
  'completes calls over stdio': (around) =>
    callThrough(around, {command: helve, args: around.stdio.slice(1)}),
  'completes calls over HTTP': async (around) => {
    const {url, token} = await around.serve();
    await callThrough(around, {url, bearer_token_env_var: 'HELVE_TOKEN'}, {HELVE_TOKEN: token});
  },
});
