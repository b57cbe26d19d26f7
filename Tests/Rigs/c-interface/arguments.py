"""Passes each argument of each call wrong values of every kind that its type allows, while all other arguments are right.

arguments.h has one object of each kind. The expected status follows from the type of the wrong argument, so a new call is
tested as soon as it is declared. A call or an argument that this file does not know is an error.
"""

import re
from pathlib import Path

from interface import declarations

# Numbers and handles by the names of arguments.
NUMBERS = {
    "advertising": "1", "address": "1", "apart": "1", "attempt": "1", "audience_id": "77", "audience_kind": "0",
    "before_epoch": "0", "before_period": "0", "bytes": "5", "contact": "1", "device": "0", "devices": "1", "epoch": "epoch", "event": "0", "existing": "0", "first": "1",
    "from_period": "period", "is_unauthenticated": "0", "generation": "1", "held_generation": "0", "period": "period", "index": "0",
    "is_primary": "1", "is_visible": "1", "later": "0", "milliseconds": "5000", "minor": "1", "minutes": "5", "mtu": "0", "number": "7",
    "own_serial": "1", "peer_serial": "0", "rate": "0", "refusal": "refused", "role": "0", "serial": "1", "session": "1", "set_up": "0",
    "skew_seconds": "120", "step": "0", "stream": "5", "rssi": "-60", "subject": "0", "technology": "0", "tick": "5", "to_period": "period + 10",
    "transport": "2", "transports": "4", "type": "4", "unix_milliseconds": "milliseconds", "unix_seconds": "second",
    "use": "1", "why": "0",
}
NUMBERS_OF = {
    ("inkling_epoch_on_air", "minutes"): "30", ("inkling_uuid", "use"): "0", ("inkling_roster_add", "device"): "1",
    ("inkling_sync_receive", "type"): "INKLING_RECORD_MESSAGE",
}
HANDLES = {"pairwise": "secret", "object": "tree", "handle": "tree", "sync": "delivery"}
HANDLES_OF = {
    ("inkling_device_key_public", "key"): "device_key", ("inkling_period_key_values", "key"): "period_key",
    ("inkling_session_packet", "session"): "answering",
}
# Inputs by the name of the pointer: the bytes and their number.
SECRET, USER = ("thirty_two", "32"), ("sixteen", "16")
INPUTS = {
    "root": SECRET, "seed": SECRET, "key": SECRET, "own_key": SECRET, "peer_key": SECRET, "own_presence": SECRET,
    "peer_presence": SECRET, "responder": SECRET, "recipient": SECRET, "sender": SECRET, "issuer": SECRET, "grantee": USER,
    "tag": USER, "packet": ("packet", "packet_count"), "body": ("body", "body_count"), "text": ("\"hello\"", "5"),
    "name": ("\"Ada\"", "3"), "label": ("label", "32"), "data": ("beacon", "beacon_count"), "attempts": SECRET,
    "sealed": ("sealed", "sealed_count"), "file": ("(const uint8_t *)file", "2"), "grants": ("&grant", "1"),
    "contexts": ("&context", "1"), "entries": ("(const inkling_replay_entry *)(void *)room", "1"), "bytes": SECRET,
}
INPUTS_OF = {
    ("inkling_card_read", "bytes"): ("card_content", "card_count"), ("inkling_link_take", "bytes"): ("packet", "packet_count"),
    ("inkling_card_read_text", "text"): ("card_text", "card_text_count - 1"),
    ("inkling_invitation_read_text", "text"): ("invitation_text", "invitation_text_count - 1"),
    ("inkling_grant_read", "bytes"): ("card_content", "card_count"),
    ("inkling_grant_unseal", "sealed"): ("sealed_grant", "sealed_grant_count"),
    ("inkling_receipt_read", "body"): ("receipt_body", "receipt_body_count"),
    ("inkling_stream_read", "body"): ("stream_body", "stream_body_count"),
}
LIMITS = {"inkling_vectors_verify": "INKLING_VECTOR_FILE_LIMIT"}
# Pointers that may be null, besides those to a refusal.
OPTIONAL = {"high_water", "options", "observed", "on_difference", "stored", "user"}
# Calls that return no status; other tests call them.
WITHOUT_STATUS = {"inkling_status_text", "inkling_abi_version"}
ALIGNED_TO_ONE = {"uint8_t", "char", "void"}
SIZELESS = {"inkling_app", "inkling_replay_entry"}
CONSTANTS = {"now": "&now", "introduction": "&introduction", "app": "&app", "situation": "&situation", "head": "&head",
             "receipt": "&receipt"}
SKIPPED = {
    # An object of any kind can be freed.
    ("inkling_free", "handle", "memory"),
    # A plan needs no memory.
    ("inkling_plan_new", "memory", "0"),
}


class Call:
    def __init__(self, node: dict):
        self.name = node["name"]
        self.arguments = [(argument["name"], argument["type"]["qualType"]) for argument in node.get("inner", []) if argument["kind"] == "ParmVarDecl"]
        self.places = {name: place for place, (name, _) in enumerate(self.arguments)}
        self.declared: list[str] = []
        self.right = [self.value(place) for place in range(len(self.arguments))]

    def is_optional(self, place: int) -> bool:
        name, type = self.arguments[place]
        return name in OPTIONAL or type == "inkling_refusal *"

    def is_count_of(self, place: int) -> bool:
        """Whether an argument is the length of the one before it."""
        name, type = self.arguments[place]
        return type == "size_t" and place > 0 and self.arguments[place - 1][1].startswith("const ") and name.endswith("count")

    def value(self, place: int) -> str:
        name, type = self.arguments[place]
        if type == "inkling_handle":
            return HANDLES_OF.get((self.name, name)) or HANDLES.get(name, name)
        if type in ("inkling_pairwise_of", "inkling_on_difference", "inkling_fill"):
            return "pairwise_of" if type == "inkling_pairwise_of" else "NULL"
        if self.is_count_of(place):
            return self.input(place - 1)[1]
        if type == "size_t" and name == "capacity":
            return "sizeof out"
        if "*" not in type:
            return NUMBERS_OF.get((self.name, name)) or NUMBERS[name]
        if self.is_optional(place):
            return "&secret" if name == "user" else "NULL"
        pointed = type.removeprefix("const ").removesuffix("*").strip()
        if type.startswith("const "):
            return CONSTANTS[name] if pointed.startswith("inkling_") and name in CONSTANTS else self.input(place)[0]
        if name == "out" or name == "bytes_out":
            return "(char *)out" if pointed == "char" else "out"
        if pointed == "inkling_handle":
            return "&made"
        # inkling_epochs_observed writes three.
        self.declared.append(f"{pointed} {name}[3]; memset({name}, 0, sizeof {name});" + (f" {name}[0].size = sizeof *{name};" if pointed.startswith("inkling_") else ""))
        return name

    def input(self, place: int) -> tuple[str, str]:
        name = self.arguments[place][0]
        return INPUTS_OF.get((self.name, name)) or INPUTS[name]

    def wrong(self):
        """Yields the place of an argument, a wrong value for it, and the expected status."""
        for place, (name, type) in enumerate(self.arguments):
            pointed = type.removeprefix("const ").removesuffix("*").strip()
            if type == "inkling_handle":
                for handle in ("0", "freed", "UINT64_MAX", f"{self.right[place]} + (UINT64_C(1) << 32)"):
                    yield place, handle, "INKLING_NO_SUCH_HANDLE"
                yield place, "link" if self.right[place] == "memory" else "memory", "INKLING_WRONG_KIND"
            elif type == "inkling_pairwise_of":
                yield place, "NULL", "INKLING_NULL_ARGUMENT"
            elif self.is_count_of(place):
                limit = LIMITS.get(self.name, "INKLING_INPUT_LIMIT")
                for count in ("SIZE_MAX", "SIZE_MAX / 2", "SIZE_MAX / 2 + 1", f"{limit} + 1"):
                    yield place, count, "INKLING_OUT_OF_RANGE"
                fixed = self.input(place - 1) in (SECRET, USER)
                for count in ("1", self.right[place] + " - 1", self.right[place] + " + 1") if fixed else ():
                    yield place, count, "INKLING_WRONG_LENGTH"
            elif name == "capacity":
                for capacity in ("SIZE_MAX", "SIZE_MAX / 2 + 1"):
                    yield place, capacity, "INKLING_OUT_OF_RANGE"
                yield place, "0", "INKLING_BUFFER_TOO_SHORT"
            elif "*" in type:
                if not self.is_optional(place):
                    yield place, "NULL", "INKLING_NULL_ARGUMENT"
                if pointed not in ALIGNED_TO_ONE:
                    yield place, f"OFF({pointed})", "INKLING_MISALIGNED"
                if pointed.startswith("inkling_") and pointed != "inkling_handle" and pointed not in SIZELESS:
                    for size in ("0", "3", "4097", "UINT32_MAX"):
                        yield place, f"sized_{pointed}({size})", "INKLING_WRONG_SIZE"

    def function(self) -> tuple[str, int]:
        lines, count = [], 0
        for place, instead, status in self.wrong():
            if (self.name, self.arguments[place][0], instead) in SKIPPED:
                continue
            arguments = ", ".join(instead if index == place else value for index, value in enumerate(self.right))
            lines.append(f"    EXPECT({self.name}({arguments}), {status});")
            count += 1
        body = "\n".join([*(f"    {line}" for line in self.declared), *lines])
        return f"static void try_{self.name}(void) {{\n{body}\n    UNCHANGED();\n}}\n", count


def program(headers: Path) -> tuple[str, int]:
    """Returns the program in C and the number of calls that it makes."""
    calls = [Call(node) for node in declarations(headers) if node["kind"] == "FunctionDecl" and node["name"] not in WITHOUT_STATUS]
    functions, counts = zip(*(call.function() for call in calls))
    text = "".join(functions)
    sized = "".join(
        f"static {name} *sized_{name}(uint32_t size) {{\n    static {name} made_wrong;\n    made_wrong.size = size;\n    return &made_wrong;\n}}\n"
        for name in sorted(set(re.findall(r"sized_(inkling_\w+)\(", text))))
    return (
        '#include "arguments.h"\n\n#define FILL 0xee\nstatic uint8_t out[32768];\n'
        "/* No call that failed has written anything. */\n"
        "#define UNCHANGED()                                                                          \\\n"
        "    do {                                                                                      \\\n"
        "        size_t same = 0;                                                                      \\\n"
        "        while (same < sizeof out && out[same] == FILL) same++;                                \\\n"
        "        HOLDS(same == sizeof out && made == 99);                                              \\\n"
        "        for (same = 0; same < sizeof room && room[same] == 0;) same++;                        \\\n"
        "        HOLDS(same == sizeof room);                                                           \\\n"
        "    } while (0)\n\n" + sized + "\n" + text +
        "\nint main(void) {\n    make_objects();\n    memset(out, FILL, sizeof out);\n"
        + "".join(f"    try_{call.name}();\n" for call in calls) +
        f'    free_objects();\n    if (failures == 0) puts("{sum(counts)} wrong arguments of {len(calls)} calls led to the expected status");\n'
        "    return failures != 0;\n}\n", sum(counts))
