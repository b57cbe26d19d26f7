"""Test vectors of RFCs 4231, 5869, 7748 and 8032, as arguments and results of operations."""

from ..reference.curves import x25519


def hmac_4231():
    """Section 4; test case 5 is truncated to 128 bits, as in the RFC."""
    cases = [
        ("0b" * 20, b"Hi There".hex(), 32, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe".hex(),
            b"what do ya want for nothing?".hex(),
            32,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        ("aa" * 20, "dd" * 50, 32, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            bytes(range(1, 26)).hex(),
            "cd" * 50,
            32,
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
        ("0c" * 20, b"Test With Truncation".hex(), 16, "a3b6167473100ee06e0c796c2955552b"),
        (
            "aa" * 131,
            b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
            32,
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            "aa" * 131,
            (
                b"This is a test using a larger than block-size key and a larger than block-size data. "
                b"The key needs to be hashed before being used by the HMAC algorithm."
            ).hex(),
            32,
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ]
    return [
        (f"test case {number}", {"key": key, "message": message, "tagBytes": size}, {"tag": tag})
        for number, (key, message, size, tag) in enumerate(cases, 1)
    ]


def hkdf_5869():
    """Appendix A.1 to A.3, the cases with SHA-256."""
    cases = [
        (
            "0b" * 22,
            bytes(range(0x0D)).hex(),
            bytes(range(0xF0, 0xFA)).hex(),
            42,
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            bytes(range(0x00, 0x50)).hex(),
            bytes(range(0x60, 0xB0)).hex(),
            bytes(range(0xB0, 0x100)).hex(),
            82,
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
            "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
            "cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            "0b" * 22,
            "",
            "",
            42,
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ]
    return [
        (
            f"appendix A.{number}",
            {"inputKeyMaterial": material, "salt": salt, "info": info, "size": size},
            {"outputKeyMaterial": output},
        )
        for number, (material, salt, info, size, output) in enumerate(cases, 1)
    ]


def x25519_7748():
    """Section 5.2 with iterations 1 and 1000; section 6.1 with both public keys and the secret of each side."""
    base = "09" + "00" * 31
    alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    alice_public = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    bob_public = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    cases = [
        (
            "section 5.2, first call",
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "section 5.2, second call",
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
        ("section 5.2, iteration 1", base, base, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"),
        (
            "section 5.2, iteration 1000",
            *_iterated(base, 999),
            "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
        ),
        ("section 6.1, Alice's public key", alice, base, alice_public),
        ("section 6.1, Bob's public key", bob, base, bob_public),
        ("section 6.1, the secret as Alice computes it", alice, bob_public, shared),
        ("section 6.1, the secret as Bob computes it", bob, alice_public, shared),
    ]
    return [
        (comment, {"private": private, "public": public}, {"shared": result})
        for comment, private, public, result in cases
    ]


def ed25519_8032():
    """Section 7.1: tests 1, 2, 3 and SHA(abc)."""
    cases = [
        (
            "TEST 1",
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "TEST 2",
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "72",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "TEST 3",
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "af82",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
        (
            "TEST SHA(abc)",
            "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
            "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
        ),
    ]
    return [
        (comment, {"seed": seed, "message": message}, {"publicKey": public, "signature": signature})
        for comment, seed, message, public, signature in cases
    ]


def _iterated(base, count):
    """Scalar and coordinate after `count` iterations of section 5.2."""
    scalar = coordinate = bytes.fromhex(base)
    for _ in range(count):
        scalar, coordinate = x25519(scalar, coordinate), scalar
    return scalar.hex(), coordinate.hex()
