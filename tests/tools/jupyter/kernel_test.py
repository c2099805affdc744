# SPDX-License-Identifier: Apache-2.0
"""Tests the kernel of `mbc jupyter install` with jupyter_client, which starts and asks it like a notebook."""
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = os.environ["MBC_TESTED"]
PATIENCE = 60  # seconds


def install(prefix):
    made = subprocess.run(
        [PROGRAM, "jupyter", "install", "--prefix", prefix, "--python", "/usr/bin/python3"],
        check=True, capture_output=True, text=True,
    )
    folder = made.stdout.strip()
    assert folder == os.path.join(prefix, "share/jupyter/kernels/mbc"), folder
    with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
        spec = json.load(file)
    assert spec["language"] == "mbd" and spec["argv"][0] == "/usr/bin/python3"
    assert os.path.samefile(spec["env"]["MBC_PROGRAM"], PROGRAM)


class Notebook:
    def __init__(self):
        from jupyter_client.manager import start_new_kernel

        self.manager, self.client = start_new_kernel(kernel_name="mbc", startup_timeout=PATIENCE)

    def wait(self, request):
        """Returns everything that a request shows: streams, results, pictures, errors."""
        seen = {"stdout": "", "stderr": "", "result": "", "markdown": "", "pictures": [], "html": [],
                "error": None}
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return seen
            if kind == "stream":
                seen[content["name"]] += content["text"]
            if kind == "execute_result":
                seen["result"] = content["data"]["text/plain"]
                seen["markdown"] = content["data"].get("text/markdown", "")
            if kind == "display_data":
                if "image/svg+xml" in content["data"]:
                    seen["pictures"].append(content["data"]["image/svg+xml"])
                if "text/html" in content["data"]:
                    seen["html"].append(content["data"]["text/html"])
            if kind == "error":
                seen["error"] = content["evalue"]

    def cell(self, code):
        return self.wait(self.client.execute(code))

    def reply(self, request):
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") == request:
                return message["content"]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


def values(n):
    assert n.cell("param m = 2 [kg], k = 8 [N/m]\nlet T = 2*pi*sqrt(m/k)\nT")["result"] == "3.141592653589793 [s]"
    assert n.cell("ans/2")["result"] == "1.5707963267948966 [s]"
    anew = n.cell("param k = 32 [N/m]")
    assert "was 8 [N/m]" in anew["stderr"], anew
    assert n.cell("T")["result"] == "1.5707963267948966 [s]"


def errors(n):
    wrong = n.cell("let a = 1\nlet b = = 2\nlet c = 3")
    assert "error[" in wrong["error"] and "<input>:2:" in wrong["error"], wrong
    assert n.cell("a")["result"] == "1"
    assert n.cell("c")["error"]
    assert "undefined" in n.cell("1/0")["error"]


def motion(n):
    shown = n.cell("particle p(m) at (0, 0, 1) [m]\nforce s on p: -k*p.pos\nrun 2 [s]\nplot p.z, p.vz")
    assert shown["error"] is None and "t = 0 .. 2" in shown["stderr"], shown
    assert len(shown["pictures"]) == 1 and shown["pictures"][0].startswith("<svg"), shown
    equations = n.cell(":equations M")
    assert "M[1,1] = m" in equations["result"] and "$$" in equations["markdown"], equations
    assert n.cell("m")["markdown"] == ""
    assert "<iframe" in n.cell("view")["html"][0]
    n.cell("let lines = (1 +\n 2)")
    assert n.cell("lines")["result"] == "3"


def editing(n):
    done = n.reply(n.client.complete("1 + p.ve", 8))
    assert "p.vel" in done["matches"] and done["cursor_start"] == 4, done
    done = n.reply(n.client.complete("é = p.ma", 8))
    assert done["matches"] == ["p.mass"] and done["cursor_start"] == 4, done
    help_text = n.reply(n.client.inspect("1 + atan2(1, 2)", 6))
    assert help_text["found"] and "the angle of the point" in help_text["data"]["text/plain"], help_text
    assert n.reply(n.client.is_complete("let a = (1,"))["status"] == "incomplete"
    assert n.reply(n.client.is_complete("1 + 1"))["status"] == "complete"


def interrupt(n):
    # an error aborts the requests that come soon after it, unless the request says otherwise
    request = n.client.execute("run 1e5 [s] step 1e-3 [s]", stop_on_error=False)
    time.sleep(1)
    n.manager.interrupt_kernel()
    seen = n.wait(request)
    assert "interrupted" in seen["error"], seen
    answer = n.reply(request)
    assert answer["status"] == "error" and answer["ename"] == "KeyboardInterrupt", answer
    assert n.cell("m")["result"] == "2 [kg]"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as prefix:
        install(prefix)
        os.environ["JUPYTER_PATH"] = os.path.join(prefix, "share/jupyter")
        os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(prefix, "runtime")
        notebook = Notebook()
        try:
            for check in (values, errors, motion, editing, interrupt):
                try:
                    check(notebook)
                    passed += 1
                except Exception:
                    failed += 1
                    print(f"jupyter: {check.__name__}")
                    traceback.print_exc(file=sys.stdout)
        finally:
            notebook.close()
    print(f"jupyter: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
