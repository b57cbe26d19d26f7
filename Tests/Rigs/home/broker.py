"""A mosquitto on Ada's host, and readers of everything that it passes on."""

import json
import os
import signal
import subprocess
import threading

from house import HANG, expect, wait, write

PORT, TLS_PORT = 18831, 18883
PASSWORD = "pa ss-wörd-of-inkling"
MARK = "reader/mark"


class Broker:
    """A mosquitto with a password and no memory: over TLS for nodes, and without it for the readers. It drops nothing itself."""

    def __init__(self, house):
        self.house, self.folder = house, house.file("broker")
        os.makedirs(self.folder)
        os.chmod(self.folder, 0o755)
        self.certify()
        self.secret = write(self.file("secret"), PASSWORD + "\n")
        passwords = self.file("passwords")
        subprocess.run(["mosquitto_passwd", "-c", "-b", passwords, "inkling", PASSWORD], check=True, capture_output=True, timeout=HANG)
        os.chmod(passwords, 0o644)
        write(self.file("conf"),
              f"persistence false\npassword_file {passwords}\nallow_anonymous false\nuser root\nlog_type error\n"
              f"max_queued_messages 0\nlistener {PORT} 127.0.0.1\nlistener {TLS_PORT} 127.0.0.1\n"
              f"certfile {self.file('broker.pem')}\nkeyfile {self.file('broker.key')}\n")
        self.start()

    def file(self, name):
        return os.path.join(self.folder, name)

    def certify(self):
        """Makes two authorities, of which one has signed the certificate of the broker."""
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=HANG, cwd=self.folder)

        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for name in ("ca", "other"):
            openssl("req", "-x509", *curve, "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        write(self.file("names"), "subjectAltName=DNS:broker.example,IP:127.0.0.1\n")
        openssl("req", *curve, "-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr")
        openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "names", "-out", "broker.pem")

    @property
    def section(self):
        """The section [mqtt] of a node that uses it over TLS."""
        return {"broker": f"mqtts://127.0.0.1:{TLS_PORT}", "ca-file": self.file("ca.pem"), "user": "inkling",
                "password-file": self.secret}

    @property
    def options(self):
        """The same as options of a command."""
        return [word for key, value in self.section.items()
                for word in ("--mqtt" if key == "broker" else f"--mqtt-{key}", value)]

    @property
    def access(self):
        return ["-h", "127.0.0.1", "-p", str(PORT), "-u", "inkling", "-P", PASSWORD]

    def start(self):
        with open(self.file("log"), "a", encoding="utf-8") as log:
            self.process = self.house.start("ada", "mosquitto", "-c", self.file("conf"), stdout=log, stderr=log)
        wait("broker", lambda: self.send("test", "x").returncode == 0)

    @property
    def pid(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait(HANG)

    def send(self, topic, *payloads, kept=False):
        words = ["mosquitto_pub", *self.access, "-t", topic, "-l", *(["-r"] if kept else [])]
        return self.house.outside("ada", *words, input="".join(payload + "\n" for payload in payloads))

    def publish(self, topic, *payloads, kept=False):
        """Publishes each payload, one after the other over one connection."""
        done = self.send(topic, *payloads, kept=kept)
        expect(done.returncode == 0, f"mosquitto_pub ended with {done.returncode}: {done.stderr}")


class Reader:
    """Everything that a broker passes on below some topics, in its order; by default what a node publishes."""

    def __init__(self, broker, *topics):
        self.broker, self.messages, self.marks, self.lock = broker, [], [], threading.Lock()
        self.settled = 0
        self.left_out = set() if topics else {"homeassistant/status"}
        filters = [word for topic in (MARK, *(topics or ("inkling/#", "homeassistant/#"))) for word in ("-t", topic)]
        self.process = broker.house.start(
            "ada", "mosquitto_sub", *broker.access, "-V", "5", "--retain-as-published", "-q", "1", *filters, "-F", "%j",
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        # From here on nothing is missed, and nothing that is published comes in the broker's order instead of the node's.
        wait("subscription", lambda: broker.send(MARK, "first").returncode == 0 and self.marks)
        self.settle()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.lock:
                if message["topic"] == MARK:
                    self.marks.append(message["payload"])
                elif message["topic"] not in self.left_out:
                    self.messages.append(
                        {"topic": message["topic"], "payload": message.get("payload") or "", "retain": bool(message["retain"])})

    def settle(self):
        """Waits until everything that the broker has taken so far is read: then what is not there was not published."""
        self.settled += 1
        self.broker.publish(MARK, str(self.settled))
        wait("mark of the reader", lambda: str(self.settled) in self.marks)

    def all(self, after=0):
        with self.lock:
            return list(self.messages[after:])

    def mark(self):
        with self.lock:
            return len(self.messages)

    def find(self, end, payload=None, after=0):
        """The first message whose topic ends so."""
        return next((message for message in self.all(after)
                     if message["topic"].endswith(end) and payload in (None, message["payload"])), None)

    def wait(self, end, payload=None, after=0):
        return wait(lambda: f"{end} {payload or ''}; the last were {self.all()[-5:]}", lambda: self.find(end, payload, after))

    def stop(self):
        self.process.terminate()
        self.process.wait(HANG)
