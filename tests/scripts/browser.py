# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium through chromedriver's HTTP interface (W3C WebDriver), for tests of pages."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars")


class Browser:
    """A session with a profile of its own, which is gone afterwards."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None

    def __enter__(self):
        self.wait_for_driver()
        options = {"args": [*FLAGS, f"--user-data-dir={self.profile}"],
                   "binary": shutil.which("chromium")}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}}
                                )["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.ask("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=20)
            shutil.rmtree(self.profile, ignore_errors=True)

    def wait_for_driver(self):
        for _ in range(300):
            try:
                if self.ask("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise AssertionError("chromedriver does not answer")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:2000]) from error

    def command(self, path, body):
        return self.ask("POST", f"/session/{self.session}/{path}", body)

    def devtools(self, name, **parameters):
        return self.command("goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, file, width, height, dark=False):
        """Shows a file on a screen of this size, in light or in dark."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.command("url", {"url": pathlib.Path(file).resolve().as_uri()})

    def run(self, script, *words):
        return self.command("execute/sync", {"script": script, "args": words})

    def wait_until(self, condition, seconds=90):
        """condition: an expression of JavaScript."""
        last = time.monotonic() + seconds
        while time.monotonic() < last:
            if self.run(f"return Boolean({condition})"):
                return
            time.sleep(0.1)
        raise AssertionError(f"not so after {seconds} s: {condition}; {self.messages()}")

    def messages(self):
        """What the page has written to the console, and what went wrong, since last asked."""
        log = self.command("se/log", {"type": "browser"})
        return [f"{m['level']}: {m['message']}" for m in log]

    def picture(self, x, y, width, height):
        """A PNG of this part of the page."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        shot = self.devtools("Page.captureScreenshot", format="png", clip=clip,
                             captureBeyondViewport=True)
        return base64.b64decode(shot["data"])
