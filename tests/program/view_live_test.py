"""sagbend-view beside a real simulator: each channel decodes by its advertised schema and equals what the SUB socket gives; the state
hashes of a lockstep session are the same without and with observers, one of which stalls."""
import base64
import threading
from harness import *
from view_client import *

PUBLISHED = set(telemetry_kinds()) - {"alarm"}


class Sub(threading.Thread):
    """All that the SUB socket gives."""

    def __init__(self, endpoint):
        super().__init__(daemon=True)
        self.seen = {}
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.linger = 0
        self.socket.rcvhwm = 0
        self.socket.subscribe("")
        self.socket.connect(endpoint)
        self.start()

    def run(self):
        while True:
            topic, payload = self.socket.recv_multipart()
            self.seen.setdefault("/" + topic.decode(), set()).add(payload)


# Every channel, with both subprotocols.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
sub = Sub(simulator.telemetry)
until(lambda: sub.seen, "no telemetry")  # what the view receives, the SUB socket receives as well
view = View("--connect", simulator.telemetry)
dp = controller(simulator)
simulator.wait_for_step(1)
clients = [Client(view.port, protocol).greet() for protocol in (SDK, WEBSOCKET)]
for client in clients:
    client.received = {}
    client.types = {topic: message_class(channel["schemaName"], base64.b64decode(channel["schema"], validate=True)) for topic, channel in client.channels.items()}
    kinds = {topic: kind.DESCRIPTOR.full_name for topic, kind in client.types.items()}
    check(kinds | {"/" + topic: kind.DESCRIPTOR.full_name for topic, kind in telemetry_kinds().items()} == kinds, "the message of a topic", kinds)
    client.subscribe(*client.channels)
expected = {"/" + topic for topic in PUBLISHED - {"end"}} | {"/tf", "/scene", "/log"}
for client in clients:
    while not expected <= set(client.received):
        _, topic, time_ns, payload = client.message()
        message = client.types[topic].FromString(payload)
        check(message.SerializeToString() == payload or topic in ("/tf", "/scene", "/log"), "a message is not what its schema says", topic)
        client.received.setdefault(topic, []).append(payload)
        if topic[1:] in PUBLISHED:
            check(time_ns == round(message.header.time_s * 1e9), "time", topic, time_ns, message.header)
            until(lambda: payload in sub.seen.get(topic, ()), "the SUB socket has no such message", topic, message)
check({t for t in ("/session", "/status", "/dp", "/event") if sub.seen.get(t)} == {"/session", "/status", "/dp", "/event"}, "topics", list(sub.seen))
simulator.signal()
for client in clients:
    _, topic, _, payload = client.message("/end")
    until(lambda: payload in sub.seen.get("/end", ()), "the SUB socket has no such End")
    client.close()
check(simulator.end() == 0, "the simulator", simulator.stderr())
view.signal()
check(view.end() == 0, "the view", view.stderr())


# Lockstep without and with observers.
def lockstep(name, *observe):
    run = Simulator(JLAY, "--mode", "lockstep", "--duration", "6", "--hashes", path(name))
    watchers = [start(run) for start in observe]
    Program(SAGBEND_DP, JLAY_DP, "--connect", run.commands, "--set", "pid.start_s=1")
    check(run.end() == 0, "a lockstep session", run.stderr())
    return watchers


def observers(run):
    watching = View("--connect", run.telemetry)
    all_clients = [Client(watching.port).greet() for _ in range(4)]
    stalled = Client(watching.port, receive_buffer=4096, reads=False)
    stalled.channels = all_clients[0].channels
    for one in [*all_clients, stalled]:
        one.subscribe(*one.channels)
    for one in all_clients:
        one.message("/status")  # while the session waits for its controller
    return watching, all_clients


lockstep("alone")
(view, watching), = lockstep("observed", observers)
check(hashes("alone") == hashes("observed") and len(hashes("alone")) > 600, "observers change the state", len(hashes("alone")))
for client in watching:
    client.message("/end")  # it saw the session
view.signal()
check(view.end() == 0, "the view", view.stderr())

# With keys, as an observer.
for role in ("server", "observer"):
    status, _, err = run("keygen", "--role", role, path(f"{role}.key"))
    check(status == 0, "keygen", err)
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--set", f"network.server_key={path('server.key')}",
                      "--set", f"network.admitted_keys={path('observer.key.pub')}")
view = View("--connect", simulator.telemetry, "--key", path("observer.key"), "--server-key", path("server.key.pub"))
client = Client(view.port).greet()
client.subscribe("/truth")
check(client.message("/truth")[2] > 0, "telemetry with keys")
client.close()
view.signal()
check(view.end() == 0, "the view", view.stderr())
simulator.signal()
check(simulator.end() == 0, "the simulator", simulator.stderr())
print("ok")
