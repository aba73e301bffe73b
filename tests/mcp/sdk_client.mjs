// The official TypeScript client against helve mcp. It holds every structured result against the schema that the tool
// promised, and throws when it does not fit: a caller would see that instead of the answer.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "../node/node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js";
import { StdioClientTransport } from "../node/node_modules/@modelcontextprotocol/sdk/dist/esm/client/stdio.js";
import { ElicitRequestSchema } from "../node/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js";

const helve = process.argv[2];
const home = fs.mkdtempSync(path.join(os.tmpdir(), "helve-sdk-"));
const workspace = path.join(home, "w");
fs.mkdirSync(workspace);
fs.writeFileSync(path.join(workspace, "a.txt"), "one\ntwo\n");
fs.writeFileSync(path.join(workspace, "a.py"), "def first():\n    return 1\n");

const transport = (mode) => new StdioClientTransport({
  command: helve,
  args: ["mcp", "--workspace", workspace, "--mode", mode],
  env: { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, "state") },
  stderr: "ignore",
});
const client = new Client({ name: "sdk-test", version: "1" });
await client.connect(transport("full"));
const { tools } = await client.listTools();
const names = new Set(tools.map((tool) => tool.name));
assert.ok(names.has("read") && !names.has("ask_user"), "the user cannot be asked");
const text = (answer) => answer.content.map((part) => part.text ?? "").join("");

// The calls that work, and the text of each answer.
const good = [
  ["read", { path: "a.txt" }, /two/],
  ["ls", { path: "." }, /a\.txt/],
  ["find", { pattern: "*.txt" }, /a\.txt/],
  ["grep", { pattern: "two" }, /a\.txt/],
  ["write", { path: "b.txt", content: "three\n" }, /b\.txt/],
  ["edit", { path: "b.txt", oldText: "three", newText: "3" }, /\+3/],
  ["multi_edit", { path: "b.txt", edits: [{ oldText: "3", newText: "drei" }] }, /drei/],
  ["apply_patch", { patch: "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-drei\n+tres\n" }, /tres/],
  ["undo", {}, /drei/],
  ["history", {}, /b\.txt/],
  ["history", { action: "redo" }, /tres/],
  ["exec", { command: "echo said; exit 3" }, /said/],
  ["process", { action: "list" }, /./],
  ["get_code_outline", { path: "a.py" }, /first/],
  ["code_query", { query: "first" }, /first/],
  ["find_symbols", { path: ".", pattern: "first" }, /first/],
  ["snippet_list", {}, /./],
];
for (const [name, args, said] of good) {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, `${name}: ${text(answer)}`);
  assert.match(text(answer), said, name);
}

// Every tool answers a call without arguments, and the ones below one that cannot work, in words.
const bad = [
  ["read", { path: "nothing.txt" }, /NOT_FOUND/],
  ["read", { path: "/etc/passwd" }, /outside of the workspace/],
  ["edit", { path: "a.txt", oldText: "zebra", newText: "x" }, /zebra|not in a\.txt/],
  ["write", { path: ".git/config", content: "x" }, /protected/],
  ["multi_edit", { path: "a.txt", edits: [{ oldText: "zebra", newText: "x" }] }, /not in a\.txt/],
  ["apply_patch", { patch: "nonsense" }, /patch/],
  ["grep", { pattern: "(" }, /character/],
  ["undo", { path: "a.txt" }, /nothing to undo/],
  ["process", { action: "poll", sessionId: "cmd_none" }, /cmd_none/],
  ["snippet_load", { name: "none" }, /none/],
  ["get_code_outline", { path: "nothing.py" }, /nothing\.py/],
];
for (const [name, args, said] of bad) {
  const answer = await client.callTool({ name, arguments: args });
  assert.equal(answer.isError, true, `${name}: ${text(answer)}`);
  assert.match(text(answer), said, name);
  assert.ok(answer._meta["helve/error"].code, `${name} has no code`);
}
for (const name of names) text(await client.callTool({ name, arguments: {} }));
await client.close();

// The user of the client sees what an edit would change, and is not asked about one that cannot work.
const asked = [];
const person = new Client({ name: "sdk-person", version: "1" }, { capabilities: { elicitation: {} } });
person.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { decision: "allow once" } };
});
await person.connect(transport("ask"));
assert.ok((await person.listTools()).tools.some((tool) => tool.name === "ask_user"));
const miss = await person.callTool({ name: "edit", arguments: { path: "a.txt", oldText: "zebra", newText: "x" } });
assert.equal(miss.isError, true);
assert.deepEqual(asked, []);
const change = { path: "a.txt", oldText: "two", newText: "2", explanation: "Digits are shorter." };
assert.ok(!(await person.callTool({ name: "edit", arguments: change })).isError);
assert.equal(asked.length, 1);
assert.match(asked[0], /^edit wants to write:\n--- a\/a\.txt\n[^]*\n-two\n\+2\n[^]*Why: Digits are shorter\./);
await person.close();
fs.rmSync(home, { recursive: true, force: true });
console.log(`${good.length + bad.length + names.size} calls through the official client`);
