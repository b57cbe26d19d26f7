"""A headless Chromium, driven by the DevTools protocol over pipes: no port, so that it may run in any network namespace."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading

from house import HANG, LONGEST, Failed, wait


# Finds texts of too little contrast, as WCAG 2 computes it, and with 0 those that are not grey.
CONTRAST = """least => {
    const parse = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const over = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
    const light = colour => colour.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, index) => sum + c * [0.2126, 0.7152, 0.0722][index], 0);
    const ground = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const found = [];
    function judge(element, style, text) {
        const back = ground(element), front = over(parse(style.color), back);
        const [one, other] = [light(front), light(back)].sort((x, y) => y - x), ratio = (one + 0.05) / (other + 0.05);
        const isGrey = Math.max(...front) - Math.min(...front) < 32;
        if (least ? ratio < least : !isGrey) found.push(`${text.trim().slice(0, 30)} (${ratio.toFixed(2)}, rgb ${front.map(Math.round)})`);
    }
    for (const element of document.querySelectorAll("body *")) {
        const open = document.querySelector("dialog[open]");
        if (!element.checkVisibility() || element.closest("script, style") || open && !open.contains(element)) continue;
        const style = getComputedStyle(element), own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("");
        if ((own || element.value || "").toString().trim()) judge(element, style, own || element.value);
        for (const part of ["::before", "::after"]) {
            const made = getComputedStyle(element, part);
            if (made.content !== "none" && made.content !== "normal") judge(element, made, made.content);
        }
    }
    return found;
}"""


class Browser:
    """One page of a Chromium that runs behind the words `inside`, with further options."""

    def __init__(self, inside=(), *options):
        self.number = 0
        self.profile = tempfile.mkdtemp(prefix="inkling-chromium-")
        to_browser, self.input = os.pipe()
        self.output, from_browser = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4. A plain sh knows no descriptor above 9.
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", str(LONGEST), *inside, "bash", "-c", 'exec "$@" 3<&$IN 4>&$OUT', "bash", "chromium",
             "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", "--window-size=1000,1100", f"--user-data-dir={self.profile}",
             "--hide-scrollbars", "--remote-debugging-pipe", *options, "about:blank"],
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
        """Clicks with the mouse where an element is; again if the page has moved it meanwhile, so that the click has missed it."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.run(f"window.wasHit = false; {element}.addEventListener('click', () => window.wasHit = true, {{ once: true, capture: true }})")

        def hits():
            place = self.run(
                f"(e => {{ e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect();"
                f" return [r.x + r.width / 2, r.y + r.height / 2] }})({element})")
            for kind in ("mousePressed", "mouseReleased"):
                self.command("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
            return self.run("window.wasHit")

        wait(f"click on {selector}", hits)

    def type(self, selector, text):
        """Clicks into a field and writes a text in the place of what is there."""
        self.click(selector)
        self.run("document.activeElement.select()")
        self.command("Input.insertText", text=text)

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                         **({"text": text} if text and kind == "keyDown" else {}))

    def press_enter(self):
        self.press("Enter", 13, "\r")

    def choose(self, selector, words):
        """Chooses the option with these words in a list, by the keyboard."""
        place = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{place}.focus()")
        self.press("Home", 36)
        for _ in range(self.run(f"{place}.options.length")):
            if self.run(f"{place}.selectedOptions[0].textContent") == words:
                return
            self.press("ArrowDown", 40)
        raise Failed(f"{selector} has no choice {words}")

    def look(self, width, scheme):
        """Makes the window as wide as this, in a light or a dark scheme."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, whole=True):
        """Draws the page, or what the window shows of it."""
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}} if whole else {}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("Page.captureScreenshot", captureBeyondViewport=whole, **clip)["data"]))

    def too_wide(self):
        """By how many pixels the page is wider than the window, and the elements that are."""
        return self.run("""(() => {
            const width = document.documentElement.clientWidth, over = document.documentElement.scrollWidth - width;
            return over <= 0 ? "" : `${over} px: ` + [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1)
                .map(e => e.tagName + (e.id ? "#" + e.id : "")).slice(0, 5).join(" ") })()""")

    def pale(self, least=4.5):
        """The texts whose contrast with what is behind them is less than this."""
        return self.run(f"({CONTRAST})({least})")

    def coloured(self):
        """The texts that are not grey."""
        return self.run(f"({CONTRAST})(0)")

    def requests(self):
        """The addresses that the page has asked for."""
        return [one["params"]["request"]["url"] for one in self.events if one["method"] == "Network.requestWillBeSent"]

    def problems(self):
        """What the page has complained of: exceptions, and what its security policy has forbidden."""
        return [one["params"] for one in self.events
                if one["method"] == "Runtime.exceptionThrown"
                or one["method"] == "Log.entryAdded" and one["params"]["entry"]["source"] in ("security", "violation")]
