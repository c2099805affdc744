// SPDX-License-Identifier: Apache-2.0
// highlight.mjs PROGRAM SOURCE textmate|vim|emacs: compares the colours of the files for editors with the semantic
// tokens of `mbc lsp`: the TextMate grammar with the library of Visual Studio Code, the Vim syntax with Vim, and the
// mode for Emacs with Emacs. The comparison is word by word on all examples and the library. Only the differences in
// DIFFERENCES are allowed, and each of them must occur.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import lsp from "vscode-languageserver-protocol/node.js";
import textmate from "vscode-textmate";
import oniguruma from "vscode-oniguruma";

const [program, source, which] = process.argv.slice(2);
const editors = join(source, "tools/editors");

// Each entry is a word, the server's token and the pattern's token. Patterns see only one line and no declarations.
const DIFFERENCES = {
  textmate: new Set(["wind name property"]), // `input.wind = ...` in a block is not a member.
  vim: new Set(["wind name property"]),
  emacs: new Set(["wind name property"]),
};

// ---- the server

const server = spawn(program, ["lsp", "--stdio"], { env: { ...process.env, MBC_CACHE: "off" } });
const connection = lsp.createMessageConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
connection.listen();

function group({ type, modifiers }, behind) {
  const builtin = modifiers.includes("defaultLibrary");
  switch (type) {
    case "comment":
      return modifiers.includes("documentation") ? "documentation" : "comment";
    case "function":
      return builtin ? "function" : "name";
    case "variable":
      return builtin ? "value" : "name";
    case "type":
      return "unit";
    case "string":
    case "number":
    case "keyword":
    case "operator":
    case "property":
      return type;
    case "enumMember":
      return behind === "." ? "property" : "name"; // This is a label of a machine.
    default:
      return "name"; // These are parameters, classes, events and namespaces.
  }
}

async function meant(path, text, legend) {
  const uri = pathToFileURL(path).href;
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "mbd", version: 1, text },
  });
  const { data } = await connection.sendRequest(lsp.SemanticTokensRequest.type, { textDocument: { uri } });
  connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  const out = [];
  const lines = text.split("\n");
  let line = 0;
  let begin = 0;
  for (let k = 0; k < data.length; k += 5) {
    begin = data[k] === 0 ? begin + data[k + 1] : data[k + 1];
    line += data[k];
    const before = lines[line][begin - 1];
    const modifiers = legend.tokenModifiers.filter((_, bit) => data[k + 4] & (1 << bit));
    out.push({ line, begin, length: data[k + 2], group: group({ type: legend.tokenTypes[data[k + 3]], modifiers }, before) });
  }
  return out;
}

// ---- the TextMate grammar

const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
const registry = new textmate.Registry({
  onigLib: oniguruma.loadWASM(readFileSync(wasm)).then(() => ({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  })),
  loadGrammar: async () => {
    const path = join(editors, "vscode/syntaxes/mbd.tmLanguage.json");
    return textmate.parseRawGrammar(readFileSync(path, "utf8"), path);
  },
});
const grammar = await registry.loadGrammar("source.mbd");

const SCOPES = [
  ["comment.line.documentation", "documentation"],
  ["comment", "comment"],
  ["string", "string"],
  ["constant.numeric", "number"],
  ["keyword.operator", "operator"],
  ["keyword", "keyword"],
  ["support.type", "unit"],
  ["support.function", "function"],
  ["support.variable.setting", "property"],
  ["variable.other.member", "property"],
  ["constant.language", "value"],
];

function byTextMate(text) {
  let state = textmate.INITIAL;
  const lines = text.split("\n").map((line) => {
    const made = grammar.tokenizeLine(line, state);
    state = made.ruleStack;
    return made.tokens;
  });
  return ({ line, begin }) => {
    const token = lines[line].find((one) => one.startIndex <= begin && begin < one.endIndex);
    const scope = token?.scopes.at(-1) ?? "";
    return SCOPES.find(([prefix]) => scope.startsWith(prefix))?.[1] ?? "name";
  };
}

// ---- the Vim syntax

const GROUPS = {
  mbdReserved: "keyword",
  mbdStatement: "keyword",
  mbdEntry: "keyword",
  mbdAction: "keyword",
  mbdModifier: "keyword",
  mbdSetting: "property",
  mbdInput: "property",
  mbdMember: "property",
  mbdValue: "value",
  mbdFunction: "function",
  mbdNumber: "number",
  mbdUnit: "unit",
  mbdType: "unit",
  mbdOperator: "operator",
  mbdString: "string",
  mbdComment: "comment",
  mbdDocumentation: "documentation",
};

// Starts the editor once for all texts and returns the group at the beginning of every token.
function byVim(folder, files) {
  const script = ["set nocompatible encoding=utf-8", "syntax on", "let g:out = []"];
  for (const { path, tokens, text } of files) {
    const lines = text.split("\n");
    const places = tokens.map((t) => `[${t.line + 1},${Buffer.byteLength(lines[t.line].slice(0, t.begin)) + 1}]`);
    script.push(`silent edit ${path}`, `source ${join(editors, "vim/syntax/mbd.vim")}`, "syntax sync fromstart");
    for (let k = 0; k < places.length; k += 200)
      script.push(
        `for [l, c] in [${places.slice(k, k + 200).join(",")}]`,
        `  call add(g:out, synIDattr(synID(l, c, 1), 'name'))`,
        "endfor",
      );
  }
  script.push(`call writefile(g:out, '${folder}/groups')`, "qall!");
  writeFileSync(join(folder, "ask.vim"), script.join("\n") + "\n");
  const run = spawnSync("vim", ["-u", "NONE", "-i", "NONE", "-N", "-n", "-es", "-S", join(folder, "ask.vim")], {
    timeout: 120000,
    encoding: "utf8",
    env: { ...process.env, HOME: folder },
  });
  if (run.status !== 0) throw new Error(`vim: ${run.status} ${run.stderr} ${run.stdout}`);
  return readFileSync(join(folder, "groups"), "utf8").split("\n");
}

// ---- the mode for Emacs

const FACES = {
  "font-lock-keyword-face": "keyword",
  "font-lock-builtin-face": "property",
  "font-lock-variable-name-face": "property",
  "font-lock-constant-face": "value",
  "font-lock-function-name-face": "function",
  "font-lock-type-face": "unit",
  "font-lock-string-face": "string",
  "font-lock-comment-face": "comment",
  "font-lock-comment-delimiter-face": "comment",
  "font-lock-doc-face": "documentation",
};

// Starts the editor once for all texts and returns the face at the beginning of every token.
function byEmacs(folder, files) {
  const script = ["(require 'mbd-mode)", "(setq faces nil)"];
  for (const { path, tokens, text } of files) {
    const lines = text.split("\n");
    const places = tokens.map((t) => `(${t.line} . ${[...lines[t.line].slice(0, t.begin)].length})`);
    script.push(
      `(with-temp-buffer (insert-file-contents ${JSON.stringify(path)}) (mbd-mode)`,
      "  (font-lock-set-defaults) (font-lock-fontify-region (point-min) (point-max))",
      `  (dolist (place '(${places.join(" ")}))`,
      "    (goto-char (point-min)) (forward-line (car place))",
      "    (push (format \"%s\" (get-text-property (+ (point) (cdr place)) 'face)) faces)))",
    );
  }
  script.push(`(write-region (mapconcat #'identity (nreverse faces) "\\n") nil ${JSON.stringify(join(folder, "faces"))})`);
  writeFileSync(join(folder, "ask.el"), script.join("\n") + "\n");
  const emacs = ["-Q", "--batch", "-L", join(editors, "emacs"), "-l", join(folder, "ask.el")];
  const run = spawnSync("emacs", emacs, { timeout: 120000, encoding: "utf8", env: { ...process.env, HOME: folder } });
  if (run.status !== 0) throw new Error(`emacs: ${run.status} ${run.stderr} ${run.stdout}`);
  return readFileSync(join(folder, "faces"), "utf8").split("\n");
}

// ---- the comparison

let words = 0;
let texts = 0;
let failed = 0;
const met = new Map();

function compare({ path, text }, token, found) {
  // The server counts signs and numbers within a unit as part of it.
  const sign = ["operator", "number"].includes(token.group);
  if (found === token.group || (found === "unit" && sign)) return;
  if (which === "emacs" && found === "name" && sign) return; // Emacs 28 has no face for them.
  const word = text.split("\n")[token.line].substr(token.begin, token.length);
  const key = `${word} ${token.group} ${found}`;
  met.set(key, [...(met.get(key) ?? []), `${path}:${token.line + 1}`]);
}

function report() {
  const stated = DIFFERENCES[which];
  for (const [key, places] of met)
    if (!stated.has(key)) {
      ++failed;
      console.log(`highlight: ${key} (${places.length}): ${places.slice(0, 3).join(" ")}`);
    }
  for (const key of stated)
    if (!met.has(key)) {
      ++failed;
      console.log(`highlight: said to differ, and does not: ${key}`);
    }
}

const folder = mkdtempSync(join(tmpdir(), "mbc-highlight-"));
try {
  const hello = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  connection.sendNotification(lsp.InitializedNotification.type, {});
  const files = [];
  for (const place of ["examples", "stdlib"])
    for (const name of readdirSync(join(source, place), { recursive: true }).sort())
      if (name.endsWith(".mbd")) files.push({ path: join(source, place, name) });
  for (const file of files) {
    file.text = readFileSync(file.path, "utf8");
    file.tokens = await meant(file.path, file.text, hello.capabilities.semanticTokensProvider.legend);
    words += file.tokens.length;
    ++texts;
  }
  const [groups, ofGroup] = which === "vim" ? [byVim(folder, files), GROUPS] : [[], FACES];
  if (which === "emacs") groups.push(...byEmacs(folder, files));
  let k = 0;
  for (const file of files) {
    const found = which === "textmate" ? byTextMate(file.text) : () => ofGroup[groups[k++]] ?? "name";
    for (const token of file.tokens) compare(file, token, found(token));
  }
  report();
} catch (error) {
  ++failed;
  console.log(`highlight: ${error.stack}`);
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
console.log(`highlight: ${words} words of ${texts} texts`);
console.log(`highlight: ${texts} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
