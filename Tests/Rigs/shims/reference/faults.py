"""The faults that the kit must find: in which model, what stands there, what the fault makes of it, and the requirement
under which it must be reported.

One place of one model is changed; the text that is replaced stands there exactly once, or the fault is no longer one.
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
    Fault("epoch-rounded-up", "tree", '"epoch": unixSeconds // 900', '"epoch": -(-unixSeconds // 900)', "INK-KEY-001"),
    Fault("epoch-of-ten-minutes", "tree", '"epoch": unixSeconds // 900', '"epoch": unixSeconds // 600', "INK-KEY-001"),
    Fault("period-rounded-to-nearest", "tree", "unixSeconds // 3600", "(unixSeconds + 1800) // 3600", "INK-KEY-001"),
    Fault("tree-bits-reversed", "tree", "prefix >> (depth - 1 - level) & 1", "prefix >> level & 1", "INK-KEY-004"),
    Fault("tree-label-wrong", "tree", r'b"\x00tree\x00"', r'b"\x00node\x00"', "INK-KEY-004"),
    Fault("derive-without-counter", "notation", r'context) + b"\x01")', "context))", "INK-KEY-002"),
    Fault("beacon-key-is-the-mdns-key", "tree", 'derive(periodKey, b"beacon-key"', 'derive(periodKey, b"mdns-key"', "INK-KEY-006"),
    Fault("device-left-out", "tree", 'b"gatt-key", u8(device)', 'b"gatt-key", u8(0)', "INK-KEY-006"),
    Fault("identity-for-every-generation", "identity", 'b"identity", u32(generation)', 'b"identity", u32(1)', "INK-KEY-009"),
    # Identifiers
    Fault("name-in-upper-case", "identifiers", '{"name": mac[:16].hex()}', '{"name": mac[:16].hex().upper()}', "INK-ID-001"),
    Fault("host-has-the-label-of-the-name", "identifiers", 'b"mDNS-host-"', 'b"mDNS-name-"', "INK-ID-002"),
    Fault("minor-little-endian", "identifiers", 'mac[:2], "big"', 'mac[:2], "little"', "INK-ID-003"),
    Fault("minor-from-the-end", "identifiers", "mac[:2]", "mac[-2:]", "INK-ID-003"),
    Fault("tag-not-cut", "identifiers", '{"tag": mac[:16]}', '{"tag": mac}', "INK-ID-004"),
    Fault("psk-of-the-gate", "identifiers", 'b"confirm-psk-"', 'b"confirm-gate-"', "INK-ID-005"),
    Fault("epoch-as-four-bytes", "identifiers", "message = label + dec(epoch)", 'message = label + epoch.to_bytes(4, "big")', "INK-ID-006"),
    Fault("schedule-ignored", "identifiers", "epoch - epoch % (minutes // 15)", "epoch", "INK-ID-007"),
    Fault("skew-ignored", "identifiers", "if offset < skew and current > 0", "if False", "INK-ID-010"),
    Fault("next-epoch-answered", "identifiers", '"answer": previous + [current]', '"answer": previous + [current] + following', "INK-ID-011"),
    # Pairs
    Fault("pair-without-direction", "identity", "own + peerPublic if advertising else peerPublic + own", "min(own, peerPublic) + max(own, peerPublic)", "INK-PAIR-001"),
    Fault("pair-from-public-keys", "identity", 'extract(b"inkling/1 pair-audience", shared)', 'extract(b"inkling/1 pair-audience", min(own, peerPublic) + max(own, peerPublic))', "INK-PAIR-001"),
    Fault("low-order-points-accepted", "curves", 'raise Refusal("agreement", "low-order-point") from None', "return bytes(32)", "INK-PAIR-002"),
    # Grants
    Fault("expired-grant-accepted", "grants", "if end < period:", "if False:", "INK-GRA-016"),
    Fault("foreign-grant-accepted", "grants", "if grant[nodes_end:signed_end] != grantee:", "if False:", "INK-GRA-015"),
    Fault("unsigned-grant-accepted", "grants", "if not ed25519_verifies(issuer, ", "if False and not ed25519_verifies(issuer, ", "INK-GRA-014"),
    Fault("older-grant-accepted", "grants", "if generation < heldGeneration:", "if False:", "INK-GRA-019"),
    Fault("any-cover-accepted", "grants", "if [(depth, prefix) for depth, prefix, _ in nodes] != cover(start, end):", "if False:", "INK-GRA-017"),
    Fault("grant-without-bound", "grants", "if end - start + 1 > LONGEST_INTERVAL:", "if False:", "INK-GRA-016"),
    Fault("cover-not-the-smallest", "tree", "start + (2 << size) - 1 <= end:", "start + (2 << size) - 1 < end:", "INK-GRA-001"),
    Fault("trailing-bytes-of-a-grant", "grants", "if len(grant) > signed_end + 64:", "if False:", "INK-GRA-011"),
    # Cards and certificates
    Fault("unsigned-card-accepted", "cards", "if not ed25519_verifies(identity, ", "if False and not ed25519_verifies(identity, ", "INK-CRD-013"),
    Fault("card-with-a-foreign-key", "certificates", "if not ed25519_verifies(identity, ", "if False and not ed25519_verifies(identity, ", "INK-CRD-016"),
    Fault("name-with-controls", "cards", "if any(ord(character) in CONTROL for character in name):", "if False:", "INK-CRD-017"),
    Fault("name-with-bidi", "cards", "if any(ord(character) in BIDI for character in name):", "if False:", "INK-CRD-017"),
    Fault("two-primaries-accepted", "certificates", 'if sum(device["primary"] for device in devices) > 1:', "if False:", "INK-CRD-016"),
    # Invitations and texts
    Fault("ended-invitation-accepted", "invitations", "if minute >= expiry + 2:", "if False:", "INK-INV-010"),
    Fault("checksum-not-checked", "invitations", "if check != check_bytes(kind, content):", "if False:", "INK-TXT-010"),
    Fault("unused-bits-not-checked", "invitations", "if number & (1 << unused) - 1:", "if False:", "INK-TXT-012"),
    Fault("lower-case-text", "invitations", "{PREFIX}{kind}:{base32(bytes + check)}", "{PREFIX}{kind}:{base32(bytes + check).lower()}", "INK-TXT-001"),
    Fault("one-key-for-both-messages", "invitations", '"psk3": derive(extracted, b"invite-psk3")', '"psk3": derive(extracted, b"invite-psk0")', "INK-INV-013"),
    # Advertising
    Fault("power-unsigned", "advertising", 'int.from_bytes(frame[21:22], "big", signed=True)', "frame[21]", "INK-ADV-021"),
    Fault("second-frame-ignored", "advertising", "if len(frames) > 1:", "if False:", "INK-ADV-027"),
    Fault("uuid-byte-order", "advertising", 'part = b"".join(uuid[::-1] for', 'part = b"".join(uuid for', "INK-ADV-009"),
    Fault("all-apps-of-the-overflow-area", "advertising", r'if bits == b"\xff" * 16:', "if False:", "INK-ADV-025"),
    Fault("padding-of-structures", "advertising", "if any(data[offset:]):", "if False:", "INK-ADV-020"),
    Fault("major-and-minor-exchanged", "advertising", "u16(major) + u16(minor)", "u16(minor) + u16(major)", "INK-ADV-001"),
    Fault("uuid-of-version-4", "advertising", "value[6] & 0x0F | 0x80", "value[6] & 0x0F | 0x40", "INK-ADV-008"),
    Fault("overflow-hash-of-reversed-bytes", "advertising", "crc8(uuid) & 0x7F", "crc8(uuid[::-1]) & 0x7F", "INK-ADV-023"),
    Fault("service-data-is-a-list", "advertising", "0x06: 16, 0x07: 16}.get(kind)", "0x06: 16, 0x07: 16, 0x21: 16}.get(kind)", "INK-ADV-009"),
    Fault("only-the-last-list-of-uuids", "advertising", "uuids += [body[start", "uuids = [body[start", "INK-ADV-009"),
    # Wi-Fi Aware, Apple
    Fault("descriptor-length-big-endian", "wifi_aware", 'value.to_bytes(2, "little")', 'value.to_bytes(2, "big")', "INK-NAN-003"),
    Fault("service-id-not-folded", "wifi_aware", 'byte + 32 if ord("A") <= byte <= ord("Z") else byte', "byte", "INK-NAN-002"),
    Fault("published-as-instance-0", "wifi_aware", '"publish", service_id(SERVICE_NAME), 1, requestor', '"publish", service_id(SERVICE_NAME), 0, requestor', "INK-NAN-005"),
    Fault("subscribed-for-a-requestor", "wifi_aware", '"subscribe", service_id(SERVICE_NAME), 1, 0)', '"subscribe", service_id(SERVICE_NAME), 1, 1)', "INK-NAN-006"),
    Fault("any-frame-is-discovery", "wifi_aware", "if frame[:6] != FRAME_HEADER:", "if False:", "INK-NAN-012"),
    Fault("any-length-is-a-name", "wifi_aware", "if len(info) != 16:", "if False:", "INK-NAN-014"),
    Fault("reserved-bit-of-a-descriptor", "wifi_aware", "if control & RANDOMIZED:", "if False:", "INK-NAN-010"),
    Fault("tls-key-for-ever", "apple", "if epoch > min(handshakeEpoch + 1, EPOCH.high):", "if False:", "INK-APL-003"),
    Fault("twenty-exact-regions", "apple", "len(chosen) < MOST_REGIONS - 1", "len(chosen) < MOST_REGIONS", "INK-APL-020"),
    # Noise, handshake
    Fault("noise-nonce-big-endian", "noise", 'self.nonce.to_bytes(8, "little")', 'self.nonce.to_bytes(8, "big")', "INK-NOI-021"),
    Fault("replayed-message-accepted", "noise", "        self.nonce += 1\n", "", "INK-NOI-021"),
    Fault("prologue-left-out", "noise", "self.state.mix_hash(prologue)", "pass", "INK-NOI-021"),
    Fault("psk-does-not-mix-the-ephemeral", "noise", "        if self.pattern.psk_count:\n            self.state.mix_key(public)\n", "", "INK-NOI-021"),
    Fault("gate-without-transport", "handshake", "H(key, u8(transport) + message)", "H(key, message)", "INK-HSK-004"),
    Fault("prologue-without-device", "handshake", "u32(epoch) + u8(device) + identifier", "u32(epoch) + u8(0) + identifier", "INK-HSK-002"),
    Fault("export-keys-exchanged", "handshake", "k1 + k2 + handshake_hash)", "k2 + k1 + handshake_hash)", "INK-HSK-008"),
    Fault("payload-padding-not-checked", "handshake", "    if any(payload[12 + length :]):", "    if False:", "INK-HSK-045"),
    Fault("first-contact-without-transport", "handshake", r'b"-first-contact\0\x01" + u8(transport)', r'b"-first-contact\0\x01" + u8(0)', "INK-HSK-003"),
    Fault("device-link-without-transport", "handshake", r'b"-device-link\0\x01" + u8(transport)', r'b"-device-link\0\x01" + u8(0)', "INK-HSK-003"),
    Fault("clock-of-four-bytes", "handshake", "((2, 4), (4, 8), (8, 16))", "((2, 4), (4, 8), (8, 12))", "INK-HSK-005"),
    Fault("payload-in-another-order", "handshake", "u16(transports) + u32(generation) + u64", "u32(generation) + u16(transports) + u64", "INK-HSK-005"),
    Fault("payload-not-padded", "handshake", 'payload.ljust(-(-len(payload) // 256) * 256, b"\\0")', "payload", "INK-HSK-006"),
    Fault("fingerprint-of-the-end", "handshake", 'b"fingerprint")[:10]', 'b"fingerprint")[-10:]', "INK-HSK-009"),
    Fault("sealed-grant-without-version", "handshake", r'return b"\x01" + result["sent"][0]', 'return result["sent"][0]', "INK-HSK-007"),
    Fault("sealed-grant-of-any-version", "handshake", "if sealed[0] != 1:", "if False:", "INK-HSK-046"),
    # Packets, records
    Fault("fragment-order-not-checked", "packets", "if header >> 1 & 7 != index % 8:", "if False:", "INK-PKT-023"),
    Fault("more-bit-upside-down", "packets", "(index < len(parts) - 1)", "(index == len(parts) - 1)", "INK-PKT-005"),
    Fault("frames-without-bound", "packets", "if not SMALLEST_PACKET <= length <= LARGEST_PACKET:", "if False:", "INK-PKT-022"),
    Fault("sequence-of-a-packet-ignored", "packets", "    if sequence:\n", "    if False:\n", "INK-PKT-020"),
    Fault("type-in-the-low-bits", "packets", "return bytes([kind << 4]) + body", "return bytes([kind]) + body", "INK-PKT-001"),
    Fault("frame-length-little-endian", "packets", "return u16(len(packet)) + packet", 'return len(packet).to_bytes(2, "little") + packet', "INK-PKT-021"),
    Fault("record-padding-not-checked", "records", "if any(plaintext[3 + length :]):", "if False:", "INK-REC-020"),
    Fault("record-not-padded", "records", r'return record.ljust(padded_size(len(record)), b"\0")', "return record", "INK-REC-001"),
    Fault("audience-twice", "records", "if len({audience for audience, _, _ in grants}) < len(grants):", "if False:", "INK-REC-021"),
    Fault("generation-and-end-exchanged", "records", "audience + u32(generation) + u32(last)", "audience + u32(last) + u32(generation)", "INK-REC-003"),
    Fault("message-number-little-endian", "records", "u64(number) + text", 'number.to_bytes(8, "little") + text', "INK-REC-011"),
    Fault("malformed-text-replaced", "records", 'body[8:].decode("utf-8")', 'body[8:].decode("utf-8", "replace")', "INK-REC-034"),
    # Recognition
    Fault("windows-without-skew", "hearing", "EPOCH_LENGTH * epoch - SKEW, EPOCH_LENGTH * (epoch + 1) + SKEW", "EPOCH_LENGTH * epoch, EPOCH_LENGTH * (epoch + 1)", "INK-RCG-010"),
    Fault("replay-not-noticed", "hearing", "if not trace.contested and trace.overlaps:", "if False:", "INK-RCG-063"),
    Fault("attempts-without-budget", "calls", "if len(started) >= ATTEMPTS_IN_A_MINUTE or len(running) >= ATTEMPTS_AT_ONCE:", "if False:", "INK-RCG-042"),
    Fault("nobody-departs", "observer", "if now.real - known.supported < self.stale_timer():", "if True:", "INK-RCG-032"),
    # Lifecycle
    Fault("relaunch-after-force-quit", "lifecycle.relaunch", '"force-quit": ("no", "no", "no", None)', '"force-quit": ("relaunched", "relaunched", "relaunched", None)', "INK-LIF-001"),
    Fault("restored-twice", "lifecycle.restoration", '"repeated": self.was_restored', '"repeated": False', "INK-LIF-028"),
    Fault("asks-at-launch", "lifecycle.permissions", 'if moment == "launch":', "if False:", "INK-LIF-092"),
    Fault("no-end-of-search", "lifecycle.reconnection", "if self.searching and not needed:", "if False:", "INK-LIF-045"),
    Fault("extended-twice", "lifecycle.windows", 'occasion == "relaunch" and n == 0', 'occasion == "relaunch"', "INK-LIF-061"),
    Fault("written-twice", "lifecycle.windows", "if number <= self.last or number in self.behind:", "if number < self.last:", "INK-LIF-074"),
    Fault("entry-taken-twice", "lifecycle.windows", "if region in self.minors and region not in self.inside:", "if region in self.minors:", "INK-LIF-080"),
    # Platforms, transports
    Fault("best-value-instead-of-the-worst", "platforms", "worst = min((fact.value", "worst = max((fact.value", "INK-PLT-001"),
    Fault("any-version-covered", "platforms", 'return None, "none"', 'return "ios-10.0", "exact"', "INK-PLT-004"),
    Fault("assumed-said-to-be-documented", "platforms", "members = dict(THE.facts[fact].__dict__)", 'members = {name: "documented" if value == "assumed" else value for name, value in THE.facts[fact].__dict__.items()}', "INK-PLT-007"),
    Fault("upgrade-before-the-handshake", "transports", 'RELATION.get(transport, ("confirmed",))', "RELATION.get(transport, RELATIONS)", "INK-TPT-004"),
    Fault("deadline-ignored", "transports", "if at.deadline is not None and way.completes > at.deadline:", "if False:", "INK-TPT-002"),
    Fault("no-back-off", "transports", "if ago < min(FIRST_BACK_OFF", "if False and ago < min(FIRST_BACK_OFF", "INK-TPT-012"),
    # The shim itself
    Fault("upper-case-digits-accepted", "fields", "[0-9a-f]{2})*", "[0-9a-fA-F]{2})*", "INK-CNF-004"),
    Fault("integers-without-range", "fields", "        if not self.low <= value <= self.high:\n            refuse_argument(\"out-of-range\")\n        return value\n\n    def write(self, value: int):", "        return value\n\n    def write(self, value: int):", "INK-CNF-004"),
    Fault("decimal-digits-refused", "fields", "value = int(value)\n", 'refuse_argument("wrong-type")\n', "INK-CNF-005"),
    Fault("surplus-arguments-accepted", "operations", "if any(name not in arguments.members for name in given):", "if False:", "INK-CNF-004"),
    Fault("ends-at-a-bad-line", "shim", 'raise Refused("not-json") from None', "sys.exit(1)", "INK-CNF-002"),
    Fault("id-as-a-text", "shim", 'identity = request["id"]', 'identity = str(request["id"])', "INK-CNF-001"),
    Fault("answers-twice", "shim", "        sys.stdout.flush()\n", '        sys.stdout.flush()\n        print(\'{"id":"mdns-name-0001","unsupported":true}\', flush=True)\n', "INK-CNF-001"),
    Fault("lists-what-it-does-not-have", "shim", "*sorted(operations.REGISTER)]", '*sorted(operations.REGISTER)]}}\n    if operation == "epoch":\n        return {"unsupported": True}\n    if False:\n        return {"result": {"operations": []', "INK-CNF-009"),
    Fault("hangs", "shim", '    if operation not in operations.REGISTER:\n', '    if operation == "uuid":\n        import time; time.sleep(3600)\n    if operation not in operations.REGISTER:\n', "INK-CNF-001"),
]
