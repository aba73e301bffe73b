// opencode connects to Helve and works with its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {assertReadAndEdited, checkClient, program, readAndEdit} from './harness.mjs';

// The baseline build runs on processors of any age.
const opencode = () => program('opencode-linux-x64-baseline/bin/opencode');
const quiet = {OPENCODE_DISABLE_AUTOUPDATE: 'true', OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
               OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true', OPENCODE_DISABLE_MODELS_FETCH: 'true'};

function settle(around, server, url) {
  const directory = path.join(around.environment.XDG_CONFIG_HOME, 'opencode');
  fs.mkdirSync(directory, {recursive: true});
  fs.writeFileSync(path.join(directory, 'opencode.json'), JSON.stringify({
    autoupdate: false, share: 'disabled', mcp: {helve: {...server, enabled: true}},
    ...(url && {
      model: 'local/played', small_model: 'local/played',
      provider: {local: {npm: '@ai-sdk/openai-compatible', name: 'Local', options: {baseURL: `${url}/v1`, apiKey: 'none'},
                         models: {played: {name: 'Played'}}}},
    }),
  }));
}

async function assertConnected(around, server) {
  settle(around, server);
  const {said} = await around.run([opencode(), 'mcp', 'list'], {environment: quiet});
  assert.match(said, /helve\b.*connected/, said);
}

async function callThrough(around, server) {
  settle(around, server, await around.playModel(readAndEdit.map(([name, given]) => [`helve_${name}`, given])));
  const {said} = await around.run([opencode(), 'run', '--format', 'json', 'Read the secret and change the colour.',
                                   '--print-logs'], {environment: quiet});
  assertReadAndEdited(around, said);
}

const overStdio = (around) => ({type: 'local', command: around.stdio});
const overHttp = async (around) => {
  const {url, token} = await around.serve();
  return {type: 'remote', url, oauth: false, headers: {Authorization: `Bearer ${token}`}};
};

await checkClient('opencode', {
  'says connected over stdio': (around) => assertConnected(around, overStdio(around)),
  'says connected over HTTP': async (around) => assertConnected(around, await overHttp(around)),
  'completes calls over stdio': (around) => callThrough(around, overStdio(around)),
  'completes calls over HTTP': async (around) => callThrough(around, await overHttp(around)),
});
