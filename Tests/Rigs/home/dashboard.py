"""The dashboard of a node in a headless Chromium, which is used as a person does, by clicks and keys."""

import json
import os
import socket

from browser import Browser
from house import expect, wait

ADDRESS = "http://127.0.0.1:9761/"
# A name that must stay text.
MARKUP = "<img src=x onerror=alert(1)>"


def ask(house, path, *headers):
    """Returns the status and the body of a request from the host of the node."""
    words = [word for header in headers for word in ("-H", header)]
    body, _, status = house.outside("ada", "curl", "-s", "-w", "\n%{http_code}", *words, ADDRESS + path).stdout.rpartition("\n")
    return int(status), body


def check_strangers(house):
    """whoever has no token, or comes by another name or from another host, gets nothing"""
    node, token = opened(house)
    right = f"Authorization: Bearer {token}"
    expect(ask(house, "state", right)[0] == 200, "the token does not open the state")
    for path in ("state", "events", "findings"):
        for headers in ([], ["Authorization: Bearer " + "0" * 32], [f"Authorization: Bearer {token[:-1]}"],
                        [f"Cookie: token={token}"], [right, right.replace(token, "x")]):
            status, body = ask(house, path, *headers)
            expect(status == 401 and "Bob" not in body, f"{path} with {headers} was answered with {status}: {body}")
        expect(ask(house, f"{path}?token={token}")[0] in (401, 404), f"a token in the address of {path} is taken")
        status, body = ask(house, path, right, "Host: evil.example")
        expect(status == 421, f"{path} for another host was answered with {status}: {body}")
    done = house.outside("bob", "curl", "-s", f"http://{house.address['ada']}:9761/")
    expect(done.returncode == 7, f"another host can connect (curl ended with {done.returncode})")
    node.stop()


def opened(house):
    """A node of Ada's whose dashboard is open, and its token."""
    house.move_in()
    house.offline("ada", "contacts", "rename", "Bob", MARKUP)
    node = house.run("ada", "--leave-after", "30", "--dashboard", ADDRESS[7:-1])
    node.event("visible")
    told = house.json("ada", "dashboard", "--home", house.home("ada"))
    expect(told["address"] == ADDRESS, f"the address is {told['address']}")
    return node, told["token"]


def rotating(house, name):
    """The names that a node shows in this epoch, the one before and the next ones."""
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.path.join(house.home(name), "control"))
        request = {"do": "predictions", "from": house.epoch() - 1, "to": house.epoch() + 4, "own": True}
        control.sendall(json.dumps({"request": request}).encode() + b"\n")
        facts = [json.loads(line).get("fact", {}).get("prediction") for line in control.makefile(encoding="utf-8")]
    names = {fact["name"] for fact in facts if fact}
    expect(names, f"no names of {name}")
    return names


def check_page(house):
    """opened by its token: a contact whose name is markup comes and leaves, and nothing that rotates is on the page"""
    node, token = opened(house)
    with Browser(house.inside("ada")) as browser:
        walk(house, browser, token, node)


def walk(house, browser, token, node):
    def shows(selector, text, what):
        wait(what, lambda: text in browser.text(selector))

    browser.open(ADDRESS)
    shows("#ask", "inkling dashboard", "question for the token")
    browser.type("#token", "0" * 32)
    browser.press_enter()
    shows("#refused", "not the token", "refusal of a wrong token")
    expect(not browser.text("#main"), "a wrong token shows the page")
    browser.type("#token", token)
    browser.click("#ask button")
    shows("#headline", "visible", "headline")
    expect(MARKUP in browser.text("#contacts"), f"the contact is shown as {browser.text('#contacts')}")
    expect("unseen" in browser.text("#contacts"), "the contact is not unseen")
    browser.screenshot(house.file("alone.png"))

    other = house.run("bob")
    shows("#contacts", "confirmed", "confirmed contact on the page, without reloading")
    shows("#contacts", "a handshake proved it", "reason")
    shows("#contacts", "session over local network", "way")
    wait("bar in the timeline", lambda: browser.run("document.querySelectorAll('rect[data-state=confirmed]').length"))
    shows("#events", "arrived", "arrival in the log")
    browser.click("#contacts summary")
    shows("#contacts dl", "a handshake is proof", "odds of the contact")
    # What is unfolded stays so when the state is shown again.
    browser.run("window.before = document.querySelector('#contacts details')")
    wait("next state", lambda: browser.run("document.querySelector('#contacts details') !== window.before"))
    expect(browser.text("#contacts dl"), "the details have closed by themselves")
    expect("visible" in browser.text("#antennas"), "the antenna is not shown")
    browser.click("#check")
    shows("#checking", "checked at", "checkup")
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
    expect(not browser.run("document.querySelector('#contacts img')"), "the name of the contact has become an element")
    expect(not browser.problems(), f"the page complains: {browser.problems()}")
    # The policy forbids what a name could bring.
    browser.run("document.body.append(Object.assign(document.createElement('img'), {src: 'http://192.0.2.1/x'}))")
    house.report.plant({"a foreign image": browser}, lambda page: wait("complaint about a foreign image", page.problems))

    other.stop()
    shows("#events", "left", "departure on the page")
    node.stop()
    shows("#headline", "does not answer", "word that the node has stopped")
    node = house.run("ada", "--dashboard", ADDRESS[7:-1])
    node.event("visible")
    shows("#refused", "not the token", "question for the token of the next run")
    browser.screenshot(house.file("asked-again.png"))
