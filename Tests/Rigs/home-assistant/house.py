"""A house with a broker: two nodes, a mosquitto, and a reader of everything that it passes on."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "demo"))
from stage import Failed  # noqa: E402

PORT, TLS_PORT = 18831, 18883
PASSWORD = "pa ss-wörd-of-inkling"


def expect(condition, text):
    if not condition:
        raise Failed(text)


def within(seconds, what, condition):
    """Waits until a condition holds, and returns its value."""
    deadline = time.time() + seconds
    while time.time() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise Failed(f"no {what} within {seconds} s")


class Broker:
    """A mosquitto on a host of the stage, with a password, TLS and no memory."""

    def __init__(self, stage, host):
        self.stage, self.host, self.process = stage, host, None
        self.folder = os.path.join(stage.folder, "broker")
        os.makedirs(self.folder)
        os.chmod(self.folder, 0o755)
        self.certify()
        passwords = self.file("passwords")
        for user in ("inkling", "reader"):
            words = ["-b"] if os.path.exists(passwords) else ["-c", "-b"]
            subprocess.run(["mosquitto_passwd", *words, passwords, user, PASSWORD], check=True, capture_output=True, timeout=30)
        os.chmod(passwords, 0o644)
        with open(self.file("conf"), "w", encoding="utf-8") as conf:
            conf.write(
                f"persistence false\npassword_file {passwords}\nallow_anonymous false\nuser root\n"
                f"listener {PORT} 127.0.0.1\nlistener {TLS_PORT} 127.0.0.1\n"
                f"certfile {self.file('broker.pem')}\nkeyfile {self.file('broker.key')}\n")
        self.start()

    def file(self, name):
        return os.path.join(self.folder, name)

    def certify(self):
        """Makes two authorities, of which one has signed the certificate of the broker."""
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=30, cwd=self.folder)

        for name in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        with open(self.file("names"), "w", encoding="ascii") as names:
            names.write("subjectAltName=DNS:broker.example,IP:127.0.0.1\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=broker", "-keyout",
                "broker.key", "-out", "broker.csr")
        openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "names", "-out", "broker.pem")

    def start(self):
        with open(self.file("log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["timeout", "-k", "5", "900", *self.stage.inside(self.host), "mosquitto", "-c", self.file("conf")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.stage.processes.append(self.process)
        within(30, "broker", lambda: self.listens())

    def listens(self):
        done = subprocess.run(
            [*self.stage.inside(self.host), "mosquitto_pub", *self.access("reader"), "-t", "test", "-m", "x"],
            capture_output=True, timeout=30, check=False)
        return done.returncode == 0

    def access(self, user):
        return ["-h", "127.0.0.1", "-p", str(PORT), "-u", user, "-P", PASSWORD]

    @property
    def pid(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait(10)

    def publish(self, topic, payload, *words):
        subprocess.run(
            [*self.stage.inside(self.host), "mosquitto_pub", *self.access("reader"), "-t", topic, "-s", *words],
            check=True, capture_output=True, timeout=30, input=payload, text=True)


class Reader:
    """Everything that a broker passes on below some topics, in order; by default what a node publishes."""

    def __init__(self, broker, *topics):
        self.left_out = {"homeassistant/reader"} | (set() if topics else {"homeassistant/status"})
        filters = [word for topic in topics or ("inkling/#", "homeassistant/#") for word in ("-t", topic)]
        self.messages, self.lock = [], threading.Lock()
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", "900", *broker.stage.inside(broker.host), "mosquitto_sub", *broker.access("reader"), "-V",
             "5", "--retain-as-published", "-q", "1", "-t", "homeassistant/reader", *filters, "-F", "%j"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        broker.stage.processes.append(self.process)
        self.subscribed = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        # From here on nothing is missed, and nothing that is published comes in the broker's order instead of the node's.
        within(30, "subscription", lambda: broker.publish("homeassistant/reader", "x") or self.subscribed.wait(0.5))

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message["topic"] == "homeassistant/reader":
                self.subscribed.set()
            if message["topic"] in self.left_out:
                continue
            with self.lock:
                self.messages.append(
                    {"topic": message["topic"], "payload": message.get("payload") or "", "retain": bool(message["retain"])})

    def all(self, after=0):
        with self.lock:
            return list(self.messages[after:])

    def mark(self):
        with self.lock:
            return len(self.messages)

    def wait(self, end, payload, seconds, after=0):
        """Waits for a message whose topic ends so, and returns its place."""
        return within(seconds, f"{end} {payload}", lambda: next(
            (place + 1 for place, message in enumerate(self.all(after))
             if message["topic"].endswith(end) and message["payload"] == payload), None)) + after - 1

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class House:
    """Ada, whose node publishes, and Bob, who comes and goes; a broker on Ada's host. `clock` None is the real one."""

    def __init__(self, stage, clock):
        self.stage, self.clock = stage, clock
        for name in ("ada", "bob"):
            stage.make(name, clock)
        stage.introduce("ada", "bob", *([] if clock else ["--trust-clock"]))
        self.broker = Broker(stage, "ada")
        password = self.broker.file("secret")
        with open(password, "w", encoding="utf-8") as file:
            file.write(PASSWORD + "\n")
        os.chmod(password, 0o600)

    def configuration(self, name="inkling.toml", **changes):
        members = {"broker": f"mqtts://127.0.0.1:{TLS_PORT}", "ca-file": self.broker.file("ca.pem"), "user": "inkling",
                   "password-file": self.broker.file("secret"), "device-name": "Hall"} | changes
        path = os.path.join(self.stage.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("[mqtt]\n" + "".join(f'{key} = "{value}"\n' for key, value in members.items() if value))
        self.stage.command("ada", "config", "check", path)
        return path

    def run(self, name, *words, **how):
        return self.stage.run(name, "--bluetooth", "off", "--demo-clock" if self.clock else "--trust-clock", *words, **how)

    def asked(self, present):
        """Asks Ada's node who is present, expects this many contacts, and returns how many seconds the answer took."""
        begun = time.time()
        told = self.stage.status("ada")[0]
        expect(told["present"] == present, f"present are {told['present']} instead of {present}")
        return time.time() - begun

    def hear(self, node, room, power):
        """Says to the node of Ada by its antenna that what Bob shows now was heard in a room."""
        rate, anchor = self.clock or (1, 0)
        now = int(anchor + rate * (time.time() - anchor))
        text = self.stage.command("ada", "predict", "--home", self.stage.home("ada"), "--from", str(now), "--hours", "1")
        rows = [row for row in map(json.loads, text.splitlines()) if row.get("epoch") == now // 900]
        expect(rows, f"no predictions for epoch {now // 900}")
        for row in rows:
            node.popen.stdin.write(json.dumps({"minor": row["minor"], "rssi": power, "room": room}) + "\n")
        node.popen.stdin.flush()

    def secrets(self):
        """What must not be published: user ids, and the names that both show; and Bob's minors."""
        rate, anchor = self.clock
        begin = ["--from", str(int(anchor + rate * (time.time() - anchor))), "--hours", "24"]
        text = self.stage.offline("ada", "predict", *begin) + self.stage.offline("bob", "predict", *begin)
        names = set(re.findall(r"\b[0-9a-f]{32}\b", text))
        minors = set(re.findall(r'"minor":(\d{4,5})', text))
        ids = {json.loads(self.stage.offline(name, "card", "show", "--json").splitlines()[0])["id"] for name in ("ada", "bob")}
        expect(len(names) > 90 and minors and len(ids) == 2, f"{len(names)} names, {len(minors)} minors and {len(ids)} ids are known")
        return names | ids, minors


def logged(process):
    with open(process.errors, encoding="utf-8", errors="replace") as file:
        return file.read()
