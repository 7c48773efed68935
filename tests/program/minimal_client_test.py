"""The clients of docs/examples hold the initial position, started before the simulator and after it: minimal_client.py with the
package sagbend, protocol_client.py with the .proto files only. The one of the README is shortest_client.py."""
from harness import *
import socket

os.environ["PYTHONPATH"] = os.path.join(BUILD, "proto/python")


def holds_position(example):
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "60", *COARSE, "--summary", path("after.json"))
    client = example(simulator.commands)
    check(simulator.end(120) == 0, "the simulator's exit status", simulator.stderr())
    check(client.end() == 0, "the client's exit status", client.stderr())
    summary = load("after.json")
    check(summary["commands"]["refused"] == 0, "commands refused", summary["commands"])
    check(summary["commands"]["accepted"] >= summary["steps"] / 2, "fewer commands than samples", summary["commands"])
    # Without control 600 kN for 50 s would move the vessel by 100 m.
    check(abs(summary["vessel"]["position_m"][1]) < 20, "it does not hold the position", summary["vessel"])


def waits_for_simulator(example):
    """Started first: it sends Hello until the simulator answers. A short-lived server finds a free TCP port."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        endpoint = "tcp://127.0.0.1:%d" % nobody.getsockname()[1]
        client = example(endpoint)
        nobody.settimeout(PATIENCE_S)
        nobody.accept()[0].close()  # it runs and asks
    simulator = Program(SAGBEND, "run", JLAY, "--mode", "lockstep", "--duration", "2", "--bind-command", endpoint,
                        "--bind-telemetry", "tcp://127.0.0.1:*", "--summary", path("before.json"))
    check(simulator.end() == 0, "the simulator's exit status", simulator.stderr())
    check(client.end() == 0, "the client's exit status", client.stderr())
    check(load("before.json")["commands"]["accepted"] > 0, "no commands came", load("before.json")["commands"])


def keeps_its_start(example):
    """A Welcome of the same session, because of another set-point or after a silence, does not begin the hold again."""
    simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
    client = example(simulator.commands)
    until(lambda: "from the start" in client.stdout(), "it does not hold", client.stderr(), simulator.stderr())
    status, out, err = run("ctl", simulator.commands, "set-point", "--north", "5")
    check(status == 0, "set-point", out, err)
    simulator.suspend()
    time.sleep(1.5)  # longer than it waits for Sensors; a longer wait of a slow machine is as good
    simulator.resume()
    seen = client.stdout().count("from the start")
    until(lambda: client.stdout().count("from the start") > seen + 1, "it does not go on", client.stdout(), simulator.stderr())
    check(client.stdout().count("welcomed by session") == 1, "it begins its hold again", client.stdout())
    simulator.signal()
    check(simulator.end() == 0 and client.end() == 0, "the end", simulator.stderr(), client.stderr())


for name in ("minimal_client.py", "protocol_client.py"):
    def example(endpoint, file=os.path.join(SOURCE, "docs/examples", name)):
        return Program("/usr/bin/python3", file, endpoint)

    holds_position(example)
    waits_for_simulator(example)
    keeps_its_start(example)


def shortest(endpoint):
    return Program("/usr/bin/python3", os.path.join(SOURCE, "docs/examples/shortest_client.py"), endpoint)


holds_position(shortest)
waits_for_simulator(shortest)
