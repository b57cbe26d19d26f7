"""Generates a program that makes calls on any objects in any order: no sequence may end the process or leave an object.

The arguments of a call are read from the header, as in arguments.py. A sequence in which many calls never succeed is an
error, because it would show nothing.
"""

import re
from pathlib import Path

from arguments import CONSTANTS, SIZELESS, WITHOUT_STATUS, Call
from interface import declarations

# The kind of object that a call creates, if the name of the argument does not give it.
MADE = {"object_out": "tree", "sync_out": "delivery"}
# Calls that succeed only directly after another call, or that read bytes which no call writes.
ONLY_IN_ORDER = [
    "inkling_call_receive", "inkling_inviter_complete", "inkling_session_receive", "inkling_session_grant", "inkling_grant_read",
]
# The randomness always comes from the seed.
NOT_MADE = {"inkling_use_randomness"}
# Arguments that differ from those in arguments.h.
REAL = {"file": ("vectors", "sizeof vectors - 1"), "label": ("shown_label", "32")}


class RandomCall(Call):
    def kind(self, place: int) -> str:
        return {"answering": "session"}.get(self.right[place], self.right[place])

    def made(self) -> str | None:
        for name, type in self.arguments:
            if type == "inkling_handle *":
                if name == "key_out":
                    return "period_key" if "period" in self.name else "device_key"
                return MADE.get(name, name.removesuffix("_out"))
        return None

    def drawer(self, name: str) -> str:
        return "PACKETS" if self.name == "inkling_link_take" or re.search("packet|hello|session_seal", name) else "OTHERS"

    def random(self, place: int) -> str:
        name, type = self.arguments[place]
        pointed = type.removeprefix("const ").removesuffix("*").strip()
        if type == "inkling_handle":
            return f"any(KIND_{self.kind(place)})"
        if type == "inkling_pairwise_of":
            return "some_pairwise"
        if type == "inkling_on_difference":
            return "NULL"
        if self.is_count_of(place):
            return f"input_counts[{place - 1}]"
        if name == "capacity":
            return "room_for"
        if "*" not in type:
            return f"({type})number((uint64_t)({'shown_minor' if name == 'minor' else self.right[place]}))"
        if type == "inkling_handle *":
            return "&object"
        if type == "inkling_refusal *":
            return "perhaps(&refusal)"
        if name == "user":
            return "NULL"
        if pointed == "inkling_clock":
            return "moment"
        if type.startswith("const "):
            return f"argument_{place}"
        return self.right[place] if name not in ("out", "bytes_out") else f"({type})outputs"

    def prepared(self):
        """Returns the statements before the call: arguments behind pointers come before those that count them."""
        for place, (name, type) in enumerate(self.arguments):
            pointed = type.removeprefix("const ").removesuffix("*").strip()
            if pointed == "inkling_clock":
                yield f"inkling_clock *moment = clocks({place});"
            elif not type.startswith("const ") or "*" not in type:
                continue
            elif place + 1 < len(self.arguments) and self.is_count_of(place + 1):
                content, count = REAL.get(name) or self.input(place)
                if pointed == "inkling_handle":
                    yield f"const inkling_handle *argument_{place} = objects({place}, KIND_{content.removeprefix('&')});"
                else:
                    size = "1" if pointed in ("uint8_t", "char", "void") else f"sizeof({pointed})"
                    yield f"const {pointed} *argument_{place} = bytes({place}, {content}, {count}, {size}, {self.drawer(name)});"
            elif pointed.startswith("inkling_"):
                right = CONSTANTS.get(name, "NULL")
                yield f"const {pointed} *argument_{place} = structure({place}, {right}, sizeof({pointed}), {int(pointed not in SIZELESS)});"
                if self.is_optional(place):
                    yield f"argument_{place} = perhaps((void *)(uintptr_t)argument_{place});"
            else:
                yield f"const {pointed} *argument_{place} = perhaps(structure({place}, NULL, sizeof({pointed}), 0));"

    def function(self) -> str:
        arguments = ", ".join(self.random(place) for place in range(len(self.arguments)))
        lines = [*self.declared, *self.prepared()]
        if "&object" in arguments:
            lines.insert(0, "inkling_handle object = 0;")
        if "&refusal" in arguments:
            lines.insert(0, "inkling_refusal refusal = {.size = sizeof refusal};")
        if "room_for" in arguments:
            lines.append("const size_t room_for = capacity();")
        lines.append(f"const inkling_status came = {self.name}({arguments});")
        if made := self.made():
            lines += ["HOLDS((came == INKLING_OK) == (object != 0));", f"if (object != 0) keep(KIND_{made}, object);"]
        if "room_for" in arguments:
            counted = next(name for name, type in self.arguments if type == "size_t *")
            lines.append(f"remember(came, {self.drawer(self.name)}, {counted}[0], room_for);")
        lines.append("return came;")
        body = "".join(f"    {line}\n" for line in lines)
        return f"static inkling_status any_{self.name}(void) {{\n{body}}}\n\n"


def program(headers: Path) -> str:
    calls = [RandomCall(node) for node in declarations(headers)
             if node["kind"] == "FunctionDecl" and node["name"] not in WITHOUT_STATUS | NOT_MADE]
    kinds = sorted({call.kind(place) for call in calls for place, (_, type) in enumerate(call.arguments) if type == "inkling_handle"})
    begin = "".join(f"    begin_with(KIND_{kind}, {kind});\n" for kind in kinds)
    rows = "".join(f'    {{"{call.name}", any_{call.name}, {{0}}}},\n' for call in calls)
    rows += '    {"a record that arrives", any_record_that_arrives, {0}},\n'
    rows += '#if defined PLANTED_TRAP || defined PLANTED_LEAK\n    {"the planted fault", any_planted, {0}},\n#endif\n'
    enumerators = ", ".join(f"KIND_{kind}" for kind in kinds)
    return (
        f"enum {{ {enumerators}, KINDS }};\n\n" + '#include "sequences.h"\n\n' + "".join(call.function() for call in calls) +
        f"static one_call calls[] = {{\n{rows}}};\n\n"
        f"static void begin_with_objects(void) {{\n{begin}    begin_with(KIND_session, answering);\n}}\n\n"
        f'static const char only_in_order[] = "{" ".join(ONLY_IN_ORDER)}";\n\n'
        "int main(int argument_count, char **arguments) {\n"
        "    return run_sequence(calls, sizeof calls / sizeof *calls, only_in_order, argument_count, arguments);\n}\n")
