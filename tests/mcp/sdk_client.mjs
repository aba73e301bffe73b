// The official TypeScript client against helve mcp. It holds every structured result against the schema that the tool
// promised, and throws when it does not fit: a caller would see that instead of the answer.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "../node/node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js";
import { StdioClientTransport } from "../node/node_modules/@modelcontextprotocol/sdk/dist/esm/client/stdio.js";

const helve = process.argv[2];
const home = fs.mkdtempSync(path.join(os.tmpdir(), "helve-sdk-"));
const workspace = path.join(home, "w");
fs.mkdirSync(workspace);
fs.writeFileSync(path.join(workspace, "a.txt"), "one\ntwo\n");
fs.writeFileSync(path.join(workspace, "a.py"), "def first():\n    return 1\n");

const client = new Client({ name: "sdk-test", version: "1" });
await client.connect(new StdioClientTransport({
  command: helve,
  args: ["mcp", "--workspace", workspace, "--mode", "full"],
  env: { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, "state") },
  stderr: "ignore",
}));
const { tools } = await client.listTools();
const names = new Set(tools.map((tool) => tool.name));
const text = (answer) => answer.content.map((part) => part.text ?? "").join("");

// What works, and what each of them says.
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
fs.rmSync(home, { recursive: true, force: true });
console.log(`${good.length + bad.length + names.size} calls through the official client`);
