"""A contact arrives: its beacon and its name are observed, and a handshake confirms it."""

import inkling

now = inkling.Now(tick=1000, unix_milliseconds=1_800_000_300_000)
epoch = inkling.epoch_at(now.unix_milliseconds // 1000)
tree = inkling.Tree(root=bytes([7]) + bytes(31))  # A real node takes it from a grant.
shown = tree.shown(device=0, epoch=epoch)
print(f"epoch {epoch}: minor {shown.minor}, name {shown.name}")

engine = inkling.Engine()
engine.add(1, now)
engine.hold(1, tree, devices=[0], audience_id=1)
engine.prepare(epoch, now)
engine.advertisement(inkling.beacon(shown.minor), address=0xAABBCCDDEEFF, rssi=-60, now=now)
engine.name_appeared(shown.name, now)
engine.confirmed(1, device=0, now=now)
for effect in engine.effects():
    if not isinstance(effect, inkling.Wake):
        print(effect)
