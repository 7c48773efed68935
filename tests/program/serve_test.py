"""sagbend serve: the cases of a folder, load, start, stop, logs and fetch by several operators; sessions that crash or hang; the
end of the manager; names that are paths; a full disk at the operator."""
import resource
import shutil
import threading

from harness import *

import sagbend

cases = path("cases")
os.mkdir(cases)
shutil.copy(JLAY, cases)
shutil.copy(JLAY_DP, cases)  # no case
shutil.copy(VESSEL, cases)  # mode fast, without sockets
with open(VESSEL) as file, open(os.path.join(cases, "free.yaml"), "w") as out:
    out.write(file.read().replace("mode: fast", "mode: realtime"))
with open(os.path.join(cases, "bad.yaml"), "w") as file:
    file.write("name: bad\nvessel: {mass_kg: heavy}\n")
os.symlink("/etc/hostname", os.path.join(cases, "link.yaml"))
os.symlink("jlay-900m.yaml", os.path.join(cases, "alias.yaml"))
os.mkdir(os.path.join(cases, "folder.yaml"))


class Manager(Program):
    def __init__(self, *args, folder=cases):
        super().__init__(SAGBEND, "serve", folder, "--bind-command", "tcp://127.0.0.1:*", "--session-command", "tcp://127.0.0.1:*",
                         "--session-telemetry", "tcp://127.0.0.1:*", *args)
        self.endpoint = self.wait_for(r"orders at (\S+)").group(1)

    def ctl(self, *args, expected=0):
        status, out, err = run("ctl", self.endpoint, *args)
        check(status == expected, f"ctl {args}: status {status}", out, err, self.stderr())
        return out if expected == 0 else err

    def status(self):
        return json.loads(self.ctl("status", "--json"))

    def until(self, holds, what):
        until(lambda: holds(self.status()), what, self.stderr())
        return self.status()

    def start(self, case):
        self.ctl("load", case)
        self.ctl("start")
        return self.until(lambda s: s["state"] == "running", "it does not run")


manager = Manager()
status = manager.status()
check(status["state"] == "empty" and status["session"] is None and status["last"] is None, "the first status", status)
check("no session runs" in manager.ctl("status"), "status for people")

# Cases, and names that lead elsewhere.
listed = {c["name"]: c["error"] for c in json.loads(manager.ctl("cases", "--json"))["cases"]}
check(set(listed) == {"alias", "bad", "folder", "free", "jlay-900m", "link", "vessel-only"}, "the list of cases", listed)
check([n for n, error in listed.items() if not error] == ["alias", "free", "jlay-900m", "vessel-only"], "the valid cases", listed)
check(re.match(r"bad.yaml:\d+:\d+: error: ", listed["bad"]) and "regular file" in listed["folder"] and "link out" in listed["link"],
      "the errors of the cases", listed)
for name, text in [("bad", "bad.yaml:"), ("missing", "No such file"), ("link", "link out"), ("folder", "regular file"),
                   ("../cases/vessel-only", "letters, digits"), (os.path.join(cases, "vessel-only"), "letters, digits"),
                   ("..", "letters, digits"), ("x" * 200, "a name expected")]:
    check(text in manager.ctl("load", name, expected=2 if len(name) > 127 else 1), f"load {name}", manager.stderr())
check("no case is loaded" in manager.ctl("start", expected=1), "start without a case")
check("no session runs" in manager.ctl("stop", expected=1), "stop without a session")
for order in (["pause"], ["fault", "loss", "--probability", "0.1"]):
    check("session manager" in manager.ctl(*order, expected=1), "an order for a simulator", order)

# A message of several frames is refused.
peer = zmq.Context.instance().socket(zmq.DEALER)
peer.linger = 0
peer.connect(manager.endpoint)
peer.send_multipart([b"a", b"b"])
check(peer.poll(1000 * PATIENCE_S) and "single frame" in envelope_pb2.Envelope.FromString(peer.recv()).refusal.text, "several frames", manager.stderr())
peer.close()

# A session: its own endpoints answer, a second one is refused, stop ends it properly.
running = manager.start("jlay-900m.yaml")
check(running["case"] == "jlay-900m" and running["process"] > 0 and running["command_endpoint"].startswith("tcp://127.0.0.1:"), "status", running)
check(running["session"] in run("ctl", running["command_endpoint"], "list", "--json")[1], "the session's endpoint", running)
check("runs already" in manager.ctl("start", expected=1) and "stop it first" in manager.ctl("load", "vessel-only", expected=1), "a second start")
growing = json.loads(manager.ctl("logs", "--json"))["logs"]
check(len(growing) == 1 and growing[0]["growing"] and running["session"] in growing[0]["name"], "the growing log", growing)
with sagbend.Telemetry(running["telemetry_endpoint"], ["sensors"]) as telemetry:
    telemetry.wait_for("sensors", lambda m: m.header.step > 50)
manager.ctl("fetch", growing[0]["name"], path("growing.mcap"))
check(sagbend.read_log(path("growing.mcap")).session.session == running["session"], "a log that grows")
# A reset: the process goes on with another session, with a log of its own.
check(run("ctl", running["command_endpoint"], "reset")[0] == 0, "a reset", manager.stderr())
after = manager.until(lambda s: s["session"] != running["session"], "the manager names the old session")
check(after["process"] == running["process"] and after["state"] == "running", "the process after a reset", after)
check(after["session"] in run("ctl", running["command_endpoint"], "list", "--json")[1], "the session after a reset", after)
until(lambda: [after["session"] in l["name"] for l in json.loads(manager.ctl("logs", "--json"))["logs"] if l["growing"]] == [True],
      "the growing log after a reset", manager.stderr())
os.remove(os.path.join(cases, "logs", growing[0]["name"]))  # the checks below count one log for each start
manager.ctl("stop")
ended = manager.until(lambda s: s["state"] == "loaded", "it does not end")
check(ended["last"]["exit_status"] == 0 and ended["last"]["signal"] == 0 and "operator stopped it" in ended["last"]["text"], "the end", ended)

# Network B: a session of the manager listens there as well, and a controller that knows B alone commands it.
by_b = Manager("--session-command-b", "tcp://127.0.0.2:*", "--session-telemetry-b", "tcp://127.0.0.2:*", "--log-dir", path("logs-of-b"))
running = by_b.start("jlay-900m")
check(running["command_endpoint_b"].startswith("tcp://127.0.0.2:") and running["telemetry_endpoint_b"].startswith("tcp://127.0.0.2:"), "endpoints of B", running)
check(running["command_endpoint_b"].split(":")[-1] in by_b.ctl("status"), "status for people", by_b.ctl("status"))
dp = Program(SAGBEND_DP, JLAY_DP, "--connect", running["command_endpoint_b"])
with sagbend.Telemetry(running["telemetry_endpoint_b"], ["timing"]) as telemetry:
    m = telemetry.wait_for("timing", lambda m: m.network and m.network[1].messages > 5)
    check(m.network[0].messages == 0, "nothing came by A", m.network)
by_b.ctl("stop")
by_b.until(lambda s: s["state"] == "loaded", "it does not end")
check(dp.end() == 0, "the controller by B ends with the session", dp.stderr())
by_b.signal()
check(by_b.end() == 0, "the manager ends", by_b.stderr())

# A crash: the manager survives and states the signal and the last lines; the log is there.
crashing = manager.start("alias")
os.kill(crashing["process"], signal.SIGKILL)
ended = manager.until(lambda s: s["state"] == "loaded", "the crash is not noticed")
check(ended["last"]["signal"] == 9 and "signal 9" in ended["last"]["text"], "the crash", ended)
check(any(crashing["session"] in line for line in ended["last"]["line"]), "its last lines", ended)
check("signal 9" in manager.ctl("status"), "status for people")
logs = json.loads(manager.ctl("logs", "--json"))["logs"]
check(len(logs) == 2 and not any(l["growing"] for l in logs), "the logs", logs)

# fetch: complete, continued after a full disk, and again after the part was damaged.
log = max(logs, key=lambda l: l["size"])
with open(os.path.join(cases, "logs", log["name"]), "rb") as file:
    whole = file.read()
check(len(whole) == log["size"] > 20000, "the size of the log", log)
target = path("fetched.mcap")
done = subprocess.run([SAGBEND, "ctl", manager.endpoint, "fetch", log["name"], target], capture_output=True, text=True,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (15000, 15000)))
check(done.returncode == 1 and "File too large" in done.stderr and "continues" in done.stderr, "a full disk", done)
check(not os.path.exists(target) and os.path.getsize(target + ".part") == 15000, "the part that is kept", os.listdir(FOLDER))
answer = json.loads(manager.ctl("fetch", log["name"], target, "--json"))
check(answer["kept"] == 15000 and answer["size"] == len(whole), "the continued transfer", answer)
with open(target, "rb") as file:
    check(file.read() == whole, "the fetched log differs")
check("exists already" in manager.ctl("fetch", log["name"], target, expected=2), "a second fetch to the same file")
with open(target + "2.part", "wb") as file:
    file.write(b"x" + whole[1:])
answer = json.loads(manager.ctl("fetch", log["name"], target + "2", "--json"))
check(answer["kept"] == 0, "a damaged part is kept", answer)
with open(target + "2", "rb") as file:
    check(file.read() == whole, "the log differs after a damaged part")
os.symlink("/etc/hostname", os.path.join(cases, "logs/out.mcap"))
for name, text in [("../jlay-900m.yaml", "a log expected"), ("../../x.mcap", "letters, digits"), ("missing.mcap", "No such file"),
                   ("out.mcap", "link out")]:
    check(text in manager.ctl("fetch", name, path("nothing"), expected=1), f"fetch {name}")
check("out.mcap" not in manager.ctl("logs") and not os.path.exists(path("nothing")), "links among the logs")
check("No such file or directory" in manager.ctl("fetch", log["name"], path("no/folder/f"), expected=1), "fetch into a missing folder")

# Two operators at once: every order is answered, one start wins.
results = []


def operate():
    with sagbend.Operator(manager.endpoint, timeout_s=PATIENCE_S) as operator:
        for _ in range(50):
            check(operator.order("cases").manager.total == 7, "the number of cases")
        try:
            operator.order("start")
            results.append("started")
        except sagbend.Refused as refused:
            results.append(refused.text)


threads = [threading.Thread(target=operate) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check(len(results) == 2 and "started" in results and any("runs already" in r for r in results), "two operators", results)
# What is no order is refused; a manager is no simulator.
with sagbend.Client(manager.endpoint) as client:
    refusal = client.receive(PATIENCE_S)
    check("session manager" in refusal.text, "Hello", refusal)

# SIGTERM of the manager ends the session properly.
manager.until(lambda s: s["state"] == "running", "it does not run")
manager.signal()
check(manager.end() == 0, "the exit status of the manager", manager.stderr())
check("the end of the manager stopped it; exit status 0" in manager.stderr(), "the session's end", manager.stderr())

# A session that hangs is killed if so configured. Another folder for the logs.
manager = Manager("--hang-limit", "1.5", "--log-dir", path("elsewhere"))
hanging = manager.start("free")
os.kill(hanging["process"], signal.SIGSTOP)
ended = manager.until(lambda s: s["state"] == "loaded", "the hang is not noticed")
check("did not answer" in ended["last"]["text"] and ended["last"]["signal"] == 9, "the hang", ended)
check(len(os.listdir(path("elsewhere"))) == 1, "the folder of the logs", os.listdir(path("elsewhere")))

# A session that ends by itself, and one whose case has become invalid since it was loaded.
short = os.path.join(cases, "short.yaml")
with open(VESSEL) as file:
    text = file.read()
with open(short, "w") as file:
    file.write(re.sub(r"duration_s: *\S+", "duration_s: 0.5", text))
manager.ctl("load", "short")
manager.ctl("start")
ended = manager.until(lambda s: s["state"] == "loaded", "the session does not end")
check(ended["last"]["text"] == "it ended by itself with exit status 0", "a session that ends", ended)
with open(short, "w") as file:
    file.write("name: [\n")
manager.ctl("start")
ended = manager.until(lambda s: s["started"] == 3 and s["state"] == "loaded", "the session does not end")
check(ended["last"]["exit_status"] == 2 and "short.yaml:" in "\n".join(ended["last"]["line"]), "an invalid case", ended)

# kill -9 of the manager: the session ends properly, and its log is complete.
orphan = manager.start("free")
manager.kill()


def log_of(session):
    return [os.path.join(path("elsewhere"), name) for name in os.listdir(path("elsewhere")) if session in name][0]


until(lambda: sagbend.read_log(log_of(orphan["session"])).is_complete, "the session goes on without its manager")
check(sagbend.read_log(log_of(orphan["session"])).end.why == "stopped", "its end")

# With keys: an operator of the list gives orders, also to the session; others are refused, and the manager prints it. The manager
# asks the session by a key of its own.
for role, name in [("server", "lab"), ("operator", "bridge"), ("operator", "manager"), ("controller", "dp-1"), ("operator", "stranger")]:
    check(run("keygen", "--role", role, "--name", name, path(f"{name}.key"))[0] == 0, "keygen")
with open(path("admitted"), "w") as file:
    file.write("".join(open(path(f"{name}.key.pub")).read() for name in ("bridge", "manager", "dp-1")))
listed = ["--server-key", path("lab.key"), "--admitted-keys", path("admitted")]
manager = Manager(*listed, "--key", path("manager.key"), "--log-dir", path("keyed"))


def with_key(name):
    return "--key", path(f"{name}.key"), "--server-key", path("lab.key.pub")


manager.ctl("load", "free", *with_key("bridge"))
manager.ctl("start", *with_key("bridge"))
status = {}


def runs():
    status.update(json.loads(manager.ctl("status", "--json", *with_key("bridge"))))
    return status["state"] == "running" and status["running_s"] > 2.5


until(runs, "it does not run", manager.stderr())
check(status["silent_s"] < status["running_s"] - 1, "the session does not answer the manager", status)
check("bridge: start" in manager.stderr(), "the operator's name is that of the key", manager.stderr())
check(run("ctl", status["command_endpoint"], "list", *with_key("bridge"))[0] == 0, "the session with a key", manager.stderr())
check("only the key of an operator" in manager.ctl("status", *with_key("dp-1"), expected=1), "a controller's key")
check("does not admit the key" in manager.ctl("cases", *with_key("stranger"), expected=1), "an unknown key")
manager.wait_for("denied_unknown_key")
manager.wait_for("denied_role")
check("admits only clients with a key" in manager.ctl("cases", expected=1), "no key")
check("admits only clients with a key" in run("ctl", status["command_endpoint"], "list")[2], "the session without a key")
log = json.loads(manager.ctl("logs", "--json", *with_key("bridge")))["logs"][0]
manager.ctl("stop", *with_key("bridge"))
until(lambda: not json.loads(manager.ctl("status", "--json", *with_key("bridge")))["process"], "it does not end", manager.stderr())
manager.ctl("fetch", log["name"], path("keyed.mcap"), *with_key("bridge"))
check(sagbend.read_log(path("keyed.mcap")).is_complete, "the fetched log")
manager.signal()
check(manager.end() == 0, "the manager's end", manager.stderr())
for args, text in [(listed[:2], "need each other"), (listed[2:], "need each other"), (["--key", path("manager.key")], "--key needs both"),
                   ([*listed, "--key", path("dp-1.key")], "key of an operator expected"), (["--server-key", path("bridge.key"), *listed[2:]], "bridge.key")]:
    status, out, err = run("serve", cases, *args)
    check(status == 2 and text in err, f"serve {args}: status {status}", err)

# Wrong usage.
for args, text in [([path("missing")], "No such file"), ([JLAY], "a folder expected"),
                   ([cases, "--bind-command", "tcp://*:*"], "needs --server-key and --admitted-keys"), ([cases, "--log-dir", JLAY], "folder expected")]:
    status, out, err = run("serve", *args)
    check(status == 2 and text in err, f"serve {args}: status {status}", err)
