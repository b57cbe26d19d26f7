"""Packets of other hosts, and steps, for the cases of Specs/mdns.md. Packets are written here by hand: without pointers
unless a case places them."""

from ...reference.notation import u8, u16, u32
from ...tools.family import Case
from ...tools.operations import answer

# The example of the page.
NAME = "ee86ffa399825968e402a6832c863656"
HOST = "247f2895250d23da6bb0d8d9e9808ea3"
PORT = 41_969
INSTANCE = {"name": NAME, "host": HOST, "port": PORT}
TYPE = "_inkling._tcp.local"
A, CNAME, PTR, TXT, AAAA, SRV, OPT, NSEC, ANY = 1, 5, 12, 16, 28, 33, 41, 47, 255
FLUSH, QU = 0x8001, 0x8001
ADDRESS = "0a4d0001"
LINK_LOCAL = "fe80000000000000021122fffe334455"
PRIVATE = "fd000000000000010000000000000001"
MDNS = 5353


def numbers(*requirements):
    return tuple(f"INK-MDN-{number:03}" for number in requirements)


def name(text):
    """A name without pointers; `text` has dots between labels, and is empty for the root."""
    return b"".join(u8(len(label)) + label.encode("latin-1") for label in text.split(".") if label) + b"\0"


def question(owner, kind, class_=1):
    owner = name(owner) if isinstance(owner, str) else owner
    return owner + u16(kind) + u16(class_)


def record(owner, kind, data, class_=FLUSH, ttl=120, count=None):
    owner = name(owner) if isinstance(owner, str) else owner
    return owner + u16(kind) + u16(class_) + u32(ttl) + u16(len(data) if count is None else count) + data


def message(questions=(), answers=(), authority=(), additional=(), number=0, flags=0, counts=None, rest=b""):
    sections = (questions, answers, authority, additional)
    counts = counts or [len(section) for section in sections]
    header = u16(number) + u16(flags) + b"".join(u16(count) for count in counts)
    return (header + b"".join(b"".join(section) for section in sections) + rest).hex()


def response(*answers, **more):
    return message(answers=answers, flags=0x8400, **more)


def instance(digits):
    return f"{digits}.{TYPE}"


def ptr(digits, **more):
    return record(TYPE, PTR, name(instance(digits)), **{"class_": 1, **more})


def srv(digits, host, port=4_000, **more):
    target = name(f"{host}.local") if host.isalnum() else name(host)
    return record(instance(digits), SRV, u16(0) + u16(0) + u16(port) + target, **more)


def txt(digits, data=b"\x03v=1", **more):
    return record(instance(digits), TXT, data, **more)


def address(host, value, **more):
    data = bytes.fromhex(value)
    return record(f"{host}.local", A if len(data) == 4 else AAAA, data, **more)


def through_pointers(digits, count):
    """An address of a host whose name is read through so many pointers; they stand in a record that is read over."""
    target = name(f"{digits}.local")
    # Behind the header, and the fields of the record, whose owner is the root.
    start = 12 + 11
    places = [start, *(start + len(target) + 2 * number for number in range(count - 1))]
    *stored, owner = [u16(0xC000 | place) for place in places]
    return response(
        record("", 65_280, target + b"".join(stored)), record(owner, A, bytes.fromhex("0a4d0002"))
    )


# Other devices, by number.


def other_name(number):
    return f"{number:08x}{'0b' * 12}"


def other_host(number):
    return f"{number:08x}{'0c' * 12}"


def other_address(number):
    return f"0a4d00{(number + 1) % 250:02x}"


def known(*others):
    return [{"name": other_name(number), "host": other_host(number)} for number in others]


def records_of(number, port=4_000, host=None, addresses=None, **more):
    """The four records that another device announces."""
    host = other_host(number) if host is None else host
    addresses = [other_address(number)] if addresses is None else addresses
    return [
        ptr(other_name(number), **more),
        srv(other_name(number), host, port, **more),
        txt(other_name(number), **more),
        *(address(host, value, **more) for value in addresses),
    ]


# Scenarios


def interface(number=2, ipv4=True, ipv6=False, published=(ADDRESS,), prefixes=(("0a4d0000", 24),), **more):
    return {
        "number": number,
        "ipv4": ipv4,
        "ipv6": ipv6,
        "published": list(published),
        "prefixes": [{"address": prefix, "length": length} for prefix, length in prefixes],
        "loopback": False,
        "shown": True,
        **more,
    }


BOTH = interface(ipv6=True, published=[ADDRESS, LINK_LOCAL])


def step(at, event, **members):
    return {"at": at, "event": event, **members}


def start(at=0):
    return step(at, "start")


def stop(at, goodbye=True):
    return step(at, "stop", goodbye=goodbye)


def heard(at, packet, source="0a4d0002", number=2, port=MDNS, hop_limit=255):
    return step(at, "packet", packet=packet, interface=number, source=source, port=port, hopLimit=hop_limit)


def announced_by(at, other, source=None, interface=2, **more):
    source = other_address(other) if source is None else source
    return heard(at, response(*records_of(other, **more)), source, interface)


def asked(at, owner, kind, class_=1, source="0a4d0002", port=MDNS, interface=2, **more):
    return heard(at, message([question(owner, kind, class_)], **more), source, interface, port)


def search(at, number, host=True):
    members = {"host": other_host(number)} if host else {}
    return step(at, "search", name=other_name(number), **members)


def scenario(comment, requirements, steps, until, effects=None, expect=None, flags=(), **more):
    """A case. `effects` are all that its writer expects; `expect` judges them instead. Without draws every delay is the
    shortest: 20 ms, and 60 s between queries."""
    args = {
        "announced": INSTANCE,
        "answered": [],
        "browses": False,
        "known": [],
        "interfaces": [interface()],
        "draws": ["0"],
        **more,
        "steps": steps,
        "until": until,
    }
    args = {member: value for member, value in args.items() if value is not None}
    case = Case(comment, args, flags, numbers(*requirements))
    if effects is not None:
        case.result = {"effects": effects}
    if expect is not None:
        case.result = {"effects": judged(comment, args, expect)}
    return case


def judged(comment, args, expect):
    """The effects of the model, after `expect` has accepted them."""
    reply = answer("mdns", args)
    effects = reply.get("result", {}).get("effects")
    if effects is None or not expect(effects):
        raise AssertionError(f"{comment}: {reply}")
    return effects


# Effects


def response_packet(addresses=(ADDRESS,), goodbye=False, announced=True, **shown):
    """The packet in which the device shows an instance. mdns-response.json is about its bytes."""
    shown = {"goodbye": goodbye, "announced": announced, **INSTANCE, **shown, "addresses": list(addresses)}
    return answer("mdns-response", shown)["result"]["packet"]


BROWSE = message([question(TYPE, PTR)])


def sent(at, packet, number=2, ipv6=False, **to):
    return {"at": at, "effect": "send", "interface": number, "ipv6": ipv6, "packet": packet, **to}


def shown_at(*moments, **packet):
    return [sent(at, response_packet(**packet)) for at in moments]


def browsed_at(*moments):
    return [sent(at, BROWSE) for at in moments]


def report(at, effect, number=None, **members):
    return {"at": at, "effect": effect, **({} if number is None else {"name": other_name(number)}), **members}


def appeared(at, number):
    return report(at, "appeared", number)


def vanished(at, number):
    return report(at, "vanished", number)


def found(at, number, *endpoints):
    return report(
        at,
        "found",
        number,
        endpoints=[endpoint if isinstance(endpoint, dict) else at_address(*endpoint) for endpoint in endpoints],
    )


def not_found(at, number):
    return report(at, "not-found", number)


def at_address(value, port=4_000, number=None):
    return {"address": value, "port": port, **({} if number is None else {"interface": number})}
