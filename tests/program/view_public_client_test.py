"""The public npm client of the Foxglove WebSocket protocol, with both subprotocols, beside a real simulator: it decodes every channel by
its advertised schema, and what it gets equals what the SUB socket gives."""
import base64
import shutil
import threading

from harness import *

check(shutil.which("npm") and shutil.which("node"), "npm is not installed: the page is neither built nor tested (tools/deps installs it)")
WORK = os.path.join(BUILD, "view_page/work")
check(os.path.isdir(os.path.join(WORK, "node_modules/@foxglove/ws-protocol")), "npm packages are missing: see view_page/npm.log in the build directory")
TOPICS = ["/status", "/sensors", "/truth", "/nodes", "/ledger", "/timing", "/tf", "/scene"]  # events need not come

simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
seen = {}


def listen():
    while True:
        topic, payload = subscriber.recv_multipart()
        seen.setdefault("/" + topic.decode(), set()).add(payload)


subscriber = zmq.Context.instance().socket(zmq.SUB)
subscriber.linger, subscriber.rcvhwm = 0, 0
subscriber.subscribe("")
subscriber.connect(simulator.telemetry)
threading.Thread(target=listen, daemon=True).start()
simulator.wait_for_step(1)

view = View("--connect", simulator.telemetry)
port = str(view.port)
clients = []
for subprotocol in ("foxglove.sdk.v1", "foxglove.websocket.v1"):
    clients.append(Program("node", os.path.join(WORK, "test/public_client.mjs"), port, subprotocol, *TOPICS))


def messages(client):
    return [json.loads(line) for line in client.stdout().splitlines(keepends=True) if line.endswith("\n")]


for client in clients:
    until(lambda: {"/status", "/sensors", "/truth", "/nodes", "/ledger", "/timing", "/tf", "/scene"}
          <= {m.get("topic") for m in messages(client)} or client.process.poll() is not None, "channels without a message",
          {m.get("topic") for m in messages(client)}, client.stderr())
simulator.signal()
for client in clients:
    check(client.end() == 0, "the public client", client.stderr(), {m.get("topic") for m in messages(client)})
    got = messages(client)
    check("serverInfo" in got[0] and got[0]["serverInfo"]["metadata"]["sagbend"] == "live", "serverInfo", got[0])
    for m in got:
        if m.get("topic") in (None, "/tf", "/scene", "/log"):
            continue
        check(m["same"], "a message is not what its schema says", m)
        until(lambda: base64.b64decode(m["bytes"]) in seen.get(m["topic"], ()), "the SUB socket has no such message", m)
check(simulator.end() == 0, "the simulator", simulator.stderr())
view.signal()
check(view.end() == 0, "the view", view.stderr())
print("ok")
