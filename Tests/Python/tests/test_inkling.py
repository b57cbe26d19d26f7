"""The package against the library that INKLING_LIBRARY names, or the one in the wheel."""

import ctypes
import gc
import os
import re
import unittest
from pathlib import Path

import inkling
from inkling import _abi

ROOT = Path(os.environ["INKLING_ROOT"])
HOUR = 500_000


class Person:
    def __init__(self, name):
        self.identity, self.device, self.tree = inkling.Identity(), inkling.DeviceKey(), inkling.Tree()
        self.roster = inkling.Roster(self.identity)
        self.roster.add(2, self.device.public, range(HOUR, HOUR + 100), primary=True)
        self.card = inkling.Card(self.roster, name)


class PackageTests(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        self.assertEqual(inkling.open_handles(), 0)

    def test_structures_have_the_sizes_that_the_library_holds_itself_to(self):
        source = (ROOT / "Sources/CInkling/CInkling.c").read_text()
        sizes = {name: int(size) for name, size in re.findall(r"sizeof\(inkling_(\w+)\) == (\d+)", source)}
        for name, structure in {
            "refusal": _abi.Refusal, "values": _abi.Values, "identity_keys": _abi.IdentityKeys,
            "card_facts": _abi.CardFacts, "grant_facts": _abi.GrantFacts, "advertisement": _abi.Advertisement,
            "clock": _abi.Clock, "observation": _abi.Observation, "engine_options": _abi.EngineOptions,
            "contact_options": _abi.ContactOptions, "effect": _abi.EffectStructure,
        }.items():
            self.assertEqual(ctypes.sizeof(structure), sizes[name], name)

    def test_calls_have_as_many_arguments_as_the_header_says(self):
        header = re.sub(r"/\*.*?\*/|//[^\n]*", "", (ROOT / "Sources/CInkling/include/inkling.h").read_text(), flags=re.S)
        declared = {
            name: len([word for word in arguments.split(",") if word.strip() not in ("", "void")])
            for name, arguments in re.findall(r"inkling_status\s+(inkling_\w+)\(([^)]*)\)", header)
        }
        for name, types in _abi.CALLS.items():
            self.assertEqual(len(types), declared[name], name)

    def test_a_device_shows_what_the_example_in_c_prints(self):
        shown = inkling.Tree(root=bytes([7]) + bytes(31)).shown(0, 2_000_000)
        printed = (ROOT / "Tests/Examples/c/node.txt").read_text().splitlines()[0]
        self.assertEqual(printed, f"epoch 2000000: minor {shown.minor}, name {shown.name}")

    def test_a_tree_forgets(self):
        tree = inkling.Tree().part(range(HOUR, HOUR + 10))
        self.assertEqual(tree.hours, range(HOUR, HOUR + 10))
        tree.forget(HOUR + 5)
        with self.assertRaises(inkling.InklingError) as caught:
            tree.shown(0, HOUR * 4)
        self.assertEqual(caught.exception.status, 12)

    def test_a_closed_object_is_answered_by_an_error(self):
        with inkling.Tree() as tree:
            pass
        with self.assertRaises(inkling.InklingError) as caught:
            tree.shown(0, HOUR * 4)
        self.assertEqual(caught.exception.status, 7)

    def test_a_card_is_read_and_a_wrong_one_refused(self):
        ada = Person("Ada")
        for content in (bytes(ada.card), ada.card.text):
            card = inkling.Card.read(content, HOUR)
            self.assertEqual((card.name, card.user), ("Ada", ada.identity.user))
        wrong = bytearray(bytes(ada.card))
        wrong[-1] ^= 1
        with self.assertRaises(inkling.Refused) as caught:
            inkling.Card.read(bytes(wrong), HOUR)
        self.assertEqual((caught.exception.stage, caught.exception.reason), ("signature", "invalid"))

    def test_a_sealed_grant_gives_the_contact_the_same_values(self):
        ada, bo = Person("Ada"), Person("Bo")
        grant = inkling.Grant(ada.roster, 77, 1, ada.tree, range(HOUR, HOUR + 50), bo.identity.user)
        sealed = grant.sealed(ada.roster, ada.device, bo.device.public, ada.identity.pairwise(bo.card.presence))
        reader = inkling.Reader(ada.card.identity, bo.identity.user, HOUR)
        pairwise = bo.identity.pairwise(ada.card.presence)
        read = inkling.Grant.unsealed(sealed, bo.device, ada.device.public, pairwise, reader)
        self.assertEqual((read.audience, read.hours, read.devices), (77, range(HOUR, HOUR + 50), [2]))
        self.assertEqual(read.tree.shown(2, HOUR * 4 + 3), ada.tree.shown(2, HOUR * 4 + 3))
        with self.assertRaises(inkling.Refused):
            inkling.Grant.unsealed(sealed[:-1], bo.device, ada.device.public, pairwise, reader)

    def test_an_engine_asks_for_a_handshake_and_tells_of_an_arrival(self):
        now = inkling.Now(1000, 1_800_000_300_000)
        engine, tree = inkling.Engine(), inkling.Tree()
        engine.add(5, now)
        engine.hold(5, tree, [0, 3], audience=None)
        engine.prepare(2_000_000, now)
        engine.name_appeared("printer", now)
        engine.name_appeared(tree.shown(3, 2_000_000).name, now)
        effects = list(engine.effects())
        self.assertIn(inkling.StateChanged(5, inkling.Presence.UNSEEN, inkling.Presence.PROBABLE), effects)
        wake = [effect for effect in effects if isinstance(effect, inkling.Wake)][-1]
        later = inkling.Now(wake.tick, now.unix_milliseconds + wake.tick - now.tick)
        engine.timer_fired(later)
        confirm = next(effect for effect in engine.effects() if isinstance(effect, inkling.Confirm))
        self.assertEqual(confirm.expected, inkling.Expected(5, 3, 2_000_000, None))
        self.assertEqual(confirm.name, tree.shown(3, 2_000_000).name)
        engine.attempt_failed(confirm.attempt, inkling.Failure.SILENT, later)
        with self.assertRaises(inkling.InklingError):
            engine.attempt_failed(confirm.attempt, inkling.Failure.SILENT, later)
        engine.confirmed(5, 3, later, called=False)
        self.assertIn(inkling.Arrived(5), list(engine.effects()))
        self.assertEqual(engine.state(5, later)[0], inkling.Presence.CONFIRMED)

    def test_advertising_data_is_read_and_malformed_data_refused(self):
        self.assertEqual(inkling.read_advertisement(inkling.beacon(4660)), inkling.Advertisement(4660, False, False))
        with self.assertRaises(inkling.Refused) as caught:
            inkling.read_advertisement(inkling.beacon(4660)[:-1])
        self.assertEqual(caught.exception.reason, "truncated")

    def test_vectors_are_verified_and_a_wrong_one_is_named(self):
        file = (ROOT / "Vectors/uuid.json").read_bytes()
        agreed, differences = inkling.verify_vectors(file)
        self.assertGreater(agreed, 0)
        self.assertEqual(differences, [])
        wrong = re.sub(rb'("uuid": *")(.)', lambda found: found[1] + (b"0" if found[2] != b"0" else b"1"), file, count=1)
        self.assertEqual(len(inkling.verify_vectors(wrong)[1]), 1)


if __name__ == "__main__":
    unittest.main()
