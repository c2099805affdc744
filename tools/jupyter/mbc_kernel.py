# SPDX-License-Identifier: Apache-2.0
"""A Jupyter kernel on a session of mbc: cells are what is typed into `mbc`, curves are pictures.

The session is a process, `mbc jupyter serve`, which reads requests and writes answers, one JSON object a line. What
speaks to notebooks is ipykernel.
"""
import html
import json
import os
import signal
import subprocess

from ipykernel.kernelbase import Kernel

MOST_PAGE_BYTES = 20_000_000  # a larger page of `view` is named and not shown


class Typed:
    """The process behind a kernel: a session that is typed into."""

    def __init__(self):
        # a group of its own: an interrupt comes through interrupt() and no other way
        self.process = subprocess.Popen(
            [os.environ.get("MBC_PROGRAM", "mbc"), "jupyter", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, request):
        """The answer; None when the process has ended."""
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return None
        # an interrupt ends the run there; the answer comes all the same
        before = signal.signal(signal.SIGINT, lambda *_: self.process.send_signal(signal.SIGINT))
        try:
            line = self.process.stdout.readline()
        finally:
            signal.signal(signal.SIGINT, before)
        return json.loads(line) if line else None

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class MbcKernel(Kernel):
    implementation = "mbc"
    implementation_version = "1"
    language = "mbd"
    language_version = "1"
    language_info = {"name": "mbd", "mimetype": "text/x-mbd", "file_extension": ".mbd", "codemirror_mode": "javascript"}
    banner = "mbc: models of constrained mechanics"

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.typed = Typed()

    def stream(self, name, text):
        if text:
            self.send_response(self.iopub_socket, "stream", {"name": name, "text": text})

    def show(self, data):
        self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def show_page(self, path):
        if os.path.getsize(path) > MOST_PAGE_BYTES:
            return
        with open(path, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
        frame = f'<iframe srcdoc="{page}" width="100%" height="600" style="border:0"></iframe>'
        self.show({"text/html": frame, "text/plain": path})

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        answer = self.typed.ask({"do": "execute", "code": code})
        if answer is None:
            self.typed = Typed()
            return self.failed("SessionEnded", "the session has ended; a new one begins", silent)
        if not silent:
            if answer["ok"]:
                self.stream("stderr", answer["messages"])
            if answer["result"]:
                data = {"text/plain": answer["out"]}
                if answer["markdown"]:  # equations of the last line
                    data["text/markdown"] = answer["markdown"]
                content = {"execution_count": self.execution_count, "data": data, "metadata": {}}
                self.send_response(self.iopub_socket, "execute_result", content)
            else:
                self.stream("stdout", answer["out"])
            for picture in answer["pictures"]:
                self.show({"image/svg+xml": picture, "text/plain": "a picture"})
            if answer["page"]:
                self.show_page(answer["page"])
        if not answer["ok"]:
            name = "KeyboardInterrupt" if answer.get("interrupted") else "Error"
            return self.failed(name, answer["messages"].rstrip("\n"), silent)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def failed(self, name, text, silent):
        content = {"ename": name, "evalue": text, "traceback": text.split("\n")}
        if not silent:
            self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def do_complete(self, code, cursor_pos):
        answer = self.typed.ask({"do": "complete", "before": code[:cursor_pos]}) or {"typed": "", "words": []}
        return {
            "status": "ok",
            "matches": answer["words"],
            "cursor_start": cursor_pos - len(answer["typed"]),
            "cursor_end": cursor_pos,
            "metadata": {},
        }

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        begin = end = cursor_pos
        while begin > 0 and (code[begin - 1].isalnum() or code[begin - 1] == "_"):
            begin -= 1
        while end < len(code) and (code[end].isalnum() or code[end] == "_"):
            end += 1
        answer = self.typed.ask({"do": "inspect", "name": code[begin:end]}) or {"text": ""}
        found = bool(answer["text"])
        data = {"text/plain": answer["text"]} if found else {}
        return {"status": "ok", "found": found, "data": data, "metadata": {}}

    def do_is_complete(self, code):
        answer = self.typed.ask({"do": "is_complete", "code": code}) or {"complete": True}
        return {"status": "complete"} if answer["complete"] else {"status": "incomplete", "indent": "  "}

    def do_shutdown(self, restart):
        self.typed.close()
        return {"status": "ok", "restart": restart}


if __name__ == "__main__":
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=MbcKernel)
