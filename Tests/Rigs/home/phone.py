"""Judges the file for Home Assistant by which a phone without a node shows minors, by Specs/home-assistant.md."""

import os
import stat

import yaml

STEPS = ["ble_set_uuid", "ble_set_major", "ble_set_measured_power", "ble_set_transmit_power", "ble_set_minor", "turn_on", "turn_off"]


def read(file):
    """Returns the text of a path, or a text as it is."""
    if "\n" in file:
        return file
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def automation(file):
    package = yaml.safe_load(read(file))
    if list(package) != ["automation"] or len(package["automation"]) != 1:
        raise ValueError("not a package with one automation")
    return package["automation"][0]


def phone_variables(file):
    return automation(file)["variables"]


def commands(steps):
    """Returns the data of every message to the phone, in order, with those inside conditions."""
    found = []
    for step in steps:
        if "action" in step:
            found.append((step["action"], step["data"]["message"], step["data"]["data"]))
        found += commands(step.get("then", []))
    return found


def phone_faults(file, name, house, epoch):
    """Returns what is wrong with a file that the node of Ada has made for a phone with this name, in this epoch or the next one, as
    sentences."""
    try:
        one = automation(file)
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        return [f"no automation: {error}"]
    found = []

    def fault(condition, text):
        if condition:
            found.append(text)

    if "\n" not in file:
        fault(stat.S_IMODE(os.stat(file).st_mode) != 0o600, "others can read it")
    fault(one.get("alias") != f"Inkling: {name}", f"the alias {one.get('alias')!r}")
    fault(one.get("trace") != {"stored_traces": 0}, "traces are stored")
    fault(one.get("mode") != "restart", "a second run waits for the first")
    first, minors = one["variables"]["first"], one["variables"]["minors"]
    fault(len(minors) > 90 * 96, "more than 90 days")
    if first not in range(epoch - 1, epoch + 2):
        found.append(f"the first epoch is {first}")
    else:
        fault(minors != list(house.minors(name, first, len(minors)).values()), "other minors than the home predicts")
    sent = commands(one["actions"])
    fault({action for action, _, _ in sent} != {"notify.mobile_app_pixel"}, "another action")
    fault({message for _, message, _ in sent} != {"command_ble_transmitter"}, "another message")
    order = [data["command"] for _, _, data in sent]
    fault(order != ["turn_off", *STEPS], f"the commands {order}")
    fault(any(data.get("ttl") != 0 or data.get("priority") != "high" for _, _, data in sent), "a command that may come late")
    values = {data["command"]: [value for key, value in data.items() if key.startswith("ble_")] for _, _, data in sent}
    fault(values.get("ble_set_minor") != ["{{ minors[place] }}"], "another minor is sent")
    fault(values.get("ble_set_major") != ["0"], "another major")
    delays = [step["delay"] for step in one["actions"] if "delay" in step]
    fault(delays != [{"milliseconds": "{{ range(0, 10001) | random }}"},
                     {"seconds": "{{ [890 - now().timestamp() % 900, 0] | max }}"}], f"the delays {delays}")
    kinds = ["delay", "variables", "if", "if", "action", "action", "delay", "action"]
    fault([next(kind for kind in ("delay", "variables", "if", "action") if kind in step) for step in one["actions"]] != kinds,
          "steps in another order")
    return found


def planted_phones(file):
    """Returns changed texts that `phone_faults` must not pass, each with what was planted."""
    text = read(file)
    minors = phone_variables(file)["minors"]

    def changed(old, new):
        if old not in text:
            raise ValueError(f"{old!r} is not in the file")
        return text.replace(old, new, 1)

    row = f"        {minors[0]}, {minors[1]},"
    return {
        "two minors in the other order": changed(row, f"        {minors[1]}, {minors[0]},"),
        "one minor too few": changed(row, f"        {minors[1]},"),
        "an epoch too early": changed("first: ", "first: 1"),
        "traces": changed("stored_traces: 0", "stored_traces: 5"),
        "no gap": changed("range(0, 10001)", "range(0, 1)"),
        "no silence before the end": changed("[890 - ", "[900 - "),
        "a command that may come late": changed("ttl: 0", "ttl: 3600"),
        "another major": changed('ble_major: "0"', 'ble_major: "1"'),
        "the last minor of all": changed("minors[place]", "minors[-1]"),
        "a second automation": text + "  - id: x\n    alias: x\n",
    }
