"""Every socket behind a network that lies (liar.py): commands and telemetry with and without keys, Modbus, NMEA, the live view, the
session manager. The session goes on or ends with a reason; descriptors and memory return; the log verifies; clients beside the
lies, whose own network is honest, lose at most one sample.

liar_test.py BUILD SOURCE [SECONDS [SEED [SCENE...]]]: length of each scene (3 s). The seed is printed and repeats the lies."""
import contextlib

from liar import *
from harness import *

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3
SEED = sys.argv[4] if len(sys.argv) > 4 else str(int.from_bytes(os.urandom(4), "big"))
WANTED = sys.argv[5:]
CLIENTS = os.path.join(SOURCE, "tests/program/liar_clients.py")
SANITIZED = os.environ.get("SAGBEND_TEST_KIND") == "sanitize"  # a sanitizer keeps what is freed
SCENES = []
print(f"seed {SEED}", flush=True)


def scene(function):
    SCENES.append(function)
    return function


def keygen(role, name):
    status, _, err = run("keygen", "--role", role, "--name", name, path(name + ".key"))
    check(status == 0, "keygen", err)


def make_keys():
    names = {"sim": "server", "honest": "controller", "liar": "controller", "dp": "controller", "bridge": "operator", "screen": "observer"}
    for name, role in names.items():
        keygen(role, name)
    with open(path("admitted"), "w") as file:
        for name in list(names)[1:]:
            with open(path(name + ".key.pub")) as public:
                file.write(public.read())
    os.chmod(path("admitted"), 0o644)


def use(program):
    """Memory in MiB and descriptors of a program."""
    with open(f"/proc/{program.process.pid}/status") as status:
        memory = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024
    return memory, len(os.listdir(f"/proc/{program.process.pid}/fd"))


class Client(Program):
    def __init__(self, kind, endpoint, key=None):
        super().__init__(sys.executable, CLIENTS, BUILD, SOURCE, kind, endpoint, SEED,
                         *([path(key + ".key"), path("sim.key.pub")] if key else []))
        self.kind = kind

    def finish(self):
        """Its counts; None if libzmq ended it."""
        self.signal()
        status = self.end()
        check(status == 0 or (status < 0 and not self.kind.startswith("honest")), f"{self.kind} ended with {status}", self.stderr())
        return json.loads(self.stdout()) if status == 0 else None


class Stage:
    """Programs under lies, and honest clients beside them."""

    def __init__(self, name, programs, honest, reconnecting=0):
        """reconnecting: connections to each program that the lies may have cut at this very moment."""
        self.name, self.programs, self.liars = name, programs, []
        self.honest = [Client(*one) for one in honest]
        for client in self.honest:
            client.wait_for("served")
        self.before = [(memory, files + reconnecting) for memory, files in map(use, programs)]

    def lies(self, endpoint, seed="tcp"):
        self.liars.append(Liar(endpoint, f"{SEED} {self.name} {seed}"))
        return self.liars[-1].endpoint

    def told(self):
        return {kind: sum(liar.counts[kind] for liar in self.liars) for kind in KINDS}

    def have_lied(self):
        """Each network has had connections, and lied: a busy machine needs a while."""
        return sum(self.told().values()) >= 10 and all(liar.connections >= 4 for liar in self.liars)

    def play(self, clients, meanwhile=lambda: time.sleep(0.05)):
        """Lets the clients go through the lies for SECONDS."""
        begin, counts, aborted = time.monotonic(), [], 0
        running = [(one, Client(*one)) for one in clients]
        while time.monotonic() < begin + SECONDS or not self.have_lied():
            check(time.monotonic() < begin + SECONDS + PATIENCE_S, f"{self.name}: nobody lied")
            meanwhile()
            for i, (one, client) in enumerate(running):
                if client.process.poll() is not None:
                    check(client.process.returncode < 0, f"{client.kind} failed", client.stderr())
                    aborted += 1  # a client of libzmq that asserted; the next one
                    running[i] = one, Client(*one)
        for _, client in running:
            counts.append((client.kind, client.finish()))
        told = self.told()
        print(f"{self.name}: {sum(liar.connections for liar in self.liars)} connections,", " ".join(f"{k} {n}" for k, n in told.items()),
              *(f"{kind} {c['rounds']}/{c['messages']}" for kind, c in counts if c), f"clients ended {aborted}", flush=True)

    def returns(self, dp, simulator, *keys):
        """A controller that kept coming back through the lies is welcomed once they end."""
        for liar in self.liars:
            liar.honest = True

        def listed():
            check(dp.process.poll() is None, f"{self.name}: sagbend-dp ended", dp.stderr())
            status, out, _ = run("ctl", simulator.commands, "status", "--json", *keys)
            return status == 0 and any(one["name"] == "behind-lies" for one in json.loads(out)["peer"])

        until(listed, f"{self.name}: sagbend-dp does not return", dp.stderr(), simulator.stderr())
        dp.kill()

    def settle(self):
        """Everything is alive, and what the lies occupied is free again."""
        for program, (memory, files) in zip(self.programs, self.before):
            check(program.process.poll() is None, f"{self.name}: a program ended", program.process.args, program.stderr())
            until(lambda: use(program)[1] <= files, f"{self.name}: descriptors stay open", files, use(program), program.stderr())
            check(SANITIZED or use(program)[0] < memory + 8 + 0.2 * SECONDS, f"{self.name}: memory grew", memory, use(program))
        for client in self.honest:
            counts = client.finish()
            print(f"{self.name}: {client.kind}", counts, flush=True)
            check(counts["messages"] > 10, f"{client.kind} got next to nothing", counts)
            check(counts["lost"] <= 1, f"{self.name}: {client.kind} lost samples", counts)


def finish(simulator, log):
    simulator.signal()
    check(simulator.end() == 0, "the session failed", simulator.stderr())
    status, out, err = run("replay", log, "--verify", timeout=600)
    check(status == 0, "the log does not verify", out, err)


@scene
def plain():
    """Commands, telemetry, Modbus and NMEA in real time, without keys."""
    with open(path("plain.yaml"), "w") as file:
        file.write(f"extends: {SOURCE}/configs/osv-83m-modbus.yaml\nname: plain\nnmea:\n  inputs:\n    - udp: 127.0.0.1:*\n")
    log = path("plain.mcap")
    simulator = Simulator(path("plain.yaml"), "--mode", "realtime", "--duration", "0", "--log", log, "--summary", path("plain.json"),
                          "--set", "modbus.endpoint=tcp://127.0.0.1:*")
    modbus = simulator.wait_for(r"Modbus TCP at (tcp://[\d.:]+)").group(1)
    nmea = LyingDatagrams(int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1)), SEED)
    stage = Stage("plain", [simulator], [("honest_controller", simulator.commands), ("honest_subscriber", simulator.telemetry),
                                         ("honest_master", modbus)])
    commands, telemetry, registers = stage.lies(simulator.commands), stage.lies(simulator.telemetry), stage.lies(modbus)

    def sentences():
        for _ in range(20):
            nmea.send(b"$IITRC,1,5.0,R,,,,B,C*29\r\n")
        time.sleep(0.05)

    dp = Program(SAGBEND_DP, os.path.join(SOURCE, "configs/osv-83m-dp.yaml"), "--connect", commands, "--name", "behind-lies")
    stage.play([("controller", commands), ("operator", commands), ("subscriber", telemetry), ("master", registers)], sentences)
    run("ctl", simulator.commands, "resume")  # an altered order may have been a pause
    stage.returns(dp, simulator)
    simulator.go_on(20)
    stage.settle()
    finish(simulator, log)
    check(nmea.counts > 10, "no sentence was altered", nmea.counts)


def keyed(name, mode):
    """Commands and telemetry with keys."""
    log = path(name + ".mcap")
    simulator = Simulator(JLAY, "--mode", mode, "--duration", "0", "--log", log, "--summary", path(name + ".json"),
                          "--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted"),
                          *(["--set", "log.buffer_mib=2"] if mode == "lockstep" else []))  # its pages are mapped at their first use, and count as memory
    stage = Stage(name, [simulator], [("honest_controller", simulator.commands, "honest"),
                                      ("honest_subscriber", simulator.telemetry, "screen")][:2 if mode == "realtime" else 1])
    commands, telemetry = stage.lies(simulator.commands), stage.lies(simulator.telemetry, "telemetry")
    dp = controller(simulator, "--name", "behind-lies", "--key", path("dp.key"), "--server-key", path("sim.key.pub"), endpoint=commands)
    stage.play([("controller", commands, "liar"), ("operator", commands, "bridge"), ("subscriber", telemetry, "screen")])
    stage.returns(dp, simulator, "--key", path("bridge.key"), "--server-key", path("sim.key.pub"))
    stage.settle()
    finish(simulator, log)
    denied = load(name + ".json")["security"]
    check(sum(n for n in denied.values() if isinstance(n, int)) > 0, "nothing was denied", denied)


@scene
def keys():
    keyed("keys", "realtime")


@scene
def lockstep():
    keyed("lockstep", "lockstep")


@scene
def view():
    """The live view: its telemetry, and its browsers."""
    simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("view.mcap"))
    dp = controller(simulator)
    source = Liar(simulator.telemetry, f"{SEED} source")
    shown = [Program(os.path.join(BUILD, "sagbend-view"), "--connect", endpoint, "--listen", "127.0.0.1:0")
             for endpoint in (source.endpoint, simulator.telemetry)]
    pages = ["tcp://" + one.wait_for(r"http://([\d.]+:\d+)/").group(1) for one in shown]
    stage = Stage("view", [simulator, *shown], [("honest_subscriber", simulator.telemetry)], reconnecting=1)
    stage.play([("browser", stage.lies(page, page)) for page in pages])
    stage.settle()
    for one in shown:
        one.signal()
        check(one.end() == 0, "sagbend-view", one.stderr())
    dp.kill()
    finish(simulator, path("view.mcap"))


@scene
def manager():
    """sagbend serve, and the session that it runs."""
    os.mkdir(path("cases"))
    os.symlink(JLAY, path("cases/real.yaml"))
    with open(path("cases/jlay.yaml"), "w") as file:
        file.write(f"extends: {JLAY}\nname: jlay\nsimulation: {{mode: realtime, duration_s: 0}}\n")
    serve = Program(SAGBEND, "serve", path("cases"), "--bind-command", "tcp://127.0.0.1:*", "--session-command", "tcp://127.0.0.1:*",
                    "--session-telemetry", "tcp://127.0.0.1:*",
                    "--server-key", path("sim.key"), "--admitted-keys", path("admitted"), "--key", path("bridge.key"))
    endpoint = serve.wait_for(r"orders at (\S+)").group(1)
    def ctl(*order):
        status, out, err = run("ctl", endpoint, *order, "--key", path("bridge.key"), "--server-key", path("sim.key.pub"))
        check(status == 0, f"ctl {order}", out, err, serve.stderr())
        return out

    def state():
        return json.loads(ctl("status", "--json"))

    ctl("load", "jlay")
    ctl("start")
    until(lambda: state()["state"] == "running", "it does not run", serve.stderr())
    running = state()
    stage = Stage("manager", [serve], [("honest_subscriber", running["telemetry_endpoint"], "screen")])
    stage.play([("visitor", stage.lies(endpoint), "bridge")])
    check(state()["session"] == running["session"] and state()["state"] == "running", "the session", running, state())
    stage.settle()
    ctl("stop")
    until(lambda: state()["state"] == "loaded", "it does not end", serve.stderr())
    check(state()["last"]["exit_status"] == 0, "its session failed", state())
    for name in os.listdir(path("cases/logs")):
        status, out, err = run("replay", path("cases/logs/" + name), "--verify")
        check(status == 0, "the log does not verify", out, err)
    serve.signal()
    check(serve.end() == 0, "the manager", serve.stderr())


make_keys()
for function in SCENES:
    if not WANTED or function.__name__ in WANTED:
        function()
