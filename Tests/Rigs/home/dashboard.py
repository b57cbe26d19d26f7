"""The dashboard of a node in a headless Chromium, which is used as a person does, by clicks and keys."""

import http.server
import json
import os
import re
import socket
import subprocess
import sys

from browser import Browser
from house import expect, wait
from stage import inkling

PORT = 9761
ADDRESS = f"http://127.0.0.1:{PORT}/"
# A name that must stay text.
MARKUP = "<img src=x onerror=alert(1)>"
# Each of the windows in which everything is clicked, looked at and measured.
LOOKS = [(1200, "light"), (1200, "dark"), (390, "light"), (390, "dark")]


def ask(house, path, *headers, method="GET", body=None):
    """Returns the status and the body of a request from the host of the node."""
    words = [word for header in headers for word in ("-H", header)]
    words += ["-X", method] + (["--data-binary", "@-"] if body is not None else [])
    done = house.outside("ada", "curl", "-s", "-w", "\n%{http_code}", *words, ADDRESS + path, **({"input": body} if body is not None else {}))
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def check_strangers(house):
    """whoever has no token, or comes by another name, from another page or from another host, gets nothing"""
    node, token = opened(house)
    right = f"Authorization: Bearer {token}"
    kind = "Content-Type: application/json"
    question = json.dumps({"do": "messages"})
    expect(ask(house, "state", right)[0] == 200, "the token does not open the state")
    done = ask(house, "request", right, kind, method="POST", body=question)
    expect(done[0] == 200 and '"done":true' in done[1], f"the token does not open requests: {done}")
    for path in ("state", "events", "findings", "request"):
        how = {"method": "POST", "body": question} if path == "request" else {}
        for headers in ([], ["Authorization: Bearer " + "0" * 32], [f"Authorization: Bearer {token[:-1]}"],
                        [f"Cookie: token={token}"], [right, right.replace(token, "x")]):
            status, body = ask(house, path, *headers, kind, **how)
            expect(status == 401 and "Bob" not in body, f"{path} with {headers} was answered with {status}: {body}")
        expect(ask(house, f"{path}?token={token}", kind, **how)[0] in (401, 404), f"a token in the address of {path} is taken")
        status, body = ask(house, path, right, kind, "Host: evil.example", **how)
        expect(status == 421, f"{path} for another host was answered with {status}: {body}")
        for origin in ("http://evil.example", "null", "http://127.0.0.1:9762", f"https://127.0.0.1:{PORT}"):
            status, body = ask(house, path, right, kind, f"Origin: {origin}", **how)
            expect(status == 403 and "Bob" not in body, f"{path} from {origin} was answered with {status}: {body}")
    status, body = ask(house, "request", right, kind, f"Origin: {ADDRESS[:-1]}", method="POST", body=question)
    expect(status == 200, f"the page itself was answered with {status}: {body}")
    requests = {
        "another type": (415, "Content-Type: text/plain", question), "no type": (415, "Content-Type:", question),
        "no JSON": (400, kind, "{"), "no object": (400, kind, "[]"), "no name": (400, kind, "{}"),
        "65,537 bytes": (413, kind, json.dumps({"do": "messages", "contact": "x" * 65_504})),
    }
    requests |= {f"the request {name}": (403, kind, json.dumps({"do": name, "contact": "Bob", "text": "x", "own": True, "from": 1, "to": 1}))
                 for name in ("predictions", "remove", "revoke", "renew", "send-file", "card", "add", "dashboard", "events", "add-device", "nothing")}
    for what, (expected, header, body) in requests.items():
        status, said = ask(house, "request", right, header, method="POST", body=body)
        expect(status == expected, f"{what} was answered with {status} instead of {expected}: {said}")
    expect(ask(house, "request", right)[0] == 405 and ask(house, "state", right, method="POST", body="")[0] == 405, "any method is taken")
    status, said = ask(house, "request", "Origin: http://evil.example", "Access-Control-Request-Headers: authorization", method="OPTIONS")
    expect(status in (403, 405) and not said.startswith("{"), f"another page may ask first: {status}")
    done = house.outside("bob", "curl", "-s", f"http://{house.address['ada']}:{PORT}/")
    expect(done.returncode == 7, f"another host can connect (curl ended with {done.returncode})")
    node.stop()


def opened(house, *words):
    """A node of Ada's whose dashboard is open, and its token."""
    house.move_in()
    house.offline("ada", "contacts", "rename", "Bob", MARKUP)
    return serving(house, *words)


def serving(house, *words):
    """Starts the node of Ada's with its dashboard, and returns it with its token."""
    node = house.run("ada", "--dashboard", ADDRESS[7:-1], *(words or ("--leave-after", "30")))
    node.event("visible")
    told = house.json("ada", "dashboard", "--home", house.home("ada"))
    expect(told["address"] == ADDRESS, f"the address is {told['address']}")
    return node, told["token"]


def enter(browser, token):
    """Opens the page by its token, and waits for the state."""
    browser.open(ADDRESS)
    shows(browser, "#ask", "inkling dashboard", "question for the token")
    browser.type("#token", token)
    browser.click("#ask button")
    shows(browser, "#headline", "Visible to all contacts", "headline")


def shows(browser, selector, text, what):
    wait(lambda: f"{what}: {selector} shows {browser.text(selector)!r} instead of {text!r}", lambda: text in browser.text(selector))


def control(house, name, requests):
    """Sends requests to the control socket of a node, and returns the facts of each."""
    answers = []
    for request in requests:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(os.path.join(house.home(name), "control"))
            connection.sendall(json.dumps({"request": request}).encode() + b"\n")
            lines = [json.loads(line) for line in connection.makefile(encoding="utf-8")]
        expect(lines and lines[-1] == {"done": True}, f"{request} ended with {lines[-1:]}")
        answers.append([line["fact"] for line in lines if "fact" in line])
    return answers


def rotating(house, name):
    """The names that a node shows in this epoch, the one before and the next ones."""
    epochs = {"do": "predictions", "from": house.epoch() - 1, "to": house.epoch() + 4, "own": True}
    names = {fact["prediction"]["name"] for fact in control(house, name, [epochs])[0]}
    expect(names, f"no names of {name}")
    return names


def judge(browser, what):
    """Requires that the page fits its window, and that every text can be read."""
    expect(not browser.too_wide(), f"{what} is wider than its window, by {browser.too_wide()}")
    expect(not browser.pale(), f"{what} has texts with too little contrast: {browser.pale()}")


def check_page(house):
    """opened by its token: a contact whose name is markup comes and leaves, and nothing that rotates is on the page"""
    node, token = opened(house)
    with Browser(house.inside("ada")) as browser:
        walk(house, browser, token, node)


def walk(house, browser, token, node):
    browser.open(ADDRESS)
    shows(browser, "#ask", "inkling dashboard", "question for the token")
    browser.type("#token", "0" * 32)
    browser.press_enter()
    shows(browser, "#refused", "not the token", "refusal of a wrong token")
    expect(not browser.text("#main"), "a wrong token shows the page")
    enter(browser, token)
    shows(browser, "#near", "Nobody is near", "heading without a contact")
    expect(MARKUP in browser.text("#contacts"), f"the contact is shown as {browser.text('#contacts')}")
    expect("not seen yet" in browser.text("#contacts"), "the contact is not unseen")
    browser.screenshot(house.file("alone.png"))

    other = house.run("bob")
    shows(browser, "#near", f"{MARKUP} is near", "heading with the contact, without reloading")
    shows(browser, "#contacts", "a handshake proved it", "reason")
    shows(browser, "#contacts", "session over the local network", "way")
    wait("bar in the timeline", lambda: browser.run("document.querySelectorAll('rect[data-state=confirmed]').length"))
    shows(browser, "#log", "has arrived", "arrival in the log")
    browser.click("#contacts .name")
    shows(browser, "#contacts dl", "a handshake is proof", "odds of the contact")
    expect("visible" in browser.text("#links"), "the link is not shown")
    browser.click("#check")
    shows(browser, "#checking", "Checked at", "checkup")
    expect("protection" in browser.text("#findings"), "the checkup says nothing of the protection of memory")
    browser.screenshot(house.file("near.png"))

    # Nothing that rotates, and no address but the node's.
    whole = browser.run("document.documentElement.outerHTML")
    for name in rotating(house, "ada") | rotating(house, "bob"):
        expect(name[:32] not in whole, "a name of an epoch is on the page")
    expect(token not in whole and token not in browser.run("location.href"), "the token is on the page or in its address")
    foreign = [one for one in browser.requests() if not one.startswith(ADDRESS)]
    expect(not foreign, f"the page asked for {foreign}")
    expect(all(token not in one for one in browser.requests()), "the token was in an address")
    expect(not browser.run("document.querySelector('#main img')"), "the name of the contact has become an element")
    # One form for all times: nothing of the page is in universal time.
    universal = re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z", browser.run("document.body.innerText"))
    expect(not universal, f"times of another form: {universal}")
    expect(not browser.problems(), f"the page complains: {browser.problems()}")
    # The policy forbids what a name could bring.
    browser.run("document.body.append(Object.assign(document.createElement('img'), {src: 'http://192.0.2.1/x'}))")
    house.report.plant({"a foreign image": browser}, lambda page: wait("complaint about a foreign image", page.problems))

    other.stop()
    shows(browser, "#log", "has left", "departure on the page")
    node.stop()
    shows(browser, "#stale", "has not answered since", "word that the node has stopped")
    node, _ = serving(house)
    shows(browser, "#refused", "not the token", "question for the token of the next run")
    browser.screenshot(house.file("asked-again.png"))


def check_actions(house):
    """each action is clicked, at both widths and in both schemes, and the node has done it; what is shown fits and can be read"""
    node, token = opened(house, "--leave-after", "3600")
    other = house.run("bob")
    newcomer(house, "cleo")
    with Browser(house.inside("ada")) as browser:
        browser.look(*LOOKS[0])
        enter(browser, token)
        shows(browser, "#near", f"{MARKUP} is near", "heading with the contact")
        browser.click("#contacts .name")
        for number, (width, scheme) in enumerate(LOOKS):
            browser.look(width, scheme)
            act(house, browser, f"{width}-{scheme}", number)
        expect(not browser.problems(), f"the page complains: {browser.problems()}")
        plant(house, browser)
        # A text is nowhere but where it was asked for.
        status, state = ask(house, "state", f"Authorization: Bearer {token}")
        expect(status == 200 and "Tea?" not in state and "Rather coffee" not in state, "a text is in the state that pages follow")
        expect("Tea?" not in node.logged() and "Rather coffee" not in node.logged(), "a text is in the log")
    other.stop()
    node.stop()


def act(house, browser, look, number):
    """Does everything that the page offers, and asks the node what has come of it."""
    status = lambda: house.facts()[0]  # noqa: E731
    judge(browser, f"the page {look}")

    # Whom the node is visible to.
    name = f"Bob {number - 1}" if number else MARKUP
    for words, to in ((f"{name} only", "contact"), ("nobody", "nobody"), ("all contacts", "all")):
        browser.choose("#audience", words)
        browser.click("#visible button")
        wait(f"visibility {to}", lambda to=to: status()["visibility"]["to"] == to)
        shows(browser, "#visible-said", "Changed", "word that the visibility has changed")
    wait("visible node", lambda: status()["visible"])
    wait("confirmed contact", lambda: house.contact(name).get("presence") == "confirmed")
    shows(browser, "#headline", "Visible to all contacts", "headline after the change")

    # A name.
    browser.type(".rename input", f"Bob {number}")
    browser.click(".rename button")
    wait("new name", lambda: house.contact(f"Bob {number}"))
    shows(browser, ".rename output", "Renamed", "word of the new name")
    shows(browser, "#near", f"Bob {number} is near", "heading with the new name")

    # A message that leaves, and one that comes.
    browser.type(".write textarea", f"Tea? {number} {MARKUP}")
    browser.click(".write button")
    # A slow machine says first that it is queued.
    wait("word of the message", lambda: browser.text(".write output") in ("Delivered.", "Queued until the next meeting."))
    shows(browser, ".messages .delivered:last-child", f"Tea? {number} {MARKUP}", "text that was delivered")
    house.command("bob", "send", "Ada", f"Rather coffee {number}", "--wait", "60", "--home", house.home("bob"))
    shows(browser, ".badge", "1 unread", "number of unread messages")
    shows(browser, ".messages", f"Rather coffee {number}", "text that has come")
    browser.screenshot(house.file(f"open-{look}.png"))
    judge(browser, f"the open contact {look}")
    unread = lambda: [fact for fact in control(house, "ada", [{"do": "messages"}])[0] if fact["message"]["state"] == "unread"]  # noqa: E731
    expect(len(unread()) == 1, f"unread are {unread()}")
    browser.click("button.read")
    wait("message that counts as read", lambda: not unread())
    wait("page without an unread message", lambda: not browser.text(".badge"))
    texts = [json.loads(line) for line in house.command("bob", "messages", "read", "--json", "--home", house.home("bob")).splitlines()]
    expect([text["text"] for text in texts] == [f"Tea? {number} {MARKUP}"], f"Bob has read {texts}")

    # An invitation: accepted, declined, withdrawn.
    browser.click("#invite")
    wait("text of the invitation", lambda: browser.run("document.getElementById('text').value"))
    text = browser.run("document.getElementById('text').value")
    expect(text.startswith("INKLING:I:"), f"the invitation is {text}")
    expect(not can_invite(house), "the node has no invitation open")
    browser.screenshot(house.file(f"invitation-{look}.png"), whole=False)
    judge(browser, f"the invitation {look}")
    read_code(house, browser, text)
    if number < 2:
        guest = house.start("bob", *invited(house), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        guest.stdin.write(text + "\n")
        guest.stdin.close()
        shows(browser, "#guest", "Cleo", "question")
        browser.screenshot(house.file(f"question-{look}.png"), whole=False)
        judge(browser, f"the question {look}")
        browser.click("#agree" if number else "#decline")
        shows(browser, "#invited", "Cleo is a contact now" if number else "declined", "outcome of the invitation")
        guest.stdout.read()
        expect(bool(house.contact("Cleo")) == bool(number), f"after the answer Cleo is {house.contact('Cleo')}")
        expect(text not in browser.run("document.documentElement.outerHTML"), "the invitation stays on the page")
        browser.click("#close")
    else:
        browser.click("#close")
        wait("page without the invitation", lambda: not browser.run("document.getElementById('text').value"))
        wait("end of the invitation that was withdrawn", lambda: can_invite(house))
    wait("visible node after the invitation", lambda: status()["visible"])
    wait("confirmed contact after the invitation", lambda: house.contact(f"Bob {number}").get("presence") == "confirmed")
    browser.screenshot(house.file(f"page-{look}.png"))


def newcomer(house, name):
    """Makes the home of somebody who has no host of their own."""
    rate, anchor = house.clock
    house.command(None, "init", "--name", name.capitalize(), "--demo-clock", f"{rate}@{anchor}", *house.unlocking(name))


def can_invite(house):
    """Whether the node has no invitation open; it has one for a moment."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.join(house.home("ada"), "control"))
        connection.sendall(b'{"request":{"do":"invite","minutes":1}}\n')
        return "invitation" in json.loads(connection.makefile(encoding="utf-8").readline()).get("fact", {})


def invited(house):
    """The command with which Cleo accepts an invitation that comes on standard input."""
    return [inkling(), "accept", "-", "--yes", "--json", *house.unlocking("cleo")]


def read_code(house, browser, text):
    """Requires that the code on the page reads as the text."""
    browser.screenshot(house.file("code.png"), whole=False)
    done = subprocess.run(["zbarimg", "-q", "--raw", house.file("code.png")], capture_output=True, text=True, check=False)
    expect(done.stdout.strip() == text, f"the code reads {done.stdout!r} instead of {text!r}")


def plant(house, browser):
    """Requires that the judges of width and contrast find what is too wide and too pale."""
    def with_style(style):
        browser.run(f"document.getElementById('version').style.cssText = {json.dumps(style)}")
        return browser.too_wide() or browser.pale()

    house.report.plant({"a text that is too wide": "white-space: pre; width: 1500px; overflow: visible", "a text that is too pale": "color: #888; background: #777",
                        "a transparent text": "color: #57606a55"}, with_style)
    expect(not with_style(""), "the page keeps the plants")


def check_focus(house):
    """what a person writes, selects and unfolds stays while contacts come and change their places"""
    node, token = opened(house)
    newcomer(house, "abel")
    house.introduce("ada", "abel")
    with Browser(house.inside("ada")) as browser:
        browser.look(390, "light")
        enter(browser, token)
        browser.click("#contacts .name")
        shows(browser, "#contacts h3", "Messages", "messages of the contact")
        browser.type(".write textarea", "half a sentence")
        browser.run("document.activeElement.setSelectionRange(2, 6); window.field = document.activeElement; window.place = field.closest('tbody')")
        other = house.run("bob")
        shows(browser, "#near", f"{MARKUP} is near", "contact that comes")
        control(house, "ada", [{"do": "rename", "contact": MARKUP, "name": "Bob"}])
        shows(browser, "#near", "Bob is near", "name that changes")
        same = "document.activeElement === window.field && field.isConnected && place === document.querySelector('#contacts tbody')"
        expect(browser.run(same), "the focus was lost")
        expect(browser.run("[field.value, field.selectionStart, field.selectionEnd]") == ["half a sentence", 2, 6], "the text or its selection was lost")
        browser.press_enter()
        other.stop()
        shows(browser, "#near", "Nobody is near", "contact that leaves")
        expect(browser.run(same), "the focus was lost when the contact left")
        house.report.plant({"a row that is drawn again": "place.replaceWith(place.cloneNode(true))"},
                           lambda script: browser.run(f"{script}; !({same})"))
    node.stop()


def check_stale(house):
    """when the node hangs or stops, everything is grey and says since when; then the page goes on by itself"""
    node, token = opened(house)
    other = house.run("bob")
    with Browser(house.inside("ada")) as browser:
        browser.look(1200, "light")
        enter(browser, token)
        shows(browser, "#near", f"{MARKUP} is near", "contact")
        expect(browser.coloured(), "a page of now is grey")
        node.hold()
        shows(browser, "#stale", "has not answered since", "word that the node hangs")
        since = re.search(r"since (\d\d:\d\d:\d\d)", browser.text("#stale"))
        expect(since and since[1] in browser.text("#tiles"), f"it says {browser.text('#stale')!r}")
        expect("was near" in browser.text("#near"), "it says who is near")
        for width, scheme in LOOKS:
            browser.look(width, scheme)
            expect(not browser.coloured(), f"not grey are {browser.coloured()}")
            judge(browser, f"the stale page {width} {scheme}")
            browser.screenshot(house.file(f"stale-{width}-{scheme}.png"))
        browser.click("#visible button")
        shows(browser, "#visible-said", "does not answer", "word that nothing can be done")
        node.go_on()
        wait("page that goes on", lambda: not browser.text("#stale"))
        expect(browser.coloured(), "the page stays grey")
        node.stop()
        shows(browser, "#stale", "has not answered since", "word that the node has stopped")
        expect(not browser.coloured(), f"not grey are {browser.coloured()}")
    other.stop()


def check_log(house):
    """what has happened is empty at first, and has at most 100 lines, the newest first"""
    house.move_in()
    node, token = serving(house)
    with Browser(house.inside("ada")) as browser:
        browser.look(390, "dark")
        enter(browser, token)
        shows(browser, "#no-log", "Nothing has happened since", "empty log")
        expect(not browser.text("#log"), "an empty log has a table")
        browser.screenshot(house.file("empty.png"))
        control(house, "ada", [{"do": "visible", "to": to} for _ in range(60) for to in ("nobody", "all")])
        lines = "document.querySelectorAll('#log tbody').length"
        wait("log of 100 lines", lambda: browser.run(lines) == 100)
        control(house, "ada", [{"do": "visible", "to": "named", "name": "Bob"}])
        wait("newest event", lambda: "Bob only" in browser.text("#log tbody"))
        expect(browser.run(lines) == 100, f"the log has {browser.run(lines)} lines")
        judge(browser, "the full log")
    node.stop()


# What a page can try with a token that it has got hold of: to read the state, to change the visibility, and to send a form.
ATTACK = """async (address, token) => {
    const auth = { Authorization: "Bearer " + token }, kind = { "Content-Type": "application/json" };
    const body = JSON.stringify({ do: "visible", to: "nobody" });
    const tried = {};
    async function attempt(name, path, options) {
        try {
            const answer = await fetch(address + path, options), text = await answer.text();
            tried[name] = answer.ok && text ? "read" : "refused " + answer.status;
        } catch (problem) { tried[name] = "failed"; }
    }
    await attempt("state", "state", { headers: auth });
    await attempt("change", "request", { method: "POST", headers: { ...auth, ...kind }, body });
    await attempt("blind change", "request", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body });
    await attempt("page", "", {});
    return tried;
}"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of somebody else."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><p>elsewhere")

    def log_message(self, *_):
        pass


def check_attacks(house):
    """a page of another origin, and one whose name leads here, read and change nothing, even with the token"""
    node, token = opened(house)
    house.start("ada", sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\nimport dashboard, http.server\n"
                "http.server.ThreadingHTTPServer(('127.0.0.1', 9762), dashboard.Elsewhere).serve_forever()", os.path.dirname(os.path.abspath(__file__)))
    wait("page elsewhere", lambda: not house.outside("ada", "curl", "-s", "http://127.0.0.1:9762/").returncode)
    visible = lambda: house.facts()[0]["visibility"]["to"]  # noqa: E731
    with Browser(house.inside("ada"), "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP *.evil.example 127.0.0.1") as browser:
        def attack(origin, address):
            browser.open(origin)
            return browser.run(f"({ATTACK})({json.dumps(address)}, {json.dumps(token)})")

        # Another origin on this machine, one of another name, and the name that leads to the dashboard itself.
        for origin, address in (("http://127.0.0.1:9762/", ADDRESS), ("http://evil.example:9762/", ADDRESS),
                                (f"http://evil.example:{PORT}/", f"http://evil.example:{PORT}/"),
                                ("http://evil.example:9762/", f"http://rebound.evil.example:{PORT}/")):
            tried = attack(origin, address)
            expect("read" not in tried.values() and visible() == "all", f"a page of {origin} has at {address}: {tried}, visible to {visible()}")
        # In a frame it could be clicked unseen.
        browser.open("http://127.0.0.1:9762/")
        browser.run(f"document.body.innerHTML = '<iframe src=\"{ADDRESS}\"></iframe>'")
        wait("frame that stays empty", lambda: any("frame-ancestors" in json.dumps(one) for one in browser.events))
        # The same is possible for the page itself: so the attempts can succeed.
        house.report.plant({"the page itself": ADDRESS}, lambda origin: attack(origin, ADDRESS)["state"] == "read" and visible() == "nobody")
    node.stop()
