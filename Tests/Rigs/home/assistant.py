"""A real Home Assistant in a root of its own, beside a broker.

The root is a Debian whose Python is new enough, with the packages that Home Assistant needs for MQTT. It is made once and kept
in `.build/home-assistant`; every run has a configuration of its own in it. Making it needs Debian's and Python's packages;
running needs no network.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time

from broker import PASSWORD, PORT, Reader
from house import HANG, ROOT, Failed, read, wait
from websocket_peers import RADIO

VERSION, UV, RELEASE = "2026.11.0", "0.13.6", "forky"
KEPT = os.path.join(ROOT, ".build/home-assistant", f"{VERSION}-{RELEASE}")
# Besides Home Assistant: what its integrations of MQTT and of Bluetooth import, and what it would install itself when it starts.
PACKAGES = ("paho-mqtt", "numpy", "av", "PyTurboJPEG", "ha-ffmpeg", "infrared-protocols", "rf-protocols", "aiohasupervisor",
            "hassil", "home-assistant-intents", "home-assistant-frontend", "aiousbwatcher", "serialx")
# With the versions that Home Assistant itself names; without them the search for fitting ones takes minutes.
INSTALL = f"""set -e
python3 -m venv /opt/assistant
/opt/assistant/bin/pip install -q uv=={UV}
/opt/assistant/bin/pip download -q --no-deps -d /opt/wheel homeassistant=={VERSION}
python3 -m zipfile -e /opt/wheel/*.whl /opt/unpacked
VIRTUAL_ENV=/opt/assistant /opt/assistant/bin/uv pip install -q -c /opt/unpacked/homeassistant/package_constraints.txt \\
    homeassistant=={VERSION} {" ".join(PACKAGES)}
rm -rf /opt/wheel /opt/unpacked /root/.cache
"""


CONFIGURATION = """
homeassistant:
  latitude: 50.0
  longitude: 10.0
  elevation: 100
  time_zone: UTC
  packages: !include_dir_named packages
logger:
  default: warning
mqtt_statestream:
  base_topic: hass
  publish_attributes: true
person:
  - id: bob
    name: Bob
    device_trackers: [device_tracker.hall_bob]
automation: []
phone_of_the_test:
radio_of_the_test:
"""
# Takes what is sent to a phone, and publishes it at the broker.
PHONE = """
from homeassistant.components import mqtt
import json

DOMAIN = "phone_of_the_test"


async def async_setup(hass, config):
    async def take(call):
        await mqtt.async_publish(hass, "hass/phone", json.dumps(dict(call.data)), 1, False)

    hass.services.async_register("notify", "mobile_app_pixel", take)
    return True
"""


# A radio that hears what is published at the broker, and a token of an administrator.
HEARING = """
import asyncio
from datetime import timedelta
import json

from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.auth.models import TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN
from homeassistant.components import mqtt
from homeassistant.components.bluetooth import MONOTONIC_TIME, BaseHaRemoteScanner, async_register_scanner

DOMAIN = "radio_of_the_test"


async def async_setup(hass, config):
    radio = BaseHaRemoteScanner("RADIO", "radio")
    radio.async_setup()
    async_register_scanner(hass, radio)

    async def hear(message):
        heard = json.loads(message.payload)
        radio._async_on_raw_advertisement(heard["address"], heard["rssi"], bytes.fromhex(heard["data"]), {}, MONOTONIC_TIME())

    async def listen():
        await mqtt.async_wait_for_mqtt_client(hass)
        await mqtt.async_subscribe(hass, "test/air", hear)

    hass.async_create_background_task(listen(), "radio")
    for name, groups in (("administrator", [GROUP_ID_ADMIN]), ("guest", [])):
        user = await hass.auth.async_create_user(name, group_ids=groups)
        refresh = await hass.auth.async_create_refresh_token(
            user, client_name=name, token_type=TOKEN_TYPE_LONG_LIVED_ACCESS_TOKEN, access_token_expiration=timedelta(days=1))
        path = hass.config.path(name + ".token")
        await hass.async_add_executor_job(lambda: open(path, "w").write(hass.auth.async_create_access_token(refresh)))
    return True
""".replace("RADIO", RADIO)


# What downloads and installs may take, as a hang detector.
INSTALLING = 3 * HANG


def call(*words):
    done = subprocess.run(["timeout", "-k", "5", str(INSTALLING), *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(words)[:200]}` ended with {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-3000:]}".rstrip())
    return done.stdout


def kept_root():
    """Returns the folder of the root, and makes it if it is not there."""
    mark, wanted = os.path.join(KEPT, ".complete"), INSTALL
    made = read(mark) if os.path.exists(mark) else None
    if made != wanted:
        print(f"… making a root of Debian {RELEASE} with Home Assistant {VERSION} in {os.path.relpath(KEPT, ROOT)}", flush=True)
        shutil.rmtree(KEPT, ignore_errors=True)
        os.makedirs(os.path.dirname(KEPT), exist_ok=True)
        # A mirror may be some weeks behind the release, which still moves.
        call("mmdebstrap", "--mode=root", "--variant=minbase", "--include=python3,python3-venv,ca-certificates", "--quiet",
             "--dpkgopt=force-unsafe-io", "--aptopt=Acquire::Check-Valid-Until \"false\"",
             *[f"--dpkgopt=path-exclude=/usr/share/{place}/*" for place in ("doc", "locale", "man")],
             RELEASE, KEPT, f"deb http://deb.debian.org/debian {RELEASE} main")
        # How this machine reaches the network.
        for file in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
            shutil.copy(os.path.realpath(file), KEPT + file)
        call("chroot", KEPT, "sh", "-c", INSTALL)
        with open(mark, "w", encoding="utf-8") as file:
            file.write(wanted)
    return KEPT


class Assistant:
    """A Home Assistant that reads at a broker, and writes there below `hass/` what it shows."""

    # An entry as its own dialogue would write it; Home Assistant brings it up to date.
    ENTRY = {"created_at": "2026-01-01T00:00:00+00:00", "data": {"broker": "127.0.0.1", "port": PORT, "username": "inkling",
             "password": PASSWORD}, "disabled_by": None, "discovery_keys": {}, "domain": "mqtt", "entry_id": "01INKLING",
             "minor_version": 1, "modified_at": "2026-01-01T00:00:00+00:00", "options": {}, "pref_disable_new_entities": False,
             "pref_disable_polling": False, "source": "user", "subentries": [], "title": "broker", "unique_id": None,
             "version": 2}

    def __init__(self, broker, packages=()):
        """Starts with these files as packages of the configuration."""
        self.broker, self.root = broker, kept_root()
        self.folder = tempfile.mkdtemp(prefix="config-", dir=os.path.join(self.root, "srv"))
        os.makedirs(self.file(".storage"))
        # Nothing about the node, except that a person has the tracker of a contact.
        self.write("configuration.yaml", CONFIGURATION)
        self.write(".storage/core.config_entries", json.dumps(
            {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [self.ENTRY]}}))
        os.makedirs(self.file("packages"))
        for package in packages:
            shutil.copy(package, self.file("packages"))
        for name, text, needs in (("phone_of_the_test", PHONE, ["mqtt"]), ("radio_of_the_test", HEARING, ["mqtt", "bluetooth"])):
            os.makedirs(self.file(f"custom_components/{name}"))
            self.write(f"custom_components/{name}/__init__.py", text)
            self.write(f"custom_components/{name}/manifest.json", json.dumps(
                {"domain": name, "name": name, "version": "1.0.0", "dependencies": needs, "after_dependencies": [],
                 "codeowners": [], "documentation": "", "iot_class": "calculated", "requirements": []}))
        births = Reader(broker, "homeassistant/status")
        self.shown = Reader(broker, "hass/#", "inkling/#")
        place = "/" + os.path.relpath(self.folder, self.root)
        # The mounts go with the process.
        inside = (f"mount -t proc proc {self.root}/proc && mount --rbind /dev {self.root}/dev && "
                  f"exec chroot {self.root} /opt/assistant/bin/hass -c {place} --skip-pip --log-no-color")
        begun, self.epoch = time.monotonic(), broker.house.epoch()
        with open(self.file("output"), "w", encoding="utf-8") as output:
            self.process = broker.house.start(
                "ada", "unshare", "-m", "sh", "-c", inside, stdout=output, stderr=subprocess.STDOUT,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"})
        wait("start of Home Assistant",
             lambda: self.process.poll() is not None or births.find("homeassistant/status", "online"))
        births.stop()
        if self.process.poll() is not None:
            raise Failed(f"Home Assistant did not start\n{self.log()[-3000:]}")
        broker.house.report.figure("start of Home Assistant", f"{time.monotonic() - begun:.0f} s")

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)

    def log(self):
        return read(self.file("output"))

    def complaints(self):
        """Returns the lines of the log in which the MQTT integration, or one that it feeds, warns."""
        words = ("components.mqtt", "device_tracker", "binary_sensor", "components.sensor", "components.event", "inkling")
        return [line for line in self.log().splitlines()
                if (" WARNING " in line or " ERROR " in line) and any(word in line for word in words)]

    def attribute(self, entity, name="state"):
        """Returns what an entity shows last; None if it shows nothing."""
        topic = f"hass/{entity.replace('.', '/')}/{name}"
        return next((message["payload"] for message in reversed(self.shown.all()) if message["topic"] == topic), None)

    def waits(self, entity, value, name="state"):
        """Waits until an entity shows a value."""
        wait(lambda: f"{name} {value!r} of {entity}, but {self.attribute(entity, name)!r}", lambda: self.attribute(entity, name) == value)

    def entities(self):
        """Returns the ids of the entities that Home Assistant keeps; it writes them some seconds after each change."""
        kept = json.loads(read(self.file(".storage/core.entity_registry")))
        return {entity["entity_id"] for entity in kept["data"]["entities"]}

    def stop(self):
        self.process.terminate()
        self.process.wait(HANG)
        shutil.rmtree(self.folder, ignore_errors=True)
