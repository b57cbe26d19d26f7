"""The faults that the conformance kit must find: the model, its right text, the faulty text, and the requirement under which
the fault must be reported.

A fault changes one place in one model. The text that it replaces must occur there exactly once.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    module: str  # below `generator`, or `shim`
    right: str
    wrong: str
    requirement: str


FAULTS = [
    # Epochs, the tree, derivation
    Fault("epoch-rounded-up", "reference.keys", '"epoch": unixSeconds // 900', '"epoch": -(-unixSeconds // 900)', "INK-KEY-001"),
    Fault("epoch-of-ten-minutes", "reference.keys", '"epoch": unixSeconds // 900', '"epoch": unixSeconds // 600', "INK-KEY-001"),
    Fault("period-rounded-to-nearest", "reference.keys", "unixSeconds // 3600", "(unixSeconds + 1800) // 3600", "INK-KEY-001"),
    Fault("tree-bits-reversed", "reference.keys", "prefix >> (depth - 1 - level) & 1", "prefix >> level & 1", "INK-KEY-004"),
    Fault("tree-label-wrong", "reference.keys", r'b"\x00tree\x00"', r'b"\x00node\x00"', "INK-KEY-004"),
    Fault("derive-without-counter", "reference.notation", r'context) + b"\x01")', "context))", "INK-KEY-002"),
    Fault("beacon-key-is-the-mdns-key", "reference.keys", 'derive(periodKey, b"beacon-key"', 'derive(periodKey, b"mdns-key"', "INK-KEY-006"),
    Fault("device-left-out", "reference.keys", 'b"gatt-key", u8(device)', 'b"gatt-key", u8(0)', "INK-KEY-006"),
    Fault("identity-for-every-generation", "reference.keys", 'b"identity", u32(generation)', 'b"identity", u32(1)', "INK-KEY-009"),
    # Identifiers
    Fault("name-in-upper-case", "reference.identifiers", '{"name": mac[:16].hex()}', '{"name": mac[:16].hex().upper()}', "INK-ID-001"),
    Fault("host-has-the-label-of-the-name", "reference.identifiers", 'b"mDNS-host-"', 'b"mDNS-name-"', "INK-ID-002"),
    Fault("minor-little-endian", "reference.identifiers", 'mac[:2], "big"', 'mac[:2], "little"', "INK-ID-003"),
    Fault("minor-from-the-end", "reference.identifiers", "mac[:2]", "mac[-2:]", "INK-ID-003"),
    Fault("tag-not-cut", "reference.identifiers", '{"tag": mac[:16]}', '{"tag": mac}', "INK-ID-004"),
    Fault("psk-of-the-gate", "reference.identifiers", 'b"confirm-psk-"', 'b"confirm-gate-"', "INK-ID-005"),
    Fault("epoch-as-four-bytes", "reference.identifiers", "message = label + dec(epoch)", 'message = label + epoch.to_bytes(4, "big")', "INK-ID-006"),
    Fault("schedule-ignored", "reference.identifiers", "epoch - epoch % (minutes // 15)", "epoch", "INK-ID-007"),
    Fault("skew-ignored", "reference.identifiers", "if offset < skew and current > 0", "if False", "INK-ID-010"),
    Fault("next-epoch-answered", "reference.identifiers", '"answer": previous + [current]', '"answer": previous + [current] + following', "INK-ID-011"),
    # Pairs
    Fault("pair-without-direction", "reference.pair_audiences", "own + peerPublic if advertising else peerPublic + own", "min(own, peerPublic) + max(own, peerPublic)", "INK-PAIR-001"),
    Fault("pair-from-public-keys", "reference.pair_audiences", 'extract(b"inkling/1 pair-audience", shared)', 'extract(b"inkling/1 pair-audience", min(own, peerPublic) + max(own, peerPublic))', "INK-PAIR-001"),
    Fault("low-order-points-accepted", "reference.curves", 'raise Refusal("agreement", "low-order-point") from None', "return bytes(32)", "INK-PAIR-002"),
    # Grants
    Fault("expired-grant-accepted", "reference.grants", "if end < period:", "if False:", "INK-GRA-016"),
    Fault("foreign-grant-accepted", "reference.grants", "if grant[nodes_end:signed_end] != grantee:", "if False:", "INK-GRA-015"),
    Fault("unsigned-grant-accepted", "reference.grants", "if not ed25519_verifies(issuer, ", "if False and not ed25519_verifies(issuer, ", "INK-GRA-014"),
    Fault("older-grant-accepted", "reference.grants", "if generation < heldGeneration:", "if False:", "INK-GRA-019"),
    Fault("any-cover-accepted", "reference.grants", "if [(depth, prefix) for depth, prefix, _ in nodes] != cover(start, end):", "if False:", "INK-GRA-017"),
    Fault("grant-without-bound", "reference.grants", '> LONGEST_INTERVAL:\n        raise Refusal("interval", "too-long")\n    if end >= ', '> LONGEST_INTERVAL and False:\n        raise Refusal("interval", "too-long")\n    if end >= ', "INK-GRA-016"),
    Fault("cover-not-the-smallest", "reference.grants", "start + (2 << size) - 1 <= end:", "start + (2 << size) - 1 < end:", "INK-GRA-001"),
    Fault("trailing-bytes-of-a-grant", "reference.grants", "if len(grant) > signed_end + 64:", "if False:", "INK-GRA-011"),
    # Cards and certificates
    Fault("unsigned-card-accepted", "reference.cards", "if not ed25519_verifies(identity, ", "if False and not ed25519_verifies(identity, ", "INK-CRD-013"),
    Fault("card-with-a-foreign-key", "reference.certificates", "if not ed25519_verifies(identity, ", "if False and not ed25519_verifies(identity, ", "INK-CRD-016"),
    Fault("name-with-controls", "reference.cards", "if any(ord(character) in CONTROL for character in name):", "if False:", "INK-CRD-017"),
    Fault("name-with-bidi", "reference.cards", "if any(ord(character) in BIDI for character in name):", "if False:", "INK-CRD-017"),
    Fault("two-primaries-accepted", "reference.certificates", 'if sum(device["primary"] for device in devices) > 1:', "if False:", "INK-CRD-016"),
    # Invitations and texts
    Fault("ended-invitation-accepted", "reference.invitations", "if minute >= expiry + 2:", "if False:", "INK-INV-010"),
    Fault("checksum-not-checked", "reference.invitations", "if check != check_bytes(kind, content):", "if False:", "INK-TXT-010"),
    Fault("unused-bits-not-checked", "reference.invitations", "if number & (1 << unused) - 1:", "if False:", "INK-TXT-012"),
    Fault("lower-case-text", "reference.invitations", "{PREFIX}{kind}:{base32(bytes + check)}", "{PREFIX}{kind}:{base32(bytes + check).lower()}", "INK-TXT-001"),
    Fault("one-key-for-both-messages", "reference.invitations", '"psk3": derive(extracted, b"invite-psk3")', '"psk3": derive(extracted, b"invite-psk0")', "INK-INV-013"),
    # Advertising
    Fault("power-unsigned", "reference.advertising", 'int.from_bytes(frame[21:22], "big", signed=True)', "frame[21]", "INK-ADV-021"),
    Fault("second-frame-ignored", "reference.advertising", "if len(frames) > 1:", "if False:", "INK-ADV-027"),
    Fault("uuid-byte-order", "reference.advertising", 'part = b"".join(uuid[::-1] for', 'part = b"".join(uuid for', "INK-ADV-009"),
    Fault("all-apps-of-the-overflow-area", "reference.advertising", r'if bits == b"\xff" * 16:', "if False:", "INK-ADV-025"),
    Fault("padding-of-structures", "reference.advertising", "if any(data[offset:]):", "if False:", "INK-ADV-020"),
    Fault("major-and-minor-exchanged", "reference.advertising", "u16(major) + u16(minor)", "u16(minor) + u16(major)", "INK-ADV-001"),
    Fault("uuid-of-version-4", "reference.advertising", "value[6] & 0x0F | 0x80", "value[6] & 0x0F | 0x40", "INK-ADV-008"),
    Fault("overflow-hash-of-reversed-bytes", "reference.advertising", "crc8(uuid) & 0x7F", "crc8(uuid[::-1]) & 0x7F", "INK-ADV-023"),
    Fault("service-data-is-a-list", "reference.advertising", "0x06: 16, 0x07: 16}.get(kind)", "0x06: 16, 0x07: 16, 0x21: 16}.get(kind)", "INK-ADV-009"),
    Fault("only-the-last-list-of-uuids", "reference.advertising", "uuids += [body[start", "uuids = [body[start", "INK-ADV-009"),
    # Wi-Fi Aware, Apple
    Fault("descriptor-length-big-endian", "reference.wifi_aware", 'value.to_bytes(2, "little")', 'value.to_bytes(2, "big")', "INK-NAN-003"),
    Fault("service-id-not-folded", "reference.wifi_aware", 'byte + 32 if ord("A") <= byte <= ord("Z") else byte', "byte", "INK-NAN-002"),
    Fault("published-as-instance-0", "reference.wifi_aware", '"publish", service_id(SERVICE_NAME), 1, requestor', '"publish", service_id(SERVICE_NAME), 0, requestor', "INK-NAN-005"),
    Fault("subscribed-for-a-requestor", "reference.wifi_aware", '"subscribe", service_id(SERVICE_NAME), 1, 0)', '"subscribe", service_id(SERVICE_NAME), 1, 1)', "INK-NAN-006"),
    Fault("any-frame-is-discovery", "reference.wifi_aware", "if frame[:6] != FRAME_HEADER:", "if False:", "INK-NAN-012"),
    Fault("any-length-is-a-name", "reference.wifi_aware", "if len(info) != 16:", "if False:", "INK-NAN-014"),
    Fault("reserved-bit-of-a-descriptor", "reference.wifi_aware", "if control & RANDOMIZED:", "if False:", "INK-NAN-010"),
    Fault("tls-key-for-ever", "reference.apple", "if epoch > min(handshakeEpoch + 1, EPOCH.high):", "if False:", "INK-APL-003"),
    Fault("twenty-exact-regions", "reference.apple", "len(chosen) < MOST_REGIONS - 1", "len(chosen) < MOST_REGIONS", "INK-APL-020"),
    # Noise, handshake
    Fault("noise-nonce-big-endian", "reference.noise", 'self.nonce.to_bytes(8, "little")', 'self.nonce.to_bytes(8, "big")', "INK-NOI-021"),
    Fault("replayed-message-accepted", "reference.noise", "        self.nonce += 1\n", "", "INK-NOI-021"),
    Fault("prologue-left-out", "reference.noise", "self.state.mix_hash(prologue)", "pass", "INK-NOI-021"),
    Fault("psk-does-not-mix-the-ephemeral", "reference.noise", "        if self.pattern.psk_count:\n            self.state.mix_key(public)\n", "", "INK-NOI-021"),
    Fault("gate-without-transport", "reference.handshake", "H(key, u8(transport) + message)", "H(key, message)", "INK-HSK-004"),
    Fault("prologue-without-device", "reference.handshake", "u32(epoch) + u8(device) + identifier", "u32(epoch) + u8(0) + identifier", "INK-HSK-002"),
    Fault("export-keys-exchanged", "reference.handshake", "k1 + k2 + handshake_hash)", "k2 + k1 + handshake_hash)", "INK-HSK-008"),
    Fault("payload-padding-not-checked", "reference.handshake", "    if any(payload[12 + length :]):", "    if False:", "INK-HSK-045"),
    Fault("first-contact-without-transport", "reference.handshake", r'b"-first-contact\0\x01" + u8(transport)', r'b"-first-contact\0\x01" + u8(0)', "INK-HSK-003"),
    Fault("device-link-without-transport", "reference.handshake", r'b"-device-link\0\x01" + u8(transport)', r'b"-device-link\0\x01" + u8(0)', "INK-HSK-003"),
    Fault("clock-of-four-bytes", "reference.handshake", "((2, 4), (4, 8), (8, 16))", "((2, 4), (4, 8), (8, 12))", "INK-HSK-005"),
    Fault("payload-in-another-order", "reference.handshake", "u16(transports) + u32(generation) + u64", "u32(generation) + u16(transports) + u64", "INK-HSK-005"),
    Fault("payload-not-padded", "reference.handshake", 'payload.ljust(-(-len(payload) // 256) * 256, b"\\0")', "payload", "INK-HSK-006"),
    Fault("fingerprint-of-the-end", "reference.handshake", 'b"fingerprint")[:10]', 'b"fingerprint")[-10:]', "INK-HSK-009"),
    Fault("sealed-grant-without-version", "reference.handshake", r'return b"\x01" + result["sent"][0]', 'return result["sent"][0]', "INK-HSK-007"),
    Fault("sealed-grant-of-any-version", "reference.handshake", "if sealed[0] != 1:", "if False:", "INK-HSK-046"),
    # First contact
    Fault("declines-after-it-has-accepted", "reference.first_contact", '            self.send("close")\n            self.end("waiting")', '            self.send("decline")\n            self.end("waiting")', "INK-FCT-005"),
    Fault("first-record-before-the-success-is-stored", "reference.first_contact", 'self.then.append(("proceed", session))', "self.proceed(session)", "INK-FCT-012"),
    Fault("two-keys-at-most", "reference.first_contact", "keys=(*self.fields.keys, link.key)", "keys=(*self.fields.keys[-1:], link.key)", "INK-FCT-010"),
    Fault("full-grant-before-complete-is-stored", "reference.first_contact", 'standing="complete").granting(full)\n            self.then.append(("grant", session, "full"))', 'standing="complete").granting(full)\n            self.grant(session, "full")', "INK-FCT-022"),
    Fault("confirm-is-no-acceptance", "reference.first_contact", "replace(self.sharing(key).raised(), keys=rest, turn=0)", "replace(self.sharing(key), keys=rest, turn=0)", "INK-FCT-016"),
    Fault("grants-to-somebody-who-waits", "reference.first_contact", 'elif self.fields.standing == "half-finished" and not named:', 'elif self.fields.standing in ("waiting", "half-finished") and not named:', "INK-FCT-020"),
    Fault("always-the-first-candidate", "reference.first_contact", "turn=(turn + 1) % len(candidates)", "turn=0", "INK-FCT-014"),
    Fault("declined-though-shared", "reference.first_contact", "elif self.fields.shared is not None and self.fields.shared >= link.key:", "elif False:", "INK-FCT-042"),
    Fault("success-drops-newer-keys", "reference.first_contact", "rest = tuple(one for one in self.keys if one >= key)", "rest = tuple(one for one in self.keys if one == key)", "INK-FCT-013"),
    Fault("accept-leaves-before-it-is-stored", "reference.first_contact", 'self.then.append(("consented", link))', "self.consented(link)", "INK-FCT-004"),
    Fault("arriving-accept-is-not-stored", "reference.first_contact", '        if link.state == "storing":\n            self.fields = self.fields.sharing(link.key)\n', "", "INK-FCT-040"),
    Fault("half-finished-for-ninety-days", "reference.first_contact", "first = min(period + FIRST_SPAN - 1, LAST_PERIOD)", "first = min(period + FULL_SPAN - 1, LAST_PERIOD)", "INK-FCT-021"),
    Fault("a-second-link-of-the-same-people", "reference.first_contact", 'self.say("outcome", outcome="busy")', 'self.say("ask")', "INK-FCT-002"),
    Fault("over-two-boundaries", "reference.first_contact", "if link.boundaries == 2:", "if link.boundaries == 3:", "INK-FCT-009"),
    # Packets, records
    Fault("fragment-order-not-checked", "reference.packets", "if header >> 1 & 7 != index % 8:", "if False:", "INK-PKT-023"),
    Fault("more-bit-upside-down", "reference.packets", "(index < len(parts) - 1)", "(index == len(parts) - 1)", "INK-PKT-005"),
    Fault("frames-without-bound", "reference.packets", "if not SMALLEST_PACKET <= length <= LARGEST_PACKET:", "if False:", "INK-PKT-022"),
    Fault("sequence-of-a-packet-ignored", "reference.packets", "    if sequence:\n", "    if False:\n", "INK-PKT-020"),
    Fault("type-in-the-low-bits", "reference.packets", "return bytes([kind << 4]) + body", "return bytes([kind]) + body", "INK-PKT-001"),
    Fault("frame-length-little-endian", "reference.packets", "return u16(len(packet)) + packet", 'return len(packet).to_bytes(2, "little") + packet', "INK-PKT-021"),
    Fault("record-padding-not-checked", "reference.records", "if any(plaintext[3 + length :]):", "if False:", "INK-REC-020"),
    Fault("record-not-padded", "reference.records", r'return record.ljust(padded_size(len(record)), b"\0")', "return record", "INK-REC-001"),
    Fault("audience-twice", "reference.records", "if len({audience for audience, _, _ in grants}) < len(grants):", "if False:", "INK-REC-021"),
    Fault("generation-and-end-exchanged", "reference.records", "audience + u32(generation) + u32(last)", "audience + u32(last) + u32(generation)", "INK-REC-003"),
    Fault("message-number-little-endian", "reference.records", "u64(number) + text", 'number.to_bytes(8, "little") + text', "INK-REC-011"),
    Fault("malformed-text-replaced", "reference.records", 'body[8:].decode("utf-8")', 'body[8:].decode("utf-8", "replace")', "INK-REC-034"),
    # Recognition
    Fault("windows-without-skew", "reference.recognition.hearing", "EPOCH_LENGTH * epoch - SKEW, EPOCH_LENGTH * (epoch + 1) + SKEW", "EPOCH_LENGTH * epoch, EPOCH_LENGTH * (epoch + 1)", "INK-RCG-010"),
    Fault("replay-not-noticed", "reference.recognition.hearing", "if not trace.contested and trace.overlaps:", "if False:", "INK-RCG-063"),
    Fault("attempts-without-budget", "reference.recognition.calls", "if len(started) >= ATTEMPTS_IN_A_MINUTE or len(running) >= ATTEMPTS_AT_ONCE:", "if False:", "INK-RCG-042"),
    Fault("nobody-departs", "reference.recognition.observer", "if now.real - known.supported < self.stale_timer():", "if True:", "INK-RCG-032"),
    # Lifecycle
    Fault("relaunch-after-force-quit", "reference.lifecycle.relaunch", '"force-quit": ("no", "no", "no", None)', '"force-quit": ("relaunched", "relaunched", "relaunched", None)', "INK-LIF-001"),
    Fault("restored-twice", "reference.lifecycle.restoration", '"repeated": self.was_restored', '"repeated": False', "INK-LIF-028"),
    Fault("asks-at-launch", "reference.lifecycle.permissions", 'if moment == "launch":', "if False:", "INK-LIF-092"),
    Fault("no-end-of-search", "reference.lifecycle.reconnection", "if self.searching and not needed:", "if False:", "INK-LIF-045"),
    Fault("extended-twice", "reference.lifecycle.execution_window", 'occasion == "relaunch" and n == 0', 'occasion == "relaunch"', "INK-LIF-061"),
    Fault("written-twice", "reference.lifecycle.checkpoint", "if number <= self.last or number in self.behind:", "if number < self.last:", "INK-LIF-074"),
    Fault("entry-taken-twice", "reference.lifecycle.region_wake", "if region in self.minors and region not in self.inside:", "if region in self.minors:", "INK-LIF-080"),
    # Platforms, transports
    Fault("best-value-instead-of-the-worst", "reference.platforms", "worst = min((fact.value", "worst = max((fact.value", "INK-PLT-001"),
    Fault("any-version-covered", "reference.platforms", 'return None, "none"', 'return "ios-10.0", "exact"', "INK-PLT-004"),
    Fault("assumed-said-to-be-documented", "reference.platforms", "members = dict(THE.facts[fact].__dict__)", 'members = {name: "documented" if value == "assumed" else value for name, value in THE.facts[fact].__dict__.items()}', "INK-PLT-007"),
    Fault("upgrade-before-the-handshake", "reference.transport_policy", 'RELATION.get(transport, ("confirmed",))', "RELATION.get(transport, RELATIONS)", "INK-TPT-004"),
    Fault("deadline-ignored", "reference.transport_policy", "if at.deadline is not None and best.completes > at.deadline:", "if False:", "INK-TPT-002"),
    Fault("no-back-off", "reference.transport_policy", "if ago < min(FIRST_BACK_OFF", "if False and ago < min(FIRST_BACK_OFF", "INK-TPT-012"),
    Fault("back-end-of-the-peer-ignored", "reference.transport_policy", "for known in (at.own_transports, at.peer_transports)", "for known in (at.own_transports,)", "INK-TPT-014"),
    Fault("own-back-end-ignored", "reference.transport_policy", "for known in (at.own_transports, at.peer_transports)", "for known in (at.peer_transports,)", "INK-TPT-014"),
    Fault("plan-ends-without-a-handshake", "reference.transport_policy", "if FOLLOWED.get(transport) == at.purpose:", "if False:", "INK-TPT-015"),
    # The shim itself
    Fault("upper-case-digits-accepted", "tools.fields", "[0-9a-f]{2})*", "[0-9a-fA-F]{2})*", "INK-CNF-004"),
    Fault("integers-without-range", "tools.fields", "        if not self.low <= value <= self.high:\n            refuse_argument(\"out-of-range\")\n        return value\n\n    def write(self, value: int):", "        return value\n\n    def write(self, value: int):", "INK-CNF-004"),
    Fault("decimal-digits-refused", "tools.fields", "value = int(value)\n", 'refuse_argument("wrong-type")\n', "INK-CNF-005"),
    Fault("surplus-arguments-accepted", "tools.fields", "if any(name not in arguments.members for name in given):", "if False:", "INK-CNF-004"),
    Fault("ends-at-a-bad-line", "shim", 'raise Refused("not-json") from None', "sys.exit(1)", "INK-CNF-002"),
    Fault("id-as-a-text", "shim", 'identity = request["id"]', 'identity = str(request["id"])', "INK-CNF-001"),
    Fault("answers-twice", "shim", "        sys.stdout.flush()\n", '        sys.stdout.flush()\n        print(\'{"id":"mdns-name-0001","unsupported":true}\', flush=True)\n', "INK-CNF-001"),
    Fault("lists-what-it-does-not-have", "shim", "*sorted(operations.REGISTER)]", '*sorted(operations.REGISTER)]}}\n    if operation == "epoch":\n        return {"unsupported": True}\n    if False:\n        return {"result": {"operations": []', "INK-CNF-009"),
    Fault("hangs", "shim", '    if operation not in operations.REGISTER:\n', '    if operation == "uuid":\n        import time; time.sleep(3600)\n    if operation not in operations.REGISTER:\n', "INK-CNF-001"),
]
