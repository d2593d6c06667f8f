# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium over its debugging pipe: opens a page at a size and in a colour scheme, evaluates, and takes
pictures and PDFs. Needs nothing but Chromium."""

import base64
import json
import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """Returns the path of Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser with one page. `messages` holds what the page wrote to its console since the last open()."""

    def __init__(self, folder):
        from_browser, browser_out = os.pipe()
        browser_in, self.to_browser = os.pipe()

        def place_pipes():
            # Chromium reads commands from descriptor 3 and writes answers to 4.
            for wanted, pipe in ((13, browser_in), (14, browser_out), (3, 13), (4, 14)):
                os.dup2(pipe, wanted)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(browser_in)
        os.close(browser_out)
        self.answers = os.fdopen(from_browser, "rb")
        self.last = 0
        self.session = None
        self.messages = []
        self.loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=30)

    def read(self):
        """Reads one message and notes events."""
        line = bytearray()
        while (byte := self.answers.read(1)) not in (b"\0", b""):
            line += byte
        if not line:
            raise RuntimeError("Chromium ended")
        message = json.loads(line)
        method = message.get("method", "")
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(message["params"])[:300])
        self.loaded |= method == "Page.loadEventFired"
        return message

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.last:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url, width, height=900, dark=False):
        self.messages = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.loaded = False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.read()

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"]))
