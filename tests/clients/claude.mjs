// Claude Code adds Helve with the lines that Helve shows, and works with its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {assertReadAndEdited, checkClient, program, readAndEdit} from './harness.mjs';

const claude = () => program('@anthropic-ai/claude-code-linux-x64/claude');
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1', DISABLE_BUG_COMMAND: '1', IS_SANDBOX: '1',
};

async function assertConnected(around) {
  const {out, said} = await around.run([claude(), 'mcp', 'list'], {environment: quiet});
  assert.match(out, /^helve: .*Connected/m, said);
}

// The model calls two of Helve's tools, and Claude Code's own tools stay out of it.
async function callThrough(around, server) {
  const url = await around.playModel(readAndEdit.map(([name, given]) => [`mcp__helve__${name}`, given]));
  const config = path.join(around.root, 'mcp.json');
  fs.writeFileSync(config, JSON.stringify({mcpServers: {helve: server}}));
  const log = path.join(around.root, 'debug.log');
  const {said} = await around.run(
    [claude(), '-p', 'Read the secret and change the colour.', '--mcp-config', config, '--strict-mcp-config',
     '--allowedTools', 'mcp__helve__read,mcp__helve__edit', '--output-format', 'stream-json', '--verbose',
     '--debug-file', log],
    {environment: {...quiet, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', ENABLE_TOOL_SEARCH: 'false'}});
  assertReadAndEdited(around, said);
  return said;
}

await checkClient('Claude Code', {
  'is added over stdio and says connected': async (around) => {
    await around.type('claude mcp add helve -- helve mcp', 'claude', claude(), {environment: quiet});
    await assertConnected(around);
  },
  'is added over HTTP with the line that helve serve prints, and says connected': async (around) => {
    const {line} = await around.serve();
    await around.type(line('Claude Code'), 'claude', claude(), {environment: quiet});
    await assertConnected(around);
  },
  'completes calls over stdio': (around) =>
    callThrough(around, {command: around.stdio[0], args: around.stdio.slice(1)}),
  'completes calls over HTTP': async (around) => {
    const {url, token} = await around.serve();
    await callThrough(around, {type: 'http', url, headers: {Authorization: `Bearer ${token}`}});
  },
});
