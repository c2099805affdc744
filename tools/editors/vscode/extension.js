// SPDX-License-Identifier: Apache-2.0
// Starts `mbc lsp` for .mbd files, and runs what code lenses and commands ask for in a terminal.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

function settings() {
  return vscode.workspace.getConfiguration('mbc');
}

function program() {
  return settings().get('path') || 'mbc';
}

function serverArguments() {
  const stdlib = settings().get('stdlib');
  return stdlib ? ['lsp', '--stdlib', stdlib] : ['lsp'];
}

// The file of a lens, or of the editor at hand. It is saved first: the program reads the file.
async function modelOf(uri) {
  const given = uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri;
  if (!given || given.scheme !== 'file') {
    vscode.window.showErrorMessage('mbc: the model has to be a file');
    return undefined;
  }
  const document = await vscode.workspace.openTextDocument(given);
  await document.save();
  return given.fsPath;
}

function execute(command, args) {
  const task = new vscode.Task(
    { type: 'mbc', command, file: args[0] },
    vscode.TaskScope.Workspace,
    `mbc ${command}`,
    'mbc',
    new vscode.ProcessExecution(program(), [command, ...args]),
    '$mbc'
  );
  return vscode.tasks.executeTask(task);
}

// `mbc run FILE NAME`: a block without a name is the only one, or the first.
function runs(command, named) {
  return async (uri, name) => {
    const file = await modelOf(uri);
    if (file) await execute(command, named && name ? [file, name] : [file]);
  };
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('mbc.run', runs('run', true)),
    vscode.commands.registerCommand('mbc.view', runs('view', true)),
    vscode.commands.registerCommand('mbc.test', runs('test', false)),
    vscode.commands.registerCommand('mbc.sweep', runs('sweep', true))
  );
  const server = { command: program(), args: serverArguments(), transport: TransportKind.stdio };
  client = new LanguageClient('mbc', 'mbc', server, { documentSelector: [{ language: 'mbd' }] });
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
