# SPDX-License-Identifier: Apache-2.0
"""Texts of models as HTML, with the colours of the language server: what each word is, it says itself."""
import html
import json
import subprocess


class Colours:
    """One `mbc lsp` process; asked for the semantic tokens of one text after the other."""

    def __init__(self, program):
        self._server = subprocess.Popen([program, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self._next = 0
        answer = self._ask('initialize', {'processId': None, 'rootUri': None, 'capabilities': {}})
        self._types = answer['capabilities']['semanticTokensProvider']['legend']['tokenTypes']
        self._send({'method': 'initialized', 'params': {}})

    def close(self):
        self._ask('shutdown', None)
        self._send({'method': 'exit'})
        self._server.wait(timeout=20)

    def html(self, text):
        uri = 'untitled:sample-%d.mbd' % self._next
        self._send({'method': 'textDocument/didOpen',
                    'params': {'textDocument': {'uri': uri, 'languageId': 'mbd', 'version': 1, 'text': text}}})
        data = self._ask('textDocument/semanticTokens/full', {'textDocument': {'uri': uri}})['data']
        self._send({'method': 'textDocument/didClose', 'params': {'textDocument': {'uri': uri}}})
        return self._marked(text, data)

    # Five numbers a token: lines and columns from the one before, length, type, modifiers; columns count UTF-16 units.
    def _marked(self, text, data):
        lines = [line.encode('utf-16-le') for line in text.split('\n')]
        done, marked = [0] * len(lines), [''] * len(lines)
        row = column = 0

        def plain(line, begin, end):
            return html.escape(lines[line][2 * begin:2 * end].decode('utf-16-le'), quote=False)

        for k in range(0, len(data), 5):
            row, column = row + data[k], data[k + 1] + (column if data[k] == 0 else 0)
            end = column + data[k + 2]
            marked[row] += plain(row, done[row], column)
            marked[row] += '<span class="t-%s">%s</span>' % (self._types[data[k + 3]], plain(row, column, end))
            done[row] = end
        return '\n'.join(m + plain(k, done[k], len(lines[k]) // 2) for k, m in enumerate(marked))

    def _send(self, message):
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self._server.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self._server.stdin.flush()

    def _ask(self, method, params):
        self._next += 1
        wanted = self._next
        self._send({'id': wanted, 'method': method, 'params': params})
        while True:
            size = 0
            while (line := self._server.stdout.readline().strip()):
                if line.lower().startswith(b'content-length:'):
                    size = int(line.split(b':')[1])
            if size == 0:
                raise RuntimeError('the language server said nothing to ' + method)
            message = json.loads(self._server.stdout.read(size))
            if message.get('id') == wanted:
                return message.get('result')
