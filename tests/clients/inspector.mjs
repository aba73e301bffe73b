// MCP Inspector's command line lists the tools and calls them.
import assert from 'node:assert/strict';
import {checkClient, program} from './harness.mjs';

const inspector = () => program('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

async function ask(around, target, ...words) {
  const {out, said} = await around.run(['node', inspector(), '--cli', ...target, ...words]);
  try { return JSON.parse(out); } catch { assert.fail(said); }
}
async function listAndCall(around, target) {
  const {tools} = await ask(around, target, '--method', 'tools/list');
  assert.ok(tools.some((tool) => tool.name === 'read' && tool.annotations.readOnlyHint), JSON.stringify(tools));
  const read = await ask(around, target, '--method', 'tools/call', '--tool-name', 'read', '--tool-arg',
                         'path=notes/secret.txt');
  assert.match(read.content[0].text, /heliotrope/);
}

await checkClient('MCP Inspector', {
  'lists and calls over stdio': (around) => listAndCall(around, around.stdio),
  'lists and calls over stdio, modern protocol': (around) => listAndCall(around, [...around.stdio, '--protocol-era', 'modern']),
  'lists and calls over HTTP with the token': async (around) => {
    const {url, token} = await around.serve();
    await listAndCall(around, [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]);
  },
  'is refused over HTTP without the token': async (around) => {
    const {url} = await around.serve();
    const {said} = await around.run(['node', inspector(), '--cli', url, '--transport', 'http', '--method', 'tools/list'],
                                    {fails: true});
    assert.match(said, /auth_required|401/);
  },
});
