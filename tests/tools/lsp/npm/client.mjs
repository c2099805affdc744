// SPDX-License-Identifier: Apache-2.0
// client.mjs PROGRAM SOURCE [EDITS]: tests `mbc lsp` with the libraries of Visual Studio Code on all examples and on
// random edits of them. The diagnostics equal those of `mbc check`, every request has an answer, and nothing ends the
// server.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import lsp from "vscode-languageserver-protocol/node.js";

const [program, source, count = "60"] = process.argv.slice(2);
const PATIENCE = 30000; // milliseconds for an answer
let passed = 0;
let failed = 0;

function check(holds, what) {
  if (holds) return void ++passed;
  ++failed;
  console.log(`lsp_client: ${what}`);
}

// Returns pseudo-random numbers that are the same in every run.
let seed = 12345;
function random(below) {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
}

const examples = readdirSync(join(source, "examples"), { recursive: true })
  .filter((name) => name.endsWith(".mbd"))
  .map((name) => join(source, "examples", name))
  .sort();

const server = spawn(program, ["lsp", "--stdio"], { env: { ...process.env, MBC_CACHE: "off" } });
let ended = false;
server.on("exit", () => (ended = true));
const connection = lsp.createMessageConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
const waiting = new Map();
connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
  waiting.get(`${uri} ${version}`)?.(diagnostics);
});
connection.listen();

function within(promise, what) {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`no answer: ${what}`)), PATIENCE)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function published(uri, version) {
  return within(new Promise((done) => waiting.set(`${uri} ${version}`, done)), `diagnostics of ${uri}`);
}

// Returns the codes and lines of `mbc check` for the text, without those of other files.
function checked(path, text) {
  const run = spawnSync(program, ["check", "-", "--diagnostics=json"], {
    input: text,
    cwd: join(path, ".."),
    encoding: "utf8",
  });
  const out = [];
  for (const line of run.stderr.split("\n").filter((l) => l.startsWith("{"))) {
    const d = JSON.parse(line);
    if (d.code) out.push(d.code);
  }
  return out.sort().join(" ");
}

// The place must not be within a character of two UTF-16 units.
const between = (line, at) => (/[\udc00-\udfff]/.test(line[at] ?? "") ? at - 1 : at);

const codes = (diagnostics) => diagnostics.map((d) => String(d.code)).sort().join(" ");

async function ask(uri, lines, version) {
  const line = random(Math.max(1, lines.length));
  const position = { line, character: random((lines[line] ?? "").length + 1) };
  const document = { uri };
  const range = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  const requests = [
    [lsp.HoverRequest.type, { textDocument: document, position }],
    [lsp.CompletionRequest.type, { textDocument: document, position }],
    [lsp.SignatureHelpRequest.type, { textDocument: document, position }],
    [lsp.DefinitionRequest.type, { textDocument: document, position }],
    [lsp.ReferencesRequest.type, { textDocument: document, position, context: { includeDeclaration: true } }],
    [lsp.DocumentSymbolRequest.type, { textDocument: document }],
    [lsp.SemanticTokensRequest.type, { textDocument: document }],
    [lsp.FoldingRangeRequest.type, { textDocument: document }],
    [lsp.InlayHintRequest.type, { textDocument: document, range }],
    [lsp.CodeLensRequest.type, { textDocument: document }],
  ];
  for (const [type, parameters] of requests) {
    try {
      await within(connection.sendRequest(type, parameters), type.method);
    } catch (error) {
      check(false, `${uri} ${version} ${type.method}: ${error.message}`);
    }
  }
}

async function edited(path, edits) {
  const uri = pathToFileURL(path).href;
  let text = readFileSync(path, "utf8");
  let version = 1;
  const first = published(uri, version);
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "mbd", version, text },
  });
  const opened = await first;
  check(codes(opened) === checked(path, text), `${path}: ${codes(opened)} and check says ${checked(path, text)}`);
  await ask(uri, text.split("\n"), version);
  for (let k = 0; k < edits; ++k) {
    const lines = text.split("\n");
    const line = random(lines.length);
    const begin = between(lines[line], random(lines[line].length + 1));
    const end = between(lines[line], Math.min(lines[line].length, begin + random(6)));
    let by = ["", " ", "\n", "(", "let a = 1\n", lines[random(lines.length)], "é𝄞"][random(7)];
    if (by === lines[line].slice(begin, end)) by += " "; // An edit that changes nothing has no answer.
    lines[line] = lines[line].slice(0, begin) + by + lines[line].slice(end);
    text = lines.join("\n");
    const next = published(uri, ++version);
    connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges: [{ range: { start: { line, character: begin }, end: { line, character: end } }, text: by }],
    });
    const found = await next;
    const wanted = checked(path, text);
    check(codes(found) === wanted, `${path} edit ${k}: ${codes(found)} and check says ${wanted}`);
    await ask(uri, text.split("\n"), version);
  }
  connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
}

try {
  const hello = await within(
    connection.sendRequest(lsp.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} }),
    "initialize",
  );
  check(hello.capabilities.hoverProvider, "there is no hover");
  connection.sendNotification(lsp.InitializedNotification.type, {});
  const each = Math.ceil(Number(count) / examples.length);
  for (const path of examples) await edited(path, each);
  await within(connection.sendRequest(lsp.ShutdownRequest.type), "shutdown");
  check(!ended, "the server has ended");
  connection.sendNotification(lsp.ExitNotification.type);
} catch (error) {
  check(false, error.stack);
} finally {
  server.kill();
}
console.log(`lsp_client: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
