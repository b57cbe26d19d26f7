"""Rows about names: packets that end nodes, invented, imitated, repeated and withdrawn names, and a listener."""

import statistics
import time

from field import REST, Attacker, Field, Stage, star
from rows import LONGEST_WAIT, Row, row, waited
from timing import compare, of_listener


@row
class Shapes(Row):
    """The first epoch is quiet, because a node's first handshake adds about 2 MiB even without an attack. The row compares the
    memory shortly before the first packet with that after the last one.
    """

    name, title = "shapes", "shapes of A1, every record type, loops, 9,000 bytes; 100,000 random packets"
    old, short = ("aliases", "hoard"), 3
    broken = ({"ended": ["ada1"]}, {"warmGrowthKiB": {"ada1": 2_600}}, {"warmGrowthKiB": {}}, {"unmeasured": ["bob1"]},
              {"packets": 1_000})
    packets_a_second, random, growth, cost = 3_000, 100_000, 2 * 1024, 9
    # With so few packets, memory that is kept for each of them cannot be told from that of a handshake.
    in_guest = {"title": "shapes of A1, every record type, loops, 9,000 bytes; 8,000 random packets", "packets_a_second": 400,
                "random": 8_000, "growth": None, "old": ("aliases",),
                "broken": ({"ended": ["ada1"]}, {"warmGrowthKiB": {}}, {"unmeasured": ["bob1"]}, {"packets": 1_000})}

    def attack(self, field):
        # The first epoch has ended then, apart from its gap.
        time.sleep(max(0, field.start_of(field.first + 1) - REST - time.time()))
        field.attack("mallory", "shapes", "--rate", self.packets_a_second, "--random", self.random).is_ready()

    def rest(self, field):
        # On a busy machine the packets take longer than the epochs.
        field.attackers[0].wait(lambda fact: "done" in fact, 300, "the last packet")
        time.sleep(2)

    def measure(self, field):
        if not field.attackers:
            return {"warmGrowthKiB": {}, "unmeasured": [], "packets": 0}
        attacker = field.attackers[0]
        done = next((fact["read"] for fact in attacker.facts if "done" in fact), time.time())
        growth = {}
        for name in field.nodes:
            early, late = field.resident(name, attacker.started - 3, attacker.started), field.resident(name, done - 1.5)[:6]
            if early and late:
                growth[name] = round(statistics.median(late) - statistics.median(early))
        return {"warmGrowthKiB": growth, "unmeasured": sorted(set(field.nodes) - set(growth)), "packets": attacker.figures["packets"]}

    def faults(self, figures):
        found = [f"{name} grew by {kib} KiB after warming up, at most {self.growth}"
                 for name, kib in figures["warmGrowthKiB"].items() if self.growth is not None and kib > self.growth]
        if not figures["warmGrowthKiB"] or figures["unmeasured"]:
            found.append(f"the memory was not measured: {', '.join(figures['unmeasured'])}")
        if figures["packets"] < self.random:
            found.append(f"only {figures['packets']:,} packets were sent")
        return found

    def shown(self, figures):
        return f"{figures['packets']:,} packets; grew by {max(figures['warmGrowthKiB'].values(), default=0)} KiB"


class Invented(Row):
    """`words`: the attack; `wanted`: names a second; `most`: the largest processor share of a node."""

    words, wanted, most = (), 0, None
    old = ("names",)

    def contacts(self):
        return star(self.groups)

    def attack(self, field):
        field.attack("mallory", "names", *self.words).is_ready(60)

    def faults(self, figures):
        found = []
        if self.most and figures["processorShare"] > self.most:
            found.append(f"a node used {figures['processorShare']:.1%} of a core, at most {self.most:.0%}")
        if figures["perSecond"] < self.wanted / 2:
            found.append(f"only {figures['perSecond']:,} names a second were sent")
        return found

    def measure(self, field):
        return {"perSecond": field.attackers[0].figures["perSecond"] if field.attackers else 0}

    def shown(self, figures):
        return f"{figures['perSecond']:,} names/s sent; {figures['processorShare']:.1%} of a core"


@row
class Names300(Invented):
    name, title, words, wanted = "names-300", "invented names, 300 a second", ("--rate", 300), 300
    cost = 12
    broken = ({"met": 11}, {"perSecond": 140})


@row
class Names3000(Invented):
    name, title, words = "names-3000", "invented names, 3,000 a second", ("--rate", 3_000)
    wanted, most, in_guest = 3_000, 0.10, None
    broken = ({"met": 11}, {"processorShare": 0.12}, {"perSecond": 1_400})


@row
class Names30000(Invented):
    name, title = "names-30000", "invented names, 30,000 a second, 8 in a packet"
    words, wanted, heavy, in_guest = ("--rate", 30_000, "--together", 8), 30_000, True, None
    broken = ({"met": 11}, {"perSecond": 14_000})


@row
class Bursts(Invented):
    name, title = "names-bursts", "100,000 invented names at once, then 1,000 right after every query"
    words, heavy = ("--fill", 100_000, "--burst", 1_000), True
    # The 512 places of the old behaviour are taken by the first two queries of an epoch.
    in_guest = {"title": "2,000 invented names at once, then 300 right after every query", "words": ("--fill", 2_000, "--burst", 300)}
    old = ("cache",)
    broken = ({"met": 11},)

    def shown(self, figures):
        sent = next(iter(figures["attackers"].values()), {})
        return f"{sent.get('names', 0):,} names, {sent.get('bursts', 0)} bursts"


@row
class Imitation(Row):
    name, title = "imitation", "somebody answers for the name of every node, in eleven forms"
    old = ("conflict",)
    broken = ({"met": 11}, {"imitatedOnce": 10}, {"imitatedTwice": 1}, {"attackers": {"mallory": {"forms": {}}}})
    form = ()

    def attack(self, field):
        field.attack("mallory", "imitation", *self.form).is_ready()

    def measure(self, field):
        """Counts the nodes and epochs in which a node said once that it is imitated, and more than once."""
        once = twice = 0
        for epoch in field.judged:
            begun, end = field.start_of(epoch) * 1000, field.start_of(epoch + 1) * 1000
            for node in field.nodes.values():
                said = sum(begun <= event["unixMilliseconds"] < end for event in node.events("imitated"))
                once += said == 1
                twice += said > 1
        return {"imitatedOnce": once, "imitatedTwice": twice}

    def faults(self, figures):
        forms = {form for attacker in figures["attackers"].values() for form in attacker.get("forms", ())}
        found = [] if forms else ["no name was imitated"]
        if figures["imitatedOnce"] != figures["total"] or figures["imitatedTwice"]:
            found.append(f"reported once in {figures['imitatedOnce']} of {figures['total']} node-epochs, "
                         f"more often in {figures['imitatedTwice']}")
        return found

    def shown(self, figures):
        attacker = next(iter(figures["attackers"].values()), {})
        return (f"reported once in {figures['imitatedOnce']}/{figures['total']}; {len(attacker.get('forms', ()))} forms"
                + ("" if attacker.get("zeroconf") else ", without zeroconf (NOT RUN: not installed)"))


@row
class Replay(Row):
    """The place elsewhere is a network of its own, where 20 contacts of Ada run; Mallory repeats their names near Ada.

    An epoch lasts 180 s here, because a node makes at most 6 calls in a minute anyway.
    """

    name, title = "replay", "10,000 names of this epoch, 20 of them predicted, from another place"
    old = ("replay",)
    broken = ({"met": 1}, {"connections": [3, 9]}, {"questions": 1}, {"predicted": [20, 11]})
    elsewhere, short, rate, near, cost = 20, 1, 5, 6, 30
    names, names_a_second = 9_980, 1_500
    in_guest = {"title": "1,000 names of this epoch, 12 of them predicted, from another place", "elsewhere": 12, "names": 988,
                "names_a_second": 50}

    def contacts(self):
        return star(self.near) + [("ada", f"eve{number}") for number in range(1, self.elsewhere + 1)]

    def counted(self, field):
        return [pair for pair in field.contacts if not pair[1].startswith("eve")]

    def field(self, old=None):
        return Places(self.contacts(), old=old, rate=self.rate)

    def attack(self, field):
        mallory = field.attack("mallory", "replay", "--clock", f"{field.clock[0]}@{field.clock[1]}", "--names", self.names, "--rate",
                               self.names_a_second).is_ready()
        spy = Attacker(field.place, "spy", "listener", ["--names"])
        spy.told = lambda fact: "name" in fact and mallory.tell(f"{fact['name']} {fact['host']}")
        field.attackers.append(spy.is_ready())

    def measure(self, field):
        told = field.attackers[0].figures if field.attackers else {}
        by_epoch = {key: [told.get(key, {}).get(str(epoch), 0) for epoch in field.judged]
                    for key in ("connections", "questions", "predicted")}
        return {**by_epoch, "questions": sum(by_epoch["questions"])}

    def faults(self, figures):
        found = []
        if max(figures["connections"]) > 8:
            found.append(f"{max(figures['connections'])} connections in an epoch, at most 8")
        if figures["questions"]:
            found.append(f"{figures['questions']} questions about names that were announced")
        if min(figures["predicted"]) < self.elsewhere:
            found.append(f"only {min(figures['predicted'])} predicted names were repeated")
        return found

    def shown(self, figures):
        return f"at most {max(figures['connections'])} connections an epoch, {figures['questions']} questions about these names"


class Places(Field):
    """A field with a second network, "place", on one of whose hosts those run who are elsewhere."""

    def __enter__(self):
        everybody = self.people
        self.people = [name for name in everybody if not name.startswith("eve")]
        super().__enter__()
        self.people = everybody
        self.place = Stage(("crowd", "spy"))
        self.place.__enter__()
        return self

    def __exit__(self, *details):
        self.place.close()
        super().__exit__(*details)

    def start(self, name, *words, on=None):
        if not name.startswith("eve"):
            return super().start(name, *words, on=on)
        return self.begin(name, self.place, "crowd", ["--demo-clock"])


@row
class Stale(Row):
    name, title = "stale", "goodbyes for others, records of earlier epochs, answers from off the link"
    old = ("goodbyes",)
    broken = ({"met": 11}, {"left": 1}, {"waited": [0.6, 7.5, 0.7]},
              {"attackers": {"mallory": {"goodbyes": 0, "repeated": 0, "offLink": 0}}})

    def attack(self, field):
        field.attack("mallory", "stale").is_ready()

    def measure(self, field):
        """Counts how often a node said that a present contact has left, and how long contacts waited for each other."""
        left = sum(len(node.events("left")) + sum(event["presence"] == "gone" for event in node.events("presence"))
                   for node in field.nodes.values())
        return {"left": left, "waited": waited(field)}

    def faults(self, figures):
        sent = next(iter(figures["attackers"].values()), {})
        found = [f"nothing was sent: {kind}" for kind in ("goodbyes", "repeated", "offLink") if not sent.get(kind)]
        if figures["left"]:
            found.append(f"contacts left {figures['left']} times")
        if max(figures["waited"]) > LONGEST_WAIT:
            found.append(f"a contact waited {max(figures['waited'])} s, at most {LONGEST_WAIT}")
        return found

    def shown(self, figures):
        sent = next(iter(figures["attackers"].values()), {})
        return (f"{sent.get('goodbyes', 0):,} goodbyes, {sent.get('repeated', 0):,} repeated, {sent.get('offLink', 0):,} from off the "
                f"link; contacts left {figures['left']} times, waited at most {max(figures['waited'])} s")


@row
class Listener(Row):
    """Ada knows everybody on the link, Carol nobody; Mallory compares what the two send by multicast."""

    name, title = "listener", "a listener compares a node that knows every name with one that knows none"
    old = ("known-answers",)
    broken = ({"met": 11}, {"different": ["a question with known answers"]}, {"compared": 0}, {"apart": 0.2},
              {"likelihood": 1e-6})
    least = 1

    def contacts(self):
        return star(self.groups)

    def field(self, old=None):
        return Field(self.contacts(), ("mallory", "carol"), old=old)

    def nodes(self):
        return ["carol"]

    def attack(self, field):
        field.attack("mallory", "listener").is_ready()

    def measure(self, field):
        packets = of_listener(field.attackers[0].facts)
        who = {field.stage.address[name]: name for name in field.nodes}
        epochs = [(field.start_of(epoch), field.start_of(epoch + 1)) for epoch in field.judged]
        return compare(packets, who, "ada", "carol", epochs)

    def faults(self, figures):
        found = [f"only one of them sends: {what}" for what in figures["different"]]
        if not figures["compared"]:
            found.append("nothing was compared")
        if figures["apart"] > 0.05:
            found.append(f"packets that are sent at fixed times are {1000 * figures['apart']:.0f} ms apart, at most 50")
        if figures["likelihood"] < 1e-4:
            found.append(f"the delays of answers differ (Kolmogorov and Smirnov: p = {figures['likelihood']:.1e})")
        return found

    def shown(self, figures):
        return (f"{figures['compared']} packets, {len(figures['different'])} kinds differ; fixed times {1000 * figures['apart']:.0f} ms "
                f"apart; delays of answers p = {figures['likelihood']:.2f}")

