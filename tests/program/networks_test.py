"""The link to a controller over two networks (docs/ship-network.md): sagbend-dp connects to both, each command acts once, and the run is to the last bit that
over one network; one network ends and comes back, and nothing is lost.

networks_test.py BUILD SOURCE"""
import select
import threading

from harness import *

TWO = ["--set", "network.command_endpoint_b=tcp://127.0.0.2:*", "--set", "network.telemetry_endpoint_b=tcp://127.0.0.2:*"]


class Cable:
    """Carries bytes between a controller and the simulator, until it is cut; then it ends all connections and takes none."""

    def __init__(self, endpoint):
        self.to = endpoint.removeprefix("tcp://").split(":")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.is_cut, self.pairs = False, {}
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            for one in select.select([self.listener, *self.pairs], [], [], 0.01)[0]:
                if one is self.listener:
                    self.accept()
                elif one in self.pairs:
                    self.carry(one)
            if self.is_cut:
                for one in list(self.pairs):
                    self.end(one)

    def accept(self):
        inside = self.listener.accept()[0]
        if self.is_cut:
            inside.close()
            return
        outside = socket.create_connection((self.to[0], int(self.to[1])))
        self.pairs[inside], self.pairs[outside] = outside, inside

    def carry(self, one):
        try:
            data = one.recv(65536)
            if data:
                self.pairs[one].sendall(data)
                return
        except OSError:
            pass
        self.end(one)

    def end(self, one):
        other = self.pairs.pop(one, None)
        if other:
            self.pairs.pop(other, None)
            other.close()
        one.close()


def both_of(simulator):
    return simulator.commands, simulator.wait_for(r"commands by network B at (\S+)").group(1)


def run_of(name, *more, connect=lambda simulator: [simulator.commands], during=lambda simulator, dp: None):
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "30", "--summary", path(name + ".json"), "--hashes", path(name + ".hashes"), *more)
    ends = connect(simulator)
    dp = Program(SAGBEND_DP, JLAY_DP, *[word for end in ends for word in ("--connect", end)])
    during(simulator, dp)
    check(simulator.end() == 0, name, simulator.stderr(), dp.stderr())
    check(dp.end() == 0, name + ": sagbend-dp", dp.stderr())
    summary = load(name + ".json")
    check(summary["commands"]["refused"] == 0, name + ": nothing is refused", summary["commands"])
    return summary, hashes(name + ".hashes"), dp.stderr()


def test_lockstep():
    one, bits, _ = run_of("one")
    check("networks" not in one, "one network has no counts of two")
    both, bits_of_both, said = run_of("both", *TWO, connect=both_of)
    check(bits == bits_of_both, "two networks change no bit")
    count = both["commands"]["accepted"]
    networks = both["networks"]
    check(count == one["commands"]["accepted"] and sum(n["messages"] for n in networks) >= 2 * count - 40, "each command came by both", networks)
    check(sum(n["messages_doubled"] for n in networks) >= count - 40 and both["commands"]["changes_of_command"] == 1, "and acted once", networks)
    check(re.search(r"network A: \d+ messages sent, \d+ received", said) and re.search(r"network B: \d+ messages sent, \d+ received", said), "counts of sagbend-dp", said)
    cables = []

    def by_cables(simulator):
        cables[:] = [Cable(end) for end in both_of(simulator)]
        return [cable.endpoint for cable in cables]

    def cut_in_turn(simulator, dp):
        for cable, name in ((cables[0], "A"), (cables[1], "B"), (cables[0], "A")):
            simulator.wait_for_telemetry("timing", lambda m: all(n.messages > 5 and not n.lost for n in m.network))
            cable.is_cut = True
            dp.wait_for(f"network {name} brings nothing")
            simulator.wait_for(f"network_lost.*network {name} brings no commands")
            cable.is_cut = False
            dp.wait_for(f"network {name} brings messages again")
            simulator.go_on(20)

    slow = ["--duration", "0"]
    simulator = Simulator(JLAY, "--mode", "lockstep", "--summary", path("cut.json"), "--hashes", path("cut.hashes"), *TWO, *slow)
    dp = Program(SAGBEND_DP, JLAY_DP, *[word for end in by_cables(simulator) for word in ("--connect", end)])
    cut_in_turn(simulator, dp)
    simulator.signal()
    check(simulator.end() == 0 and dp.end() == 0, "one network at a time is enough", simulator.stderr(), dp.stderr())
    cut, bits_of_cut = load("cut.json"), hashes("cut.hashes")
    check(cut["commands"]["refused"] == 0, "nothing is refused", cut["commands"])
    check(bits_of_cut[:len(bits)] == bits[:len(bits_of_cut)], "no bit differs while one network is away")


def test_one_is_enough():
    """A simulator with two networks and a controller of one; a network whose simulator is another one."""
    simulator = Simulator(JLAY, "--mode", "lockstep", "--duration", "5", "--summary", path("b.json"), *TWO)
    dp = Program(SAGBEND_DP, JLAY_DP, "--connect", both_of(simulator)[1])
    check(simulator.end() == 0 and dp.end() == 0, "by B alone", simulator.stderr(), dp.stderr())
    networks = load("b.json")["networks"]
    check(networks[0]["messages"] == 0 and networks[1]["messages"] > 10 and networks[1]["messages_doubled"] == 0, "counts", networks)
    first, other = (Simulator(JLAY, "--duration", "0", *TWO, *PATIENT, *ANY_LAG) for _ in range(2))
    dp = Program(SAGBEND_DP, JLAY_DP, "--connect", first.commands, "--connect", both_of(other)[1])
    dp.wait_for("network . leads to session .*, network . to session")
    for program in (dp, first, other):
        program.signal()
        program.end()


def test_pair():
    """A pair in hot standby by both networks: A ends, then B, and then, while A is away again, the one in command."""
    links = ["--set", f"pair.listen=ipc://{path('pa')}", "--set", f"pair.other=ipc://{path('pb')}"], ["--set", f"pair.listen=ipc://{path('pb')}", "--set", f"pair.other=ipc://{path('pa')}"]
    simulator = Simulator(os.path.join(SOURCE, "configs/osv-83m-pair.yaml"), "--mode", "lockstep", "--duration", "0", "--summary", path("pair.json"), *TWO)
    cables = [Cable(end) for end in both_of(simulator)]
    a, b = (controller(simulator, "--connect", cables[1].endpoint, *link, endpoint=cables[0].endpoint, config=os.path.join(SOURCE, f"configs/osv-83m-pair-{name}-dp.yaml"))
            for name, link in zip("ab", links))
    b.wait_for("follows dp-a")
    for cable, name, is_away_for_long in ((cables[0], "A", False), (cables[1], "B", False), (cables[0], "A", True)):
        since = len(simulator.stderr())
        simulator.wait_for_telemetry("timing", lambda m: all(n.messages > 5 and not n.lost for n in m.network))
        cable.is_cut = True
        until(lambda: all(f"network {name} brings no commands of {dp}" in simulator.stderr()[since:] for dp in ("dp-a", "dp-b")), f"{name} is lost for both", simulator.stderr)
        simulator.go_on(20)
        if not is_away_for_long:
            cable.is_cut = False
            until(lambda: all(f"network {name} brings commands of {dp}" in simulator.stderr()[since:] for dp in ("dp-a", "dp-b")), f"{name} is there", simulator.stderr)
    check("controller_gone" not in simulator.stderr(), "a network that ends as soon as the other one is back makes nobody forgotten", simulator.stderr())
    a.kill()
    gone = simulator.wait_for(r"dp-b commands in place of dp-a \(loss\).*; the thrust asked for stepped by (\S+) kN and \S+ kN m so far, before by at most (\S+) kN")
    check(float(gone.group(1)) <= 1.5 * float(gone.group(2)), "without a step", gone.group())
    simulator.go_on(300)
    simulator.signal()
    check(simulator.end() == 0 and b.end() == 0, "end", simulator.stderr(), b.stderr())
    summary = load("pair.json")
    check(summary["commands"]["refused"] == summary["commands"]["split_brain"] == 0 and summary["changeovers"]["changeovers"] == 1, "nothing is refused", summary["commands"])


class Raw:
    """A controller on one network; its numbers and sentences are the test's."""

    def __init__(self, endpoint, name):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(endpoint)
        self.name, self.session, self.step = name, "", 0
        self.send("hello", 1)
        self.wait("welcome")

    def send(self, kind, sequence, surge=0.0, change=lambda command: None):
        envelope = envelope_pb2.Envelope()
        message = getattr(envelope, kind)
        message.header.protocol, message.header.sequence, message.controller_id = 1, sequence, self.name
        if kind == "hello":
            message.name = self.name
        else:
            message.header.session, message.based_on_step = self.session, self.step
            message.wrench.surge_n = surge
            message.wrench.sway_n = message.wrench.yaw_nm = 0.0
            change(message)
        self.socket.send(envelope.SerializeToString())

    def wait(self, kind):
        while True:
            check(self.socket.poll(1000 * PATIENCE_S), f"{self.name}: no {kind}")
            envelope = envelope_pb2.Envelope.FromString(self.socket.recv())
            found = envelope.WhichOneof("message")
            self.session = envelope.welcome.header.session if found == "welcome" else self.session
            self.step = envelope.sensors.header.step if found == "sensors" else self.step
            if found == kind:
                return envelope


def test_begins_again():
    """A controller begins again over A while its old connection over B stands; each refusal counts once; which network is lost belongs to one controller."""
    simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", *TWO, *PATIENT, *ANY_LAG, "--set", "network.timing_period_s=0.1")
    a, b = both_of(simulator)
    old = [Raw(a, "dp"), Raw(b, "dp")]

    def timing(is_there):
        return simulator.wait_for_telemetry("timing", is_there)

    for sequence in range(2, 12):
        old[0].wait("sensors")
        old[1].step = old[0].step
        for peer in old:
            peer.send("command", sequence, float("nan") if sequence > 6 else 0.0)
    now = timing(lambda m: [n.messages for n in m.network] == [10, 10])
    check(now.commands_accepted == 5 and now.commands_refused == 5, "five with NaN are refused once each", now)
    new = Raw(a, "dp")
    for sequence in range(2, 5):
        new.wait("sensors")
        new.send("command", sequence)
    timing(lambda m: m.commands_accepted == 8)
    other = [Raw(a, "other"), Raw(b, "other")]  # not in command, and alive on both
    sequence = 5
    while not timing(lambda m: True).network[1].lost:
        for _ in range(10):
            new.wait("sensors")
            other[0].step = other[1].step = new.step
            for peer in (new, *other):
                peer.send("command", sequence)
            sequence += 1
    check(simulator.stderr().count("network_lost: ") == 1 and "network_again: " not in simulator.stderr(), "B is lost for one controller, once", simulator.stderr())
    check("network B brings no commands of dp" in simulator.stderr(), "by name", simulator.stderr())
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())


def test_counts_once():
    """Whatever is wrong with a command, its copy by the other network is not refused, nor kept away, a second time."""
    simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", *TWO, *PATIENT, *ANY_LAG, "--set", "network.timing_period_s=0.1", "--summary", path("once.json"), "--log", path("once.mcap"),
                          "--set", "controller={kind: external}", "--set", "controllers=[{name: dp, rank: 1}, {name: two, rank: 2}]")
    ends = both_of(simulator)
    peers = [Raw(end, "dp") for end in ends]

    def timing(is_there):
        return simulator.wait_for_telemetry("timing", is_there)

    def send(sequence, change=lambda command: None):
        peers[0].wait("sensors")
        peers[1].step = peers[0].step
        for peer in peers:
            peer.send("command", sequence, change=change)

    wrong = {"hand-over to nobody": lambda c: setattr(c, "hand_over", "nobody"),
             "an alarm of nothing": lambda c: c.alarm.add(source="nothing", kind=1, severity=2, text="it"),
             "no effort": lambda c: c.ClearField("wrench"),
             "a step that is to come": lambda c: setattr(c, "based_on_step", 10**9),
             "beyond the limits": lambda c: setattr(c.wrench, "surge_n", 1e12),
             "another session": lambda c: setattr(c.header, "session", "other"),
             "another protocol": lambda c: setattr(c.header, "protocol", 9)}
    sequence, sent = 10, 0
    for count, (what, change) in enumerate([*wrong.items(), ("an old number", None), ("the newest number again", lambda c: None)], 1):
        sequence += 1
        send(sequence) if what == "the newest number again" else None
        send(sequence if change else 5, change or (lambda c: None))
        sequence += 1
        send(sequence)
        sent += 2 + (what == "the newest number again")
        now = timing(lambda m: all(n.messages >= sent for n in m.network) or m.commands_refused > count)
        check(now.commands_refused == count, what + ": refused once", now)
    now = timing(lambda m: m.commands_accepted > count)
    check(now.commands_accepted == count + 1 and all(n.messages == sent for n in now.network), "the others act once", now)
    simulator.ctl("fault", "controller_silent", "--target", "dp")
    simulator.go_on(3)
    for number in range(sequence + 1, sequence + 6):  # it gets no Sensors either
        for peer in peers:
            peer.send("command", number)
    timing(lambda m: all(n.messages == sent + 5 for n in m.network))
    peers[0].name = "another"  # with another id, over the same connection
    peers[0].send("hello", 1)
    peers[0].wait("welcome")
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    status, out, err = run("log", "cat", path("once.mcap"), "--topic", "/event")
    told = [json.loads(line)["message"]["text"] for line in out.splitlines() if '"controller_' in line]
    check(told[-2:] == ["dp (number 1) has gone", "another (number 2) joined"], "who had the connection has gone", told, err)
    commands = load("once.json")["commands"]
    check(commands["kept_away"] == 5, "kept away once each", commands)
    check(commands["refused"] == count, "nothing else is refused", commands)


def test_both_end():
    """When both networks bring nothing neither is good, also when the controller has been forgotten."""
    simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0", *TWO, *ANY_LAG, "--set", "network.timing_period_s=0.1")
    peers = [Raw(end, "dp") for end in both_of(simulator)]
    for sequence in range(2, 7):
        peers[0].wait("sensors")
        peers[1].step = peers[0].step
        for peer in peers:
            peer.send("command", sequence)
    simulator.wait_for_telemetry("timing", lambda m: all(n.messages == 5 and n.lost for n in m.network))
    until(lambda: not json.loads(run("ctl", simulator.commands, "status", "--json")[1]).get("peer"), "the controller is forgotten", every=0.2)
    simulator.wait_for_telemetry("timing", lambda m: all(n.lost for n in m.network))
    for name, other in ("AB", "BA"):
        check(f"network {name} brings no commands, and network {other} does not either" in simulator.stderr(), "it is said", simulator.stderr())
    Raw(simulator.commands, "dp").send("command", 2)
    simulator.wait_for_telemetry("timing", lambda m: [n.lost for n in m.network] == [False, True])
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())


def test_what_is_wrong():
    for settings, words in ((["network.command_endpoint_b=tcp://127.0.0.1:47700"], "an endpoint different from command_endpoint expected"),
                            (["network.command_endpoint_b=tcp://localhost:47700"], "an endpoint different from command_endpoint expected"),
                            (["network.command_endpoint_b=udp://127.0.0.2:1"], "network.command_endpoint_b")):
        status, _, err = run("check", JLAY, *[w for s in settings for w in ("--set", s)])
        check(status == 2 and words in err, f"{settings}: {words}", err)
    status, _, err = run(JLAY_DP, "--connect", "tcp://127.0.0.1:1", "--connect", "tcp://127.0.0.1:2", "--connect", "tcp://127.0.0.1:3", program=SAGBEND_DP)
    check(status == 2 and "at most twice" in err, "three networks", err)
    status, _, err = run(JLAY_DP, "--connect", "tcp://127.0.0.1:1", "--connect", "tcp://127.0.0.1:1", program=SAGBEND_DP)
    check(status == 2 and "another endpoint for network B" in err, "one network twice", err)


test_lockstep()
test_one_is_enough()
test_begins_again()
test_counts_once()
test_pair()
test_both_end()
test_what_is_wrong()
