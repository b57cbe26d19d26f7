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
    # Advertising
    Fault("power-unsigned", "advertising", 'int.from_bytes(frame[21:22], "big", signed=True)', "frame[21]", "INK-ADV-021"),
    Fault("second-frame-ignored", "advertising", "if len(frames) > 1:", "if False:", "INK-ADV-027"),
    Fault("uuid-byte-order", "advertising", 'part = b"".join(uuid[::-1] for', 'part = b"".join(uuid for', "INK-ADV-009"),
    Fault("all-apps-of-the-overflow-area", "advertising", r'if bits == b"\xff" * 16:', "if False:", "INK-ADV-025"),
    Fault("padding-of-structures", "advertising", "if any(data[offset:]):", "if False:", "INK-ADV-020"),
    # Wi-Fi Aware, Apple
    Fault("descriptor-length-big-endian", "wifi_aware", 'value.to_bytes(2, "little")', 'value.to_bytes(2, "big")', "INK-NAN-003"),
    Fault("service-id-not-folded", "wifi_aware", 'byte + 32 if ord("A") <= byte <= ord("Z") else byte', "byte", "INK-NAN-002"),
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
    # Packets, records
    Fault("fragment-order-not-checked", "packets", "if header >> 1 & 7 != index % 8:", "if False:", "INK-PKT-023"),
    Fault("more-bit-upside-down", "packets", "(index < len(parts) - 1)", "(index == len(parts) - 1)", "INK-PKT-005"),
    Fault("frames-without-bound", "packets", "if not SMALLEST_PACKET <= length <= LARGEST_PACKET:", "if False:", "INK-PKT-022"),
    Fault("record-padding-not-checked", "records", "if any(plaintext[3 + length :]):", "if False:", "INK-REC-020"),
    Fault("record-not-padded", "records", r'return record.ljust(padded_size(len(record)), b"\0")', "return record", "INK-REC-001"),
    Fault("audience-twice", "records", "if len({audience for audience, _, _ in grants}) < len(grants):", "if False:", "INK-REC-021"),
    # Recognition
    Fault("windows-without-skew", "hearing", "EPOCH_LENGTH * epoch - SKEW, EPOCH_LENGTH * (epoch + 1) + SKEW", "EPOCH_LENGTH * epoch, EPOCH_LENGTH * (epoch + 1)", "INK-RCG-0"),
    Fault("replay-not-noticed", "hearing", "if not trace.contested and trace.overlaps:", "if False:", "INK-RCG-0"),
    Fault("attempts-without-budget", "calls", "if len(started) >= ATTEMPTS_IN_A_MINUTE or len(running) >= ATTEMPTS_AT_ONCE:", "if False:", "INK-RCG-0"),
    Fault("nobody-departs", "observer", "if now.real - known.supported < self.stale_timer():", "if True:", "INK-RCG-0"),
    # Lifecycle
    Fault("relaunch-after-force-quit", "lifecycle.relaunch", '"force-quit": ("no", "no", "no", None)', '"force-quit": ("relaunched", "relaunched", "relaunched", None)', "INK-LIF-00"),
    Fault("restored-twice", "lifecycle.restoration", '"repeated": self.was_restored', '"repeated": False', "INK-LIF-02"),
    Fault("asks-at-launch", "lifecycle.permissions", 'if moment == "launch":', "if False:", "INK-LIF-0"),
    Fault("no-end-of-search", "lifecycle.reconnection", "if self.searching and not needed:", "if False:", "INK-LIF-0"),
    # Platforms, transports
    Fault("best-value-instead-of-the-worst", "platforms", "worst = min((fact.value", "worst = max((fact.value", "INK-PLT-00"),
    Fault("any-version-covered", "platforms", 'return None, "none"', 'return "ios-10.0", "exact"', "INK-PLT-00"),
    Fault("upgrade-before-the-handshake", "transports", 'RELATION.get(transport, ("confirmed",))', "RELATION.get(transport, RELATIONS)", "INK-TPT-00"),
    Fault("deadline-ignored", "transports", "if at.deadline is not None and way.completes > at.deadline:", "if False:", "INK-TPT-0"),
    Fault("no-back-off", "transports", "if ago < min(FIRST_BACK_OFF", "if False and ago < min(FIRST_BACK_OFF", "INK-TPT-0"),
    # The shim itself
    Fault("upper-case-digits-accepted", "fields", "[0-9a-f]{2})*", "[0-9a-fA-F]{2})*", "INK-CNF-004"),
    Fault("integers-without-range", "fields", "        if not self.low <= value <= self.high:\n            refuse_argument(\"out-of-range\")\n        return value\n\n    def write(self, value: int):", "        return value\n\n    def write(self, value: int):", "INK-CNF-004"),
    Fault("decimal-digits-refused", "fields", "value = int(value)\n", 'refuse_argument("wrong-type")\n', "INK-CNF-005"),
    Fault("surplus-arguments-accepted", "operations", "if any(name not in arguments.members for name in given):", "if False:", "INK-CNF-004"),
    Fault("ends-at-a-bad-line", "shim", 'raise Refused("not-json") from None', "sys.exit(1)", "INK-CNF-002"),
    Fault("id-as-a-text", "shim", 'identity = request["id"]', 'identity = str(request["id"])', "INK-CNF-00"),
    Fault("answers-twice", "shim", "        sys.stdout.flush()\n", '        sys.stdout.flush()\n        print(\'{"id":"mdns-name-0001","unsupported":true}\', flush=True)\n', "INK-CNF-001"),
    Fault("lists-what-it-does-not-have", "shim", "*sorted(operations.REGISTER)]", '*sorted(operations.REGISTER)]}}\n    if operation == "epoch":\n        return {"unsupported": True}\n    if False:\n        return {"result": {"operations": []', "INK-CNF-009"),
    Fault("hangs", "shim", '    if operation not in operations.REGISTER:\n', '    if operation == "uuid":\n        import time; time.sleep(3600)\n    if operation not in operations.REGISTER:\n', "INK-CNF-001"),
]
