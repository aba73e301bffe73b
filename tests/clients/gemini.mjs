// Gemini CLI adds Helve with the lines that Helve shows, and works with its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {assertReadAndEdited, checkClient, program, readAndEdit} from './harness.mjs';

const gemini = () => program('@google/gemini-cli/bundle/gemini.js');
const quiet = {GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_NO_RELAUNCH: 'true',
               GEMINI_API_KEY: 'none'};

// No updates, no statistics; what is added later is written into the workspace's own settings.
function settle(around, more = {}) {
  const directory = path.join(around.home, '.gemini');
  fs.mkdirSync(directory, {recursive: true});
  fs.writeFileSync(path.join(directory, 'settings.json'), JSON.stringify({
    general: {enableAutoUpdate: false, enableAutoUpdateNotification: false},
    privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false},
    security: {auth: {selectedType: 'gemini-api-key'}}, ...more,
  }));
}

async function assertConnected(around) {
  const {said} = await around.run(['node', gemini(), 'mcp', 'list'], {environment: quiet});
  assert.match(said, /helve: .*Connected/, said);
}

async function callThrough(around, server) {
  settle(around, {mcpServers: {helve: {...server, trust: true}}});
  const url = await around.playModel(readAndEdit.map(([name, given]) => [`mcp_helve_${name}`, given]));
  const {said} = await around.run(
    ['node', gemini(), '-m', 'gemini-2.5-flash', '-p', 'Read the secret and change the colour.', '--approval-mode', 'yolo',
     '--output-format', 'stream-json', '--debug'],
    {environment: {...quiet, GOOGLE_GEMINI_BASE_URL: url}});
  assertReadAndEdited(around, said);
}

await checkClient('Gemini CLI', {
  'is added over stdio and says connected': async (around) => {
    settle(around);
    await around.type('gemini mcp add helve helve mcp', 'gemini', gemini(), {environment: quiet});
    await assertConnected(around);
  },
  'is added over HTTP with the line that helve serve prints, and says connected': async (around) => {
    settle(around);
    const {line} = await around.serve();
    await around.type(line('Gemini CLI'), 'gemini', gemini(), {environment: quiet});
    await assertConnected(around);
  },
  'completes calls over stdio': (around) =>
    callThrough(around, {command: around.stdio[0], args: around.stdio.slice(1)}),
  'completes calls over HTTP': async (around) => {
    const {url, token} = await around.serve();
    await callThrough(around, {type: 'http', url, headers: {Authorization: `Bearer ${token}`}});
  },
});
