"""Converts public test vectors to the project's format, into Vectors/external. Run it from Vectors/:

    python3 -m generator.tools.convert_external FOLDER    convert the public files in FOLDER
    python3 -m generator.tools.convert_external           check the converted files

FOLDER holds noise-cacophony.json, noise-snow.json, bitchat-noise.json and six wycheproof-*.json.
Nothing is written unless the reference returns every published result.
"""

import argparse
import copy
import json
import sys
from pathlib import Path

from .. import reference
from ..reference import noise
from . import operations, rfc, writer
from .family import Family
from .schema import schema_of as schema_of_family, validate

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = "Specs/noise.md"

SNOW = {"project": "mcginty/snow", "commit": "8ac60f51cfe3", "licence": "Apache-2.0"}
BITCHAT = {"project": "permissionlesstech/bitchat", "commit": "9b84b361225f", "licence": "Unlicense"}
WYCHEPROOF = {"project": "C2SP/wycheproof", "commit": "dac1dd4729fd", "licence": "Apache-2.0"}

NOISE_FILES = [
    # The output file, the input file, the prefix of the ids, the source, and its number of vectors.
    (
        "noise-cacophony",
        "noise-cacophony.json",
        "cacophony",
        {**SNOW, "path": "tests/vectors/cacophony.txt (suite 25519_ChaChaPoly_SHA256)"},
        59,
    ),
    (
        "noise-snow",
        "noise-snow.json",
        "snow",
        {**SNOW, "path": "tests/vectors/snow.txt (suite 25519_ChaChaPoly_SHA256)"},
        51,
    ),
    (
        "noise-bitchat",
        "bitchat-noise.json",
        "bitchat",
        {**BITCHAT, "path": "bitchatTests/Noise/NoiseTestVectors.json"},
        2,
    ),
]

WYCHEPROOF_COUNTS = {
    "hmac_sha256": 174,
    "hkdf_sha256": 86,
    "x25519": 518,
    "ed25519": 151,
    "chacha20_poly1305": 325,
    "xchacha20_poly1305": 315,
}

# For each flag of a source its meaning, and the rule of ours that decides the result.
FLAGS = {
    "Pseudorandom": ("Inputs without structure.", "Every size of input must work."),
    "ModifiedTag": ("A bit of the tag was changed.", "A tag that differs anywhere is refused."),
    "Normal": ("Inputs without structure.", "Every size of input must work."),
    "EmptySalt": ("The salt is empty.", "An empty salt is the same as 32 zero bytes."),
    "MaximalOutputSize": ("The longest output, 8,160 bytes.", "255 blocks of 32 bytes are allowed."),
    "SizeTooLarge": ("An output of more than 8,160 bytes.", "Refused as an argument out of range."),
    "OutputCollision": ("Two inputs that HMAC's padding or hashing of keys makes equal.", "Both give the same output."),
    "Ktv": ("A known answer from the primitive's specification.", "It ties the file to the specification."),
    "EdgeCaseMultiplication": ("An intermediate value is -1, 0 or 1.", "The result must be right nevertheless."),
    "EdgeCasePrivateKey": ("A private key of a special form.", "Private keys are clamped; every one is accepted."),
    "EdgeCaseShared": ("A shared secret of a special form.", "Only the all-zero secret is refused."),
    "SpecialPublicKey": ("A public key of a special form.", "It is accepted unless its order is low."),
    "SmallPublicKey": ("A public key that no private key has.", "It is refused when its order is low."),
    "LowOrderPublic": ("A public key of low order.", "The shared secret is all zero, so the agreement is refused."),
    "ZeroSharedSecret": (
        "The shared secret is all zero.",
        "The agreement is refused; the source calls this acceptable.",
    ),
    "NonCanonicalPublic": (
        "A public key that is not reduced, or has its top bit set.",
        "Accepted: the top bit is masked and the rest reduced (RFC 7748); the source calls this acceptable.",
    ),
    "Twist": ("The point lies on the twist.", "Accepted: X25519 is defined there; the source calls this acceptable."),
    "Valid": ("A valid signature.", "It must be accepted."),
    "TinkOverflow": ("A signature that an overflow in another library got wrong.", "It must be accepted."),
    "CompressedSignature": ("A signature with bytes cut out or overlapping.", "Any length but 64 is invalid."),
    "TruncatedSignature": ("A signature with bytes cut off.", "Any length but 64 is invalid."),
    "SignatureWithGarbage": ("A signature with bytes added.", "Any length but 64 is invalid."),
    "InvalidEncoding": ("R or S in an encoding that is not the canonical one.", "Both must be canonical."),
    "InvalidKtv": ("A known invalid signature.", "It must be refused."),
    "InvalidSignature": ("R or S of a special value, such as 0 or the order of the group.", "It must be refused."),
    "SignatureMalleability": ("S with a multiple of the order added.", "S must be below the order."),
    "EdgeCaseCiphertext": ("A ciphertext of a special form.", "It must be opened."),
    "EdgeCasePoly1305": ("An edge of Poly1305's integer arithmetic.", "It must be opened."),
    "EdgeCasePolyKey": ("A Poly1305 key of a special form.", "It must be opened."),
    "EdgeCaseTag": ("A tag of a special form.", "It must be opened."),
    "InvalidNonceSize": ("A nonce of another size.", "Refused as an argument of the wrong length."),
}
OUR_FLAGS = {"published": ("Published with the source named in the header.", "Others have computed the same.")}


class Conversion:
    """One converted file."""

    def __init__(self, name, operation, description, source, vectors):
        self.name = name
        self.operation = operation
        self.description = description
        self.source = source
        self.vectors = vectors
        self.cases = []

    def add(self, identifier, comment, flags, requirements, args, expected):
        """Adds a case; `expected` is an error (stage, reason) or members of the result."""
        reply = operations.answer(self.operation, args)
        if isinstance(expected, tuple):
            agrees = reply.get("error") == {"stage": expected[0], "reason": expected[1]}
        else:
            agrees = "result" in reply and all(reply["result"][name] == value for name, value in expected.items())
        if not agrees:
            raise AssertionError(f"{self.name}: {identifier}: published {expected}, computed {reply}")
        reply.pop("intermediates", None)
        self.cases.append(
            {
                "id": identifier,
                "comment": comment,
                "flags": sorted(flags),
                "requirements": list(requirements),
                "args": args,
                **reply,
            }
        )

    def content(self):
        used = {flag for case in self.cases for flag in case["flags"]}
        known = {**FLAGS, **OUR_FLAGS}
        return {
            "schema": f"schema/external-{self.name}.schema.json",
            "specification": SPECIFICATION,
            "operation": self.operation,
            "description": self.description,
            "source": self.source,
            "sourceVectorCount": self.vectors,
            "caseCount": len(self.cases),
            "notes": {flag: dict(zip(("meaning", "reason"), known[flag])) for flag in sorted(used)},
            "cases": self.cases,
        }


def schema_of(content):
    """The schema of a converted file: that of its operation plus the members about the source."""
    name = content["schema"].removeprefix("schema/").removesuffix(".schema.json")
    family = Family(name, content["specification"], content["description"], [], operation=content["operation"])
    schema = copy.deepcopy(schema_of_family(family))
    schema["title"] = f"{name.removeprefix('external-')}, converted"
    schema["required"][-1:-1] = ["source", "sourceVectorCount"]
    text = {"type": "string", "minLength": 1}
    schema["properties"]["source"] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["project", "commit", "path", "licence"],
        "properties": {"project": text, "commit": text, "path": text, "licence": text},
    }
    schema["properties"]["sourceVectorCount"] = {"type": "integer", "minimum": 1}
    schema["properties"].pop("insensitive", None)
    for shape in schema["properties"]["cases"]["items"]["oneOf"]:
        shape["properties"]["id"] = {"type": "string", "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$"}
        shape["properties"]["flags"]["items"] = {"enum": sorted({**FLAGS, **OUR_FLAGS})}
        # Only our own cases have intermediates.
        if "intermediates" in shape["properties"]:
            del shape["properties"]["intermediates"]
            shape["required"].remove("intermediates")
    return schema


def noise_conversion(folder, name, file, prefix, source, count):
    data = json.loads((folder / file).read_text())
    vectors = data["vectors"] if isinstance(data, dict) else data
    if len(vectors) != count:
        raise AssertionError(f"{file}: {len(vectors)} vectors, not {count}")
    conversion = Conversion(
        name,
        "noise",
        f"Noise handshakes of {source['project']}, each from both sides.",
        source,
        count,
    )
    for number, vector in enumerate(vectors, 1):
        pattern = noise.Pattern(vector["protocol_name"])
        for role, short in (("initiator", "init"), ("responder", "resp")):
            peer = "responder" if role == "initiator" else "initiator"
            own = [message for index, message in enumerate(vector["messages"]) if pattern.sender(index) == role]
            others = [message for index, message in enumerate(vector["messages"]) if pattern.sender(index) == peer]
            args = {
                "protocolName": vector["protocol_name"],
                "role": role,
                "prologue": vector[f"{short}_prologue"],
                "psks": vector.get(f"{short}_psks", []),
            }
            # Some sources name keys that the pattern does not use.
            if pattern.needs_static(role):
                args["localStatic"] = vector[f"{short}_static"]
            if "s" in pattern.pre_messages[peer]:
                args["remoteStatic"] = vector[f"{short}_remote_static"]
            if "e" in pattern.tokens_of(role):
                args["ephemeral"] = vector[f"{short}_ephemeral"]
            args["payloads"] = [message["payload"] for message in own]
            args["received"] = [message["ciphertext"] for message in others]
            expected = {
                "sent": [message["ciphertext"] for message in own],
                "payloads": [message["payload"] for message in others],
            }
            if "handshake_hash" in vector:
                expected["handshakeHash"] = vector["handshake_hash"]
            identifier = f"{prefix}-{number:03}-{role}"
            conversion.add(identifier, vector["protocol_name"], ["published"], ["INK-NOI-004"], args, expected)
    return conversion


def wycheproof_tests(folder, name):
    data = json.loads((folder / f"wycheproof-{name}.json").read_text())
    tests = [(group, test) for group in data["testGroups"] for test in group["tests"]]
    if not len(tests) == data["numberOfTests"] == WYCHEPROOF_COUNTS[name]:
        raise AssertionError(f"wycheproof {name}: {len(tests)} tests")
    return tests


def wycheproof_conversion(folder, name):
    """Converts each case of the source to exactly one case."""
    convert = {
        "hmac_sha256": hmac_case,
        "hkdf_sha256": hkdf_case,
        "x25519": x25519_case,
        "ed25519": ed25519_case,
        "chacha20_poly1305": aead_case,
        "xchacha20_poly1305": aead_case,
    }[name]
    dashed = name.replace("_", "-")
    operation = {"hmac_sha256": "hmac-sha256-verify", "ed25519": "ed25519-verify"}.get(name, dashed)
    if convert is aead_case:
        operation += "-open"
    conversion = Conversion(
        f"wycheproof-{dashed}",
        operation,
        f"Project Wycheproof, {name}.",
        {**WYCHEPROOF, "path": f"testvectors_v1/{name}_test.json"},
        WYCHEPROOF_COUNTS[name],
    )
    for group, test in wycheproof_tests(folder, name):
        args, expected, requirements = convert(group, test)
        comment = test["comment"] or "without a comment in the source"
        conversion.add(f"wycheproof-{dashed}-{test['tcId']}", comment, test["flags"], requirements, args, expected)
    return conversion


def hmac_case(group, test):
    args = {"key": test["key"], "message": test["msg"], "tag": test["tag"]}
    return args, {"valid": test["result"] == "valid"}, ["INK-NOI-024"]


def hkdf_case(group, test):
    args = {"inputKeyMaterial": test["ikm"], "salt": test["salt"], "info": test["info"], "size": test["size"]}
    valid = test["result"] == "valid"
    return args, {"outputKeyMaterial": test["okm"]} if valid else ("arguments", "out-of-range"), ["INK-NOI-024"]


def x25519_case(group, test):
    args = {"private": test["private"], "public": test["public"]}
    if "ZeroSharedSecret" in test["flags"]:
        return args, ("agreement", "low-order-point"), ["INK-NOI-020"]
    return args, {"shared": test["shared"]}, ["INK-NOI-024"]


def ed25519_case(group, test):
    args = {"publicKey": group["publicKey"]["pk"], "message": test["msg"], "signature": test["sig"]}
    return args, {"valid": test["result"] == "valid"}, ["INK-NOI-024"]


def aead_case(group, test):
    args = {
        "key": test["key"],
        "nonce": test["iv"],
        "associatedData": test["aad"],
        "ciphertext": test["ct"] + test["tag"],
    }
    if test["result"] == "valid":
        return args, {"plaintext": test["msg"]}, ["INK-NOI-024"]
    if "InvalidNonceSize" in test["flags"]:
        return args, ("arguments", "wrong-length"), ["INK-CNF-004"]
    return args, ("open", "decryption-failed"), ["INK-NOI-024"]


def seal_conversion(folder, name):
    """Converts the valid cases of decryption to cases of encryption."""
    dashed = name.replace("_", "-")
    tests = [test for _, test in wycheproof_tests(folder, name) if test["result"] == "valid"]
    conversion = Conversion(
        f"wycheproof-{dashed}-seal",
        f"{dashed}-seal",
        f"The valid cases of wycheproof-{dashed}.json, sealed instead of opened.",
        {**WYCHEPROOF, "path": f"testvectors_v1/{name}_test.json"},
        len(tests),
    )
    for test in tests:
        args = {"key": test["key"], "nonce": test["iv"], "associatedData": test["aad"], "plaintext": test["msg"]}
        conversion.add(
            f"wycheproof-{dashed}-seal-{test['tcId']}",
            test["comment"] or "without a comment in the source",
            test["flags"],
            ["INK-NOI-024"],
            args,
            {"ciphertext": test["ct"] + test["tag"]},
        )
    return conversion


def rfc_conversions():
    conversions = []
    for number, path, operation, what, cases in [
        (4231, "section 4", "hmac-sha256", "HMAC-SHA256", rfc.hmac_4231()),
        (5869, "appendix A", "hkdf-sha256", "HKDF-SHA256", rfc.hkdf_5869()),
        (7748, "sections 5.2 and 6.1", "x25519", "X25519", rfc.x25519_7748()),
        (8032, "section 7.1", "ed25519-sign", "Ed25519", rfc.ed25519_8032()),
    ]:
        conversion = Conversion(
            f"rfc{number}-{operation}",
            operation,
            f"Known answers for {what} of RFC {number}.",
            {"project": "IETF", "commit": f"RFC {number}", "path": path, "licence": "values quoted from the RFC"},
            len(cases),
        )
        for index, (comment, args, expected) in enumerate(cases, 1):
            conversion.add(f"rfc{number}-{index}", comment, ["published"], ["INK-NOI-024"], args, expected)
        conversions.append(conversion)
    return conversions


def convert(folder):
    conversions = [noise_conversion(folder, *entry) for entry in NOISE_FILES]
    conversions += [wycheproof_conversion(folder, name) for name in WYCHEPROOF_COUNTS]
    conversions += [seal_conversion(folder, name) for name in ("chacha20_poly1305", "xchacha20_poly1305")]
    conversions += rfc_conversions()
    files = {}
    for conversion in conversions:
        content = conversion.content()
        schema = schema_of(content)
        validate(conversion.name, content, schema)
        files[f"external/{conversion.name}.json"] = writer.text_of(content)
        files[content["schema"]] = writer.text_of(schema)
        print(f"{conversion.name}: {conversion.vectors} vectors, {len(conversion.cases)} cases")
    for name, data in files.items():
        (ROOT / name).parent.mkdir(exist_ok=True)
        (ROOT / name).write_bytes(data)
    check_totals()
    return 0


def check():
    """Checks every converted file against its schema, and every case against the reference."""
    cases = 0
    for path in sorted((ROOT / "external").glob("*.json")):
        content = json.loads(path.read_bytes())
        schema = json.loads((ROOT / content["schema"]).read_bytes())
        if schema != schema_of(content):
            raise AssertionError(f"{path.name}: the schema differs")
        validate(path.name, content, schema)
        if path.read_bytes() != writer.text_of(content):
            raise AssertionError(f"{path.name}: differs from what this script writes")
        for case in content["cases"]:
            reply = operations.answer(content["operation"], case["args"])
            reply.pop("intermediates", None)
            if any(case.get(name) != value for name, value in reply.items()) or ("error" in case) != ("error" in reply):
                raise AssertionError(f"{path.name}: {case['id']}")
        cases += len(content["cases"])
        print(f"{path.name}: {content['sourceVectorCount']} vectors, {content['caseCount']} cases")
    check_totals()
    print(f"{cases} cases agree")
    return 0


def check_totals():
    def total(names):
        counts = [json.loads((ROOT / f"external/{name}.json").read_bytes())["sourceVectorCount"] for name in names]
        return sum(counts)

    noise_total = total(["noise-cacophony", "noise-snow"])
    wycheproof_total = total(f"wycheproof-{name.replace('_', '-')}" for name in WYCHEPROOF_COUNTS)
    if (noise_total, wycheproof_total) != (110, 1569):
        raise AssertionError(f"{noise_total} Noise vectors, {wycheproof_total} cases of Wycheproof")


def main():
    parser = argparse.ArgumentParser(prog="generator.tools.convert_external", description="Converts public test vectors.")
    parser.add_argument("folder", nargs="?", type=Path, help="where the public files lie; without it, check")
    folder = parser.parse_args().folder
    reference.load()
    return check() if folder is None else convert(folder)


if __name__ == "__main__":
    sys.exit(main())
