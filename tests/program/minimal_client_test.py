"""docs/examples/minimal_client.py, which uses only the .proto files, holds the initial position; started before the simulator
and after it."""
from harness import *

EXAMPLE = os.path.join(SOURCE, "docs/examples/minimal_client.py")
os.environ["PYTHONPATH"] = os.path.join(BUILD, "proto/python")


def example(endpoint):
    return Program("/usr/bin/python3", EXAMPLE, endpoint)


simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "60", "--summary", path("after.json"))
client = example(simulator.commands)
check(simulator.end(120) == 0, "the simulator's exit status", simulator.stderr())
check(client.end() == 0, "the client's exit status", client.stderr())
summary = load("after.json")
check(summary["commands"]["refused"] == 0, "commands refused", summary["commands"])
check(summary["commands"]["accepted"] >= summary["steps"] / 10, "fewer commands than samples", summary["commands"])
# Without control 600 kN for 50 s would move the vessel by 100 m.
check(abs(summary["vessel"]["position_m"][1]) < 20, "it does not hold the position", summary["vessel"])

# Started first: it sends Hello until the simulator answers. A short-lived server finds a free TCP port.
import socket

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
