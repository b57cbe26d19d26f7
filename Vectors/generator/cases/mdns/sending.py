"""The packets that a device sends."""

from ...tools.family import Case, argument_refusals, generated, replaced
from .parts import ADDRESS, HOST, INSTANCE, LINK_LOCAL, NAME, PRIVATE, numbers

# The example of the page, typed by hand.
EXAMPLE = (
    "000084000000000400000000"
    "085f696e6b6c696e67045f746370056c6f63616c00000c000100000078002320"
    "6565383666666133393938323539363865343032613638333263383633363536c00c"
    "c02b0021800100000078002e00000000a3f120"
    "3234376632383935323530643233646136626230643864396539383038656133056c6f63616c00"
    "c02b0010800100000078000403763d31"
    "c06000018001000000780004" + ADDRESS
)
# `_inkling._tcp.local.`, and the same with PTR and class IN as a question.
LABELS = "085f696e6b6c696e67045f746370056c6f63616c00"
BROWSE = "000000000001000000000000" + LABELS + "000c0001"
SECOND = "0a4d0002"
GLOBAL = "20010db8000000010000000000000007"
ADDRESSES = (
    ("no address", ()),
    ("one IPv4 address", (ADDRESS,)),
    ("one IPv6 address", (LINK_LOCAL,)),
    ("IPv4, then IPv6", (ADDRESS, LINK_LOCAL)),
    ("IPv6, then IPv4: the order of the caller", (LINK_LOCAL, ADDRESS)),
    ("two of each family, mixed", (LINK_LOCAL, ADDRESS, PRIVATE, SECOND)),
    (
        "four of each family",
        ("0a4d0001", "0a4d0002", "0a4d0003", "0a4d0004", LINK_LOCAL, PRIVATE, GLOBAL, "fd" + "00" * 15),
    ),
    ("one address twice", (ADDRESS, ADDRESS)),
)
FORM = numbers(1, 2, 3, 4, 11)


def shown(announced=True, addresses=(ADDRESS,), **more):
    return {"announced": announced, **INSTANCE, **more, "addresses": list(addresses)}


def generated_instance(name):
    seed = generated(name, 34)
    return {"name": seed[:16].hex(), "host": seed[16:32].hex(), "port": int.from_bytes(seed[32:], "big")}


def response_cases():
    def case(comment, args, requirements=FORM, flags=(), **expected):
        return Case(comment, {"goodbye": False, **args}, flags, requirements, result=expected or None)

    cases = [case("the example of the page", shown(), FORM, ("known-answer",), packet=EXAMPLE)]
    goodbye = EXAMPLE.replace("00000078", "00000000")
    args = {"goodbye": True, **shown()}
    cases.append(case("the goodbye of the example", args, FORM + numbers(15), ("known-answer",), packet=goodbye))
    for comment, addresses in ADDRESSES:
        for announced in (True, False):
            for is_goodbye in (False, True) if announced else (False,):
                what = "goodbye" if is_goodbye else "announced" if announced else "only answered"
                args = {"goodbye": is_goodbye, **shown(announced, addresses)}
                cases.append(case(f"{what}, {comment}", args, FORM + (numbers(15) if is_goodbye else ())))
    for port in (0, 1, 255, 256, 32_768, 65_535):
        cases.append(case(f"port {port}", shown(port=port), FORM, ("boundary",)))
    for fill in ("00", "ff", "0a"):
        cases.append(case(f"name and host of bytes {fill}", shown(name=fill * 16, host=fill * 16), FORM, ("boundary",)))
    cases.append(case("the host has the digits of the name", shown(host=NAME), FORM, ("boundary",)))
    for value in ("00000000", "ffffffff", "00" * 16, "ff" * 16):
        cases.append(case(f"address {value}", shown(addresses=(value,)), FORM, ("boundary",)))
    for index in range(8):
        seed = generated(f"mdns-response {index}", 64)
        addresses = [seed[:4].hex(), seed[4:20].hex(), seed[20:24].hex(), seed[24:40].hex()][: index % 5]
        args = shown(index % 2 == 0, addresses, **generated_instance(f"mdns-response instance {index}"))
        cases.append(case("an instance without structure", args, FORM, ("generated",)))
    cases += argument_refusals("mdns-response", {"goodbye": False, **shown()})
    return cases + address_refusals({"goodbye": False, **shown()})


def legacy_cases():
    def case(comment, args, flags=(), **expected):
        return Case(comment, args, flags, numbers(1, 2, 3, 4), result=expected or None)

    def args(question="service-type", type=12, id=0x1234, **more):
        return {"id": id, "question": question, "type": type, **shown(**more)}

    # The owner of PTR points to the question; the rest is 25 bytes later than in the example, less 19 of the owner.
    asked = "1234840000010004" + "00000000" + LABELS + "000c0001" + "c00c" + "000c00010000000a002320"
    asked += NAME.encode().hex() + "c00c" + "c031" + "002100010000000a002e00000000a3f120" + HOST.encode().hex()
    asked += "056c6f63616c00" + "c031" + "001000010000000a000403763d31" + "c066" + "000100010000000a0004" + ADDRESS
    cases = [case("the example of the page, asked for by its service type", args(), ("known-answer",), packet=asked)]
    for question, types in (
        ("service-type", (12, 255)),
        ("instance", (33, 16, 255)),
        ("host", (1, 28, 255)),
    ):
        for type in types:
            for announced in (True, False):
                what = "announced" if announced else "only answered"
                cases.append(
                    case(f"{what}, {question} asked for by type {type}", args(question, type, announced=announced))
                )
        for comment, addresses in ADDRESSES:
            cases.append(case(f"{question}, {comment}", args(question, 255, addresses=addresses)))
    for id in (0, 1, 255, 256, 65_535):
        cases.append(case(f"a query with the number {id}", args(id=id), ("boundary",)))
    for type in (0, 65_535):
        cases.append(case(f"a question of type {type}", args("host", type), ("boundary",)))
    cases.append(
        case("the host has the digits of the name, and is asked for", args("host", 1, host=NAME), ("boundary",))
    )
    for index in range(6):
        seed = generated(f"mdns-legacy-reply {index}", 24)
        addresses = [seed[:4].hex(), seed[4:20].hex()][: index % 3]
        more = generated_instance(f"mdns-legacy-reply instance {index}")
        question = ("service-type", "instance", "host")[index % 3]
        number = int.from_bytes(seed[20:22], "big")
        cases.append(
            case("without structure", args(question, 255, number, addresses=addresses, **more), ("generated",))
        )
    cases += argument_refusals("mdns-legacy-reply", args())
    for question in ("", "Host", "service type"):
        changed = replaced(args(), question=question)
        comment = f"the question {question!r}"
        cases.append(Case(comment, changed, ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")))
    return cases + address_refusals(args())


def address_refusals(args):
    def refused(comment, addresses, reason):
        changed = replaced(args, addresses=addresses)
        return Case(comment, changed, ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    return [
        refused("nine addresses", [ADDRESS] * 9, "wrong-length"),
        refused("an address of 5 bytes", [ADDRESS, "0a4d000100"], "wrong-length"),
        refused("an empty address", [""], "wrong-length"),
        refused("an address that is a number", [7], "wrong-type"),
        refused("addresses that are a text", ADDRESS, "wrong-type"),
        refused("an address in upper case", ["0A4D0001"], "bad-hex"),
    ]


def query_cases():
    instance = "000000000001000000000000" + "20" + NAME.encode().hex() + LABELS + "00210001"
    requirements = numbers(1, 17)
    cases = [
        Case("the browse query", {}, ("known-answer",), requirements + numbers(18), result={"packet": BROWSE}),
        Case(
            "the instance of the example", {"name": NAME}, ("known-answer",), requirements, result={"packet": instance}
        ),
    ]
    for fill in ("00", "ff", "9a"):
        cases.append(Case(f"a name of bytes {fill}", {"name": fill * 16}, ("boundary",), requirements))
    for index in range(4):
        args = {"name": generated(f"mdns-query {index}", 16).hex()}
        cases.append(Case("a name without structure", args, ("generated",), requirements))
    refused = argument_refusals("mdns-query", {"name": NAME})
    return cases + [case for case in refused if case.comment != "name is absent"]
