"""A headless Chromium, driven by the DevTools protocol over pipes: no port, so that it may run in any network namespace."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading

from house import HANG, LONGEST, Failed, wait


class Browser:
    """One page of a Chromium that runs behind the words `inside`."""

    def __init__(self, inside=()):
        self.number = 0
        self.profile = tempfile.mkdtemp(prefix="inkling-chromium-")
        to_browser, self.input = os.pipe()
        self.output, from_browser = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", str(LONGEST), *inside, "sh", "-c", 'exec "$@" 3<&$IN 4>&$OUT', "sh", "chromium",
             "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", "--window-size=1000,1100", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=[to_browser, from_browser], env=dict(os.environ, IN=str(to_browser), OUT=str(from_browser)),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.answers, self.events, self.arrived = {}, [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.session = None
        page = wait("page of Chromium", lambda: next(
            (one for one in self.command("Target.getTargets")["targetInfos"] if one["type"] == "page"), None))
        self.session = self.command("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.command(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(HANG)
        for descriptor in (self.input, self.output):
            os.close(descriptor)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        rest = b""
        while True:
            try:
                chunk = os.read(self.output, 1 << 16)
            except OSError:
                chunk = b""
            *messages, rest = (rest + chunk).split(b"\0")
            with self.arrived:
                for message in messages:
                    message = json.loads(message)
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.append(message)
                if not chunk:
                    self.answers["ended"] = True
                self.arrived.notify_all()
            if not chunk:
                return

    def command(self, method, **values):
        self.number += 1
        number, message = self.number, {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers or "ended" in self.answers, HANG):
                raise Failed(f"Chromium did not answer {method} within {HANG} s")
            answer = self.answers.pop(number, None)
        if answer is None or "error" in answer:
            raise Failed(f"{method}: {answer['error']['message'] if answer else 'Chromium has ended'}")
        return answer["result"]

    def run(self, script):
        """Runs a script in the page and returns its value."""
        done = self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise Failed(f"{script}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def open(self, address):
        self.command("Page.navigate", url=address)
        wait("page", lambda: self.run("document.readyState") == "complete" and self.run("location.href") != "about:blank")

    def text(self, selector):
        """The text of an element as a person sees it; empty when it is hidden or absent."""
        return self.run(
            f"(e => e && e.getClientRects().length ? e.innerText : '')(document.querySelector({json.dumps(selector)}))")

    def click(self, selector):
        """Clicks with the mouse where an element is."""
        place = self.run(
            f"(e => {{ e.scrollIntoView(); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})"
            f"(document.querySelector({json.dumps(selector)}))")
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, selector, text):
        self.click(selector)
        self.command("Input.insertText", text=text)

    def press_enter(self):
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def requests(self):
        """The addresses that the page has asked for."""
        return [one["params"]["request"]["url"] for one in self.events if one["method"] == "Network.requestWillBeSent"]

    def problems(self):
        """What the page has complained of: exceptions, and what its security policy has forbidden."""
        return [one["params"] for one in self.events
                if one["method"] == "Runtime.exceptionThrown"
                or one["method"] == "Log.entryAdded" and one["params"]["entry"]["source"] in ("security", "violation")]
