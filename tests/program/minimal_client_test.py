"""The clients of docs/examples hold the initial position, started before the simulator and after it: minimal_client.py with the
package sagbend, protocol_client.py with the .proto files only."""
from harness import *
import socket

os.environ["PYTHONPATH"] = os.path.join(BUILD, "proto/python")


def holds_position(example):
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "60", "--summary", path("after.json"))
    client = example(simulator.commands)
    check(simulator.end(120) == 0, "the simulator's exit status", simulator.stderr())
    check(client.end() == 0, "the client's exit status", client.stderr())
    summary = load("after.json")
    check(summary["commands"]["refused"] == 0, "commands refused", summary["commands"])
    check(summary["commands"]["accepted"] >= summary["steps"] / 10, "fewer commands than samples", summary["commands"])
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


for name in ("minimal_client.py", "protocol_client.py"):
    def example(endpoint, file=os.path.join(SOURCE, "docs/examples", name)):
        return Program("/usr/bin/python3", file, endpoint)

    holds_position(example)
    waits_for_simulator(example)
