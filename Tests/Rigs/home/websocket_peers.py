"""A Shelly and a Home Assistant as far as their Bluetooth goes, for the programs that listen to them. Neither shares code with
`inkling.antennas`; aioshelly's client, which is that of Home Assistant, meets the Shelly too."""

import base64
import hashlib
import json
import secrets

import websockets

PROGRAM = "aioshelly_ble_integration"
# The address of a radio of that Home Assistant.
RADIO = "AA:BB:CC:DD:EE:01"


def digest(*parts):
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()


class Peer:
    """A WebSocket server on a port of the loopback interface."""

    def __init__(self):
        self.sockets, self.calls, self.server = set(), [], None

    async def start(self, port=0):
        self.server = await websockets.serve(self.meet, "127.0.0.1", port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self.port

    async def stop(self):
        self.server.close()
        await self.server.wait_closed()

    async def meet(self, socket):
        try:
            await self.serve(socket)
        except websockets.ConnectionClosed:
            pass
        finally:
            self.sockets.discard(socket)

    async def tell(self, text):
        """Sends a message to everybody who listens."""
        for socket in list(self.sockets):
            await socket.send(text if isinstance(text, str) else json.dumps(text))


class Shelly(Peer):
    """A device of the second generation, with a password or without."""

    def __init__(self, password=None, running=True):
        super().__init__()
        self.password, self.running, self.nonce = password, running, secrets.randbelow(2**31)
        self.realm = "shellyplus1-a8032ab12345"

    def admits(self, auth):
        if self.password is None:
            return True
        if not isinstance(auth, dict) or auth.get("nonce") != self.nonce or auth.get("username") != "admin":
            return False
        keyed = digest("admin", self.realm, self.password)
        expected = digest(keyed, self.nonce, auth["nc"], auth["cnonce"], "auth", digest("dummy_method", "dummy_uri"))
        return auth.get("algorithm") == "SHA-256" and auth.get("response") == expected

    async def serve(self, socket):
        async for text in socket:
            call = json.loads(text)
            self.calls.append(call["method"])
            reply = {"id": call["id"], "src": self.realm, "dst": call["src"]}
            if call["method"] == "Shelly.GetDeviceInfo" or self.admits(call.get("auth")):
                reply["result"] = {"id": self.realm, "gen": 2, "auth_en": self.password is not None}
                if call["method"] == "Script.List":
                    reply["result"] = {"scripts": [{"id": 1, "name": PROGRAM, "enable": True, "running": self.running}]}
                self.sockets.add(socket)
            else:
                challenge = {"auth_type": "digest", "nonce": self.nonce, "nc": 1, "realm": self.realm, "algorithm": "SHA-256"}
                reply["error"] = {"code": 401, "message": json.dumps(challenge)}
            await socket.send(json.dumps(reply))

    def event(self, *frames, version=2):
        """What the device sends when it has heard frames of (address, power, advertising data, scan response)."""
        rows = [[a, p, *(base64.b64encode(part).decode() for part in parts)] for a, p, *parts in frames]
        data = [2, rows] if version == 2 else [1, *rows[0]]
        return {
            "src": self.realm, "dst": "inkling", "method": "NotifyEvent",
            "params": {"ts": 1.0, "events": [
                {"component": "script:1", "id": 1, "event": "ble.scan_result", "data": data, "ts": 1.0}]},
        }


class HomeAssistant(Peer):
    """Answers one kind of subscription, for one token."""

    def __init__(self, token="a-token", error=None):
        super().__init__()
        self.token, self.error = token, error

    async def serve(self, socket):
        await socket.send(json.dumps({"type": "auth_required", "ha_version": "2026.11.0"}))
        said = json.loads(await socket.recv())
        if said != {"type": "auth", "access_token": self.token}:
            await socket.send(json.dumps({"type": "auth_invalid", "message": "Invalid access token or password"}))
            return
        await socket.send(json.dumps({"type": "auth_ok", "ha_version": "2026.11.0"}))
        async for text in socket:
            call = json.loads(text)
            self.calls.append(call["type"])
            reply = {"id": call["id"], "type": "result", "success": self.error is None, "result": None}
            if self.error is not None:
                reply["error"] = {"code": self.error, "message": "refused"}
            await socket.send(json.dumps(reply))
            if self.error is None and call["type"] == "bluetooth/subscribe_advertisements":
                self.sockets.add(socket)

    @staticmethod
    def event(*added, removed=()):
        return {"id": 1, "type": "event", "event": {"add": list(added), "remove": [{"address": a} for a in removed]}}

    @staticmethod
    def advertisement(address, rssi, source, raw=None, manufacturer_data=None):
        return {
            "name": address, "address": address, "rssi": rssi, "manufacturer_data": manufacturer_data or {}, "service_data": {},
            "service_uuids": [], "source": source, "connectable": False, "time": 1.0, "tx_power": None, "raw": raw,
        }
