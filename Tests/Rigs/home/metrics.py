"""The figures of a node for a real Prometheus on its host; promtool checks them."""

import json
import subprocess

from house import HANG, expect, wait, write

ADDRESS = "127.0.0.1:9760"


def judged(figures):
    """What promtool says of figures; empty when they are right."""
    done = subprocess.run(["promtool", "check", "metrics"], input=figures, capture_output=True, text=True, timeout=HANG)
    return done.stdout + done.stderr if done.returncode else ""


def query(house, expression):
    """The values of an expression in Prometheus, by labels."""
    done = house.outside("ada", "curl", "-s", "-G", "http://127.0.0.1:9090/api/v1/query", "--data-urlencode", f"query={expression}")
    try:
        return [(one["metric"], float(one["value"][1])) for one in json.loads(done.stdout)["data"]["result"]]
    except (ValueError, KeyError):
        return []


def check_prometheus(house):
    """promtool takes the figures, Prometheus reads them as a contact comes and the node ends, and nobody is named"""
    house.move_in()
    node = house.run("ada", "--metrics", ADDRESS)
    node.event("visible")
    figures = house.outside("ada", "curl", "-s", f"http://{ADDRESS}/metrics").stdout
    expect("inkling_contacts 1" in figures, f"the figures are {figures!r}")
    expect(not judged(figures), f"promtool says: {judged(figures)}")
    house.report.plant(
        {"a counter with the name of a gauge": figures.replace("# TYPE inkling_contacts gauge", "# TYPE inkling_contacts counter")}, judged)
    settings = write(house.file("prometheus.yml"), "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: inkling\n"
                     f"  static_configs: [{{targets: ['{ADDRESS}']}}]\n")
    house.start("ada", "prometheus", f"--config.file={settings}", f"--storage.tsdb.path={house.file('data')}",
                "--web.listen-address=127.0.0.1:9090", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def shows(what, expression, *values):
        wait(lambda: f"{what}: {query(house, expression)}",
             lambda: [value for _, value in query(house, expression)] in [[value] for value in values])

    shows("figure in Prometheus", "inkling_contacts_present", 0)
    house.run("bob")
    shows("present contact", "inkling_contacts_present", 1)
    # Both may call at the same moment, and then there are two.
    shows("handshake among the figures", 'inkling_handshakes_total{technology="lan"}', 1, 2)
    everything = query(house, '{job="inkling"}')
    expect(len(everything) > 10, f"only {len(everything)} series")
    expect(not any("Bob" in str(labels) for labels, _ in everything), "a label names the contact")
    house.report.figure("series", len(everything))
    node.stop()
    shows("word that the node has stopped", "up", 0)
