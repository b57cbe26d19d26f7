"""Tests the package with the library that INKLING_LIBRARY names, or with the one in the wheel."""

import ctypes
import dataclasses
import gc
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import inkling
from inkling import _abi, _library

ROOT = Path(os.environ["INKLING_ROOT"])
PERIOD = 500_000


class Person:
    def __init__(self, name):
        self.identity, self.device, self.tree = inkling.Identity(), inkling.DeviceKey(), inkling.Tree()
        self.roster = inkling.Roster(self.identity)
        self.roster.add(2, self.device.public, range(PERIOD, PERIOD + 100), primary=True)
        self.card = inkling.Card(self.roster, name)


class PackageTests(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        self.assertEqual(inkling.open_handles(), 0)

    def test_structures_and_calls_agree_with_the_record(self):
        record = (ROOT / "Tests/Rigs/c-interface/interface.txt").read_text()
        sizes = dict(re.findall(r"^structure (inkling_\w+): (\d+) bytes", record, re.MULTILINE))
        members = re.findall(r"^  (inkling_\w+)\.(\w+): .* at (\d+)$", record, re.MULTILINE)
        self.assertEqual(set(_abi.STRUCTURES), set(sizes))
        for name, structure in _abi.STRUCTURES.items():
            self.assertEqual(ctypes.sizeof(structure), int(sizes[name]), name)
            self.assertEqual([(member, getattr(structure, member).offset) for member, *_ in structure._fields_],
                             [(member, int(at)) for owner, member, at in members if owner == name], name)
        arguments = {name: names.split() for name, names in re.findall(r"^call (\w+): inkling_status.*\): (.*)$", record, re.MULTILINE)}
        self.assertEqual({name: len(types) for name, types in _abi.CALLS.items()},
                         {name: len(names) for name, names in arguments.items()})

    def test_numbers_agree_with_the_record(self):
        record = (ROOT / "Tests/Rigs/c-interface/interface.txt").read_text()
        numbers = {name: int(value) for name, value in re.findall(r"^number INKLING_(\w+): (\d+)", record, re.MULTILINE)}
        for prefix, kind in {
            "PRESENCE": inkling.Presence, "FAILURE": inkling.Failure, "TRANSPORT": inkling.Transport, "USE": inkling.Use,
            "RECORD": inkling.Record, "UUID": inkling.Identifier, "FAMILY": inkling.transports.Family,
            "STATE": inkling.transports.AppState, "TRAIT": inkling.transports.Traits, "MET": inkling.transports.Met,
            "SUBJECT": inkling.transports.Subject, "PROMISE": inkling.transports.Promise, "BY": inkling.transports.By,
            "ROTATION": inkling.Happening, "SYNC": inkling.SyncEvent, "PURPOSE": inkling.transports.Purpose, "RELATION": inkling.transports.Relation,
        }.items():
            recorded = {
                name.removeprefix(prefix + "_"): value for name, value in numbers.items()
                if name.startswith(prefix + "_") and not name.startswith("SYNC_EFFECT_")}
            self.assertEqual({member.name: member.value for member in kind}, recorded, prefix)
        turns = {name.removeprefix("TURN_"): value for name, value in numbers.items() if name.startswith("TURN_")}
        self.assertEqual({member.name: member.value for member in inkling.Do} | {"NONE": 0}, turns)

    def test_a_device_shows_the_values_that_the_example_in_c_prints(self):
        shown = inkling.Tree(root=bytes([7]) + bytes(31)).shown(0, 2_000_000)
        printed = (ROOT / "Tests/Examples/c/node.txt").read_text().splitlines()[0]
        self.assertEqual(printed, f"epoch 2000000: minor {shown.minor}, name {shown.name}")

    def test_a_tree_erases_past_periods(self):
        tree = inkling.Tree().part(range(PERIOD, PERIOD + 10))
        self.assertEqual(tree.periods, range(PERIOD, PERIOD + 10))
        tree.forget(PERIOD + 5)
        with self.assertRaises(inkling.InklingError) as caught:
            tree.shown(0, PERIOD * 4)
        self.assertEqual(caught.exception.status, 12)

    def test_a_closed_object_raises_an_error(self):
        with inkling.Tree() as tree:
            pass
        with self.assertRaises(inkling.InklingError) as caught:
            tree.shown(0, PERIOD * 4)
        self.assertEqual(caught.exception.status, 7)

    def test_a_card_is_parsed_and_a_wrong_one_refused(self):
        ada = Person("Ada")
        for content in (bytes(ada.card), ada.card.text):
            card = inkling.Card.read(content, PERIOD)
            self.assertEqual((card.name, card.user), ("Ada", ada.identity.user))
        wrong = bytearray(bytes(ada.card))
        wrong[-1] ^= 1
        with self.assertRaises(inkling.Refused) as caught:
            inkling.Card.read(bytes(wrong), PERIOD)
        self.assertEqual((caught.exception.stage, caught.exception.reason), ("signature", "invalid"))

    def test_a_sealed_grant_gives_the_contact_the_same_values(self):
        ada, bo = Person("Ada"), Person("Bo")
        grant = inkling.Grant(ada.roster, 77, 1, ada.tree, range(PERIOD, PERIOD + 50), bo.identity.user)
        sealed = grant.sealed(ada.roster, ada.device, bo.device.public, ada.identity.pairwise(bo.card.presence))
        reader = inkling.Reader(ada.card.identity, bo.identity.user, PERIOD)
        pairwise = bo.identity.pairwise(ada.card.presence)
        read = inkling.Grant.unsealed(sealed, bo.device, ada.device.public, pairwise, reader)
        self.assertEqual((read.audience_id, read.periods, read.devices), (77, range(PERIOD, PERIOD + 50), [2]))
        self.assertEqual(read.tree.shown(2, PERIOD * 4 + 3), ada.tree.shown(2, PERIOD * 4 + 3))
        with self.assertRaises(inkling.Refused):
            inkling.Grant.unsealed(sealed[:-1], bo.device, ada.device.public, pairwise, reader)

    def test_an_engine_asks_for_a_handshake_and_reports_an_arrival(self):
        now = inkling.Now(1000, 1_800_000_300_000)
        engine, tree = inkling.Engine(), inkling.Tree()
        engine.add(5, now)
        engine.hold(5, tree, [0, 3], audience_id=None)
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

    def test_an_engine_calls_a_contact_again_after_its_own_links_were_closed(self):
        now = inkling.Now(1000, 1_800_000_300_000)
        engine, tree, wake = inkling.Engine(), inkling.Tree(), None

        def advance(tick):
            nonlocal now
            now = inkling.Now(tick, now.unix_milliseconds + tick - now.tick)

        def attempts(seconds):
            """Fires the timer for so many seconds; returns the attempts."""
            nonlocal wake
            found, end = [], now.tick + 1000 * seconds
            while True:
                for effect in engine.effects():
                    if isinstance(effect, inkling.Wake):
                        wake = effect.tick
                    elif isinstance(effect, inkling.Confirm):
                        found.append(effect)
                if wake is None or wake > end:
                    advance(end)
                    return found
                advance(wake)
                wake = None
                engine.timer_fired(now)

        engine.add(5, now)
        engine.hold(5, tree, [3], audience_id=None)
        engine.prepare(2_000_000, now)
        engine.name_appeared(tree.shown(3, 2_000_000).name, now)
        [first] = attempts(2)
        engine.attempt_confirmed(first.attempt, now)
        with self.assertRaises(inkling.InklingError):
            engine.attempt_confirmed(first.attempt, now)
        engine.session_ended(5, 3, now)
        self.assertEqual(attempts(20), [])
        engine.radio_crowded(now)
        engine.links_closed(inkling.Technology.RADIO, now)
        self.assertEqual(attempts(20), [], "over the network nothing was closed")
        engine.links_closed(inkling.Technology.NETWORK, now)
        [again] = attempts(4)
        self.assertEqual(again.name, first.name)

    def test_strangers_become_contacts_by_an_invitation_and_meet_again(self):
        ada, bo, responder = Person("Ada"), Person("Bo"), inkling.Responder()
        seconds, milliseconds = PERIOD * 3600, PERIOD * 3_600_000
        invitation = inkling.Invitation(ada.card, [inkling.Transport.TCP], 5, seconds)
        read = inkling.Invitation.read(invitation.text, seconds + 5)
        self.assertEqual((read.transports, read.expiry_minute), ({inkling.Transport.TCP}, invitation.expiry_minute))
        self.assertEqual(read.tree.shown(0, PERIOD * 4), invitation.tree.shown(0, PERIOD * 4))
        inviter = inkling.Inviter(invitation, ada.card)
        joiner = inkling.Joiner(read, inkling.Transport.TCP, bo.device, bo.card)

        link = inkling.Link(inkling.Transport.TCP, is_unauthenticated=True)
        sent = inkling.tcp_bytes(joiner.packet)
        self.assertEqual(link.take(sent[:50]), [])
        [first] = link.take(sent[50:])
        pending_joiner = inviter.receive(first, inkling.Transport.TCP, ada.device, responder, 5, milliseconds)
        self.assertEqual(len(inviter.attempts), 32)
        at_bo = joiner.receive(pending_joiner.packet, milliseconds)
        self.assertFalse(at_bo.facts.is_confirmed)
        at_ada = inviter.complete(pending_joiner, at_bo.packet, milliseconds)
        self.assertFalse(inviter.is_open(milliseconds))
        self.assertEqual((at_ada.card.name, at_bo.card.name), ("Bo", "Ada"))
        self.assertEqual(at_ada.fingerprint, at_bo.fingerprint)
        self.assertIsNone(at_ada.packet)

        with self.assertRaises(inkling.InklingError):
            at_ada.hello(1)
        self.assertEqual(at_bo.receive(at_ada.seal(inkling.Record.ACCEPT)), inkling.Record.ACCEPT)
        self.assertEqual(at_ada.receive(at_bo.seal(inkling.Record.ACCEPT)), inkling.Record.ACCEPT)
        self.assertEqual(at_bo.receive(at_ada.hello(1)), inkling.Record.HELLO)
        self.assertEqual(at_ada.receive(at_bo.hello(1, 1)), inkling.Record.HELLO)
        self.assertTrue(at_bo.facts.is_confirmed)
        self.assertEqual((at_ada.facts.use, at_ada.facts.peer_serial), (inkling.Use.FIRST_CONTACT, 1))
        grant = inkling.Grant(ada.roster, 77, 1, ada.tree, range(PERIOD, PERIOD + 50), bo.identity.user)
        self.assertEqual(at_bo.receive(at_ada.seal_grant(grant, ada.roster)), inkling.Record.GRANT)
        held = at_bo.grant(inkling.Reader(ada.card.identity, bo.identity.user, PERIOD))
        with self.assertRaises(inkling.InklingError):
            at_bo.body
        ada_pairwise, bo_pairwise = at_ada.pairwise, at_bo.pairwise

        epoch = PERIOD * 4 + 2
        told = inkling.Introduction(frozenset({inkling.Transport.GATT}), 1, milliseconds)
        mine = inkling.Context(ada.tree, 2, epoch, inkling.Transport.GATT)
        theirs = inkling.Context(held.tree, 2, epoch, inkling.Transport.GATT)
        calling = inkling.Call(theirs, bo.device, held.device(2).key, told)
        link = inkling.Link(inkling.Transport.GATT, is_unauthenticated=True)
        packets = [packet for value in inkling.gatt_values(calling.packet, 23) for packet in link.take(value, 100)]
        self.assertEqual(packets, [calling.packet])
        asked = []
        request = responder.receive(
            packets[0], [mine], ada.device, 10, lambda key: asked.append(key) or ada_pairwise)
        self.assertEqual((asked, request.facts.peer_key), ([bo.device.public], bo.device.public))
        self.assertEqual((request.facts.introduction, request.facts.device, request.facts.entry.epoch), (told, 2, epoch))
        with self.assertRaises(inkling.Refused) as caught:
            inkling.Responder([request.facts.entry]).receive(packets[0], [mine], ada.device, 10, lambda _: ada_pairwise)
        self.assertEqual(caught.exception.stage, "replay")
        answering = request.reply(told)
        session = calling.receive(answering.packet, bo_pairwise)
        self.assertEqual(answering.receive(session.hello(1, 1, [held])), inkling.Record.HELLO)
        self.assertEqual(answering.grant_reports, [inkling.GrantReport(77, 1, PERIOD + 49)])
        self.assertEqual(session.receive(answering.hello(1, 1)), inkling.Record.HELLO)
        self.assertEqual(answering.receive(session.seal(inkling.Record.MESSAGE, bytes(inkling.Message(7, bytes(range(16)), "héllo")))), inkling.Record.MESSAGE)
        self.assertEqual(inkling.Message.read(answering.body), inkling.Message(7, bytes(range(16)), "héllo"))
        answering.end()
        self.assertTrue(answering.facts.is_ended)

    def test_an_unknown_caller_is_refused_and_an_exception_in_a_callback_is_raised(self):
        ada, responder = Person("Ada"), inkling.Responder()
        context = inkling.Context(ada.tree, 0, PERIOD * 4, inkling.Transport.TCP)
        packet = inkling.Call(context, inkling.DeviceKey(), ada.device.public, inkling.Introduction()).packet
        with self.assertRaises(inkling.Refused) as caught:
            responder.receive(packet, [context], ada.device, 10, lambda _: None)
        self.assertEqual(caught.exception.reason, "unknown")
        packet = inkling.Call(context, inkling.DeviceKey(), ada.device.public, inkling.Introduction()).packet
        with self.assertRaises(ZeroDivisionError):
            responder.receive(packet, [context], ada.device, 10, lambda _: 1 // 0)

    def test_a_device_is_linked(self):
        ada, key, responder = Person("Ada"), inkling.DeviceKey(), inkling.Responder()
        invitation = inkling.Invitation(ada.card, [inkling.Transport.TCP], 5, PERIOD * 3600)
        inviter = inkling.Inviter(invitation, ada.card, inkling.Use.DEVICE_LINK)
        joiner = inkling.Joiner(invitation, inkling.Transport.TCP, key, None)
        pending_joiner = inviter.receive(joiner.packet, inkling.Transport.TCP, ada.device, responder, 5, PERIOD * 3_600_000)
        joined = joiner.receive(pending_joiner.packet, PERIOD * 3_600_000)
        session = inviter.complete(pending_joiner, joined.packet, PERIOD * 3_600_000)
        self.assertEqual((session.facts.use, session.facts.peer_key), (inkling.Use.DEVICE_LINK, key.public))
        self.assertEqual(joined.card.name, "Ada")

    def test_only_the_right_key_opens_what_is_sealed(self):
        key, tree = bytes(range(32)), inkling.Tree().part(range(PERIOD, PERIOD + 5))
        again = inkling.Tree.unseal(tree.seal(key), key)
        self.assertEqual(again.shown(0, PERIOD * 4), tree.shown(0, PERIOD * 4))
        identity = inkling.Identity()
        self.assertEqual(inkling.Identity.unseal(identity.seal(key), key).user, identity.user)
        with self.assertRaises(inkling.Refused):
            inkling.Tree.unseal(tree.seal(key), bytes(32))

    def test_a_source_of_randomness_makes_a_run_repeatable(self):
        def key():
            number = iter(range(1 << 20))
            inkling.use_randomness(lambda count: bytes(next(number) % 251 for _ in range(count)))
            return inkling.DeviceKey().public

        try:
            self.assertEqual(key(), key())
        finally:
            inkling.use_randomness(None)
        self.assertNotEqual(inkling.DeviceKey().public, inkling.DeviceKey().public)

    def test_everything_public_has_a_docstring(self):
        for name in inkling.__all__:
            thing = getattr(inkling, name)
            if not (inspect.isclass(thing) or callable(thing)):
                continue
            self.assertTrue(inspect.getdoc(thing), name)
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_a_device_is_silent_before_it_shows_an_epoch(self):
        now, rotation = inkling.Now(1000, 1_800_000_300_000), inkling.Rotation()
        self.assertNotIn(inkling.Do.PUBLISH, [turn.do for turn in rotation.take(inkling.Happening.STARTED, now)])
        turns = rotation.take(inkling.Happening.TIME_ACCEPTED, now)
        self.assertIsNone(rotation.shown)
        while rotation.shown is None:
            wake = next(turn.tick for turn in reversed(turns) if turn.do is inkling.Do.WAKE)
            now = inkling.Now(wake, now.unix_milliseconds + wake - now.tick)
            turns = rotation.take(inkling.Happening.TIMER_FIRED, now) or turns
        self.assertEqual(rotation.shown, 2_000_000)
        self.assertLess(turns.index(inkling.Turn(inkling.Do.HIGH_WATER, epoch=2_000_000)),
                        turns.index(inkling.Turn(inkling.Do.PUBLISH, epoch=2_000_000)))

    def test_keys_of_a_period_and_epochs(self):
        tree = inkling.Tree()
        self.assertEqual(tree.period_key(PERIOD).shown(1, PERIOD * 4 + 3), tree.shown(1, PERIOD * 4 + 3))
        self.assertEqual(inkling.epochs_observed(1_800_000_010), [1_999_999, 2_000_000])
        self.assertEqual(inkling.epoch_on_air(2_000_003, 60), 2_000_000)
        self.assertEqual(str(inkling.Identifier.PROXIMITY.uuid), "abe0bf31-f9d4-8c5f-8145-37ff0309dd60")

    def test_a_plan_ranks_transports_and_explains_refusals(self):
        transports = inkling.transports
        met = transports.Met.BLUETOOTH | transports.Met.CENTRAL | transports.Met.PERIPHERAL | transports.Met.LOCAL_NETWORK
        app = transports.App(transports.Family.IOS, version=(18, 2, 0), met=met | transports.Met.ALWAYS)
        promised = transports.profile(app, transports.Subject.ADVERTISE)
        self.assertEqual(promised.promise, transports.Promise.YES)
        self.assertTrue(promised.facts)
        situation = transports.Situation(
            app, transports.Purpose.MESSAGE, transports.Relation.CONFIRMED, peer=app, payload=1000, is_heard=True,
            is_on_same_network=True)
        plan = transports.Plan(situation)
        self.assertTrue(plan.steps and plan.steps[0].facts and plan.unused)
        self.assertIsNone(plan.waits_for)
        by_network = transports.Plan(dataclasses.replace(situation, own_transports=frozenset({transports.By.NETWORK})))
        self.assertEqual([(step.transport, step.next) for step in by_network.steps], [(transports.By.NETWORK, None)])
        gatt = next(unused for unused in by_network.unused if unused.transport == transports.By.GATT)
        self.assertEqual((gatt.number, gatt.reason), (17, "no-back-end"))
        contact = dataclasses.replace(
            situation, relation=transports.Relation.CONTACT, purpose=transports.Purpose.RECOGNISE,
            own_transports=frozenset({transports.By.BEACON, transports.By.GATT}))
        self.assertEqual(
            [(step.transport, step.next) for step in transports.Plan(contact).steps],
            [(transports.By.GATT, None), (transports.By.BEACON, transports.By.GATT)])
        stranger = transports.Plan(transports.Situation(app, transports.Purpose.MESSAGE, transports.Relation.STRANGER))
        self.assertEqual(stranger.steps, [])
        self.assertTrue(stranger.waits_for.reason)

    def test_advertising_data_is_parsed_and_malformed_data_refused(self):
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


class LoadingTests(unittest.TestCase):
    """Using the package without a usable library raises an ImportError that says what to do."""

    def error_of(self, path):
        with self.assertRaises(ImportError) as raised:
            _library.opened(str(path))
        self.assertEqual((raised.exception.name, raised.exception.path), ("inkling", str(path)))
        return str(raised.exception)

    def test_says_that_the_c_library_is_missing(self):
        self.assertEqual(
            self.error_of("/nowhere/libinkling.so.1"),
            "/nowhere/libinkling.so.1 is missing: install a wheel that has it, or the C library, or name it in INKLING_LIBRARY")

    def test_says_that_libsodium_is_missing_and_how_to_install_it(self):
        # The same library, patched to need a libsodium that no system has.
        library = (ROOT / os.environ.get("INKLING_C_STAGE", ".build/c/stage") / "lib/libinkling.so.1").read_bytes()
        self.assertIn(b"\0libsodium.so.23\0", library)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "libinkling.so.1")
            path.write_bytes(library.replace(b"\0libsodium.so.23\0", b"\0libsodium.so.99\0"))
            self.assertEqual(
                self.error_of(path),
                "libsodium.so.99 is missing: install libsodium99 (Debian, Ubuntu) or libsodium (Fedora, Arch)")

    def test_says_that_a_file_is_not_a_library(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(b"text")
            file.flush()
            self.assertTrue(self.error_of(file.name).startswith(f"cannot load {file.name}: "))

    def without_library(self, program):
        return subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "INKLING_LIBRARY": "/nowhere/libinkling.so.1"},
            stderr=subprocess.PIPE, text=True, check=False)

    def test_using_the_package_without_its_library_names_the_library(self):
        for program in ("import inkling; inkling.Tree", "from inkling import Tree", "from inkling import *", "import inkling.keys"):
            done = self.without_library(program)
            self.assertEqual(done.returncode, 1, program)
            self.assertIn("ImportError: /nowhere/libinkling.so.1 is missing: ", done.stderr, program)

    def test_archives_and_the_client_of_a_node_do_without_the_library(self):
        done = self.without_library("import inkling; import inkling.archive, inkling.node; from inkling import archive, node")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_name_that_the_package_does_not_have_is_an_attribute_error(self):
        with self.assertRaisesRegex(AttributeError, "module 'inkling' has no attribute 'Treee'"):
            inkling.Treee
        self.assertLessEqual({"Tree", "verify_vectors", "transports"}, set(dir(inkling)))


if __name__ == "__main__":
    unittest.main()
