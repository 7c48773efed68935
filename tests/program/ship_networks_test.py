"""Two networks A and B (docs/ship-network.md) between real processes, in a network namespace with nothing but the loopback interface: 127.0.0.1 is network A,
127.0.0.2 network B. Everything is sent by both with one line count; what comes by either acts once; the loss of one is said and loses nothing; a storm on
one leaves the other as it is.

ship_networks_test.py BUILD SOURCE"""
import namespace

namespace.enter()
import multiprocessing

from harness import *
from ship_network import *

CASE = os.path.join(SOURCE, "configs/osv-83m-450.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-450-dp.yaml")
A, B = "127.0.0.1", "127.0.0.2"
TWO = ["--set", f"nmea.network.interface_b={B}", "--set", "network.timing_period_s=0.1", *PATIENT, *ANY_LAG]
TOKEN = b"UdPbC\0"


def timing(simulator, holds=lambda m: True):
    return simulator.wait_for_telemetry("timing", holds)


class Sender:
    """A controller with one source on both networks."""

    def __init__(self, source="DP0001"):
        self.source, self.count, self.by = source, 0, {A: Group("PROP", A), B: Group("PROP", B)}

    def send(self, *networks):
        self.count = self.count % 999 + 1
        for network in networks:
            source = f"s:{self.source}," if self.source else ""
            self.by[network].send(TOKEN + trc(f"{source}n:{self.count}", 1, 40 + self.count % 7))


def by_network(group):
    """The datagrams of a group by the address that they come from."""
    found = {A: [], B: []}
    for data, address in group.with_addresses():
        found[address].append(data)
    return found


def sent_by_both():
    heard = Group("SATD")
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "20", "--summary", path("both.json"), *TWO)
    dp = controller(simulator, "--set", f"nmea.interface_b={B}", config=DP)
    check(simulator.end() == 0, "sagbend-dp commands", simulator.stderr(), dp.stderr())
    check(dp.end() == 0, "sagbend-dp ends", dp.stderr())
    taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", dp.stderr()).groups())
    check(taken > 1800 and refused == 0, "each measurement counts once", taken, dp.stderr())
    found = by_network(heard)
    check(len(found[A]) > 100 and found[A] == found[B][:len(found[A])] or found[B] == found[A][:len(found[B])], "both networks have the same datagrams in the same order")
    counted(found[B], 10**6)
    networks = load("both.json")["networks"]
    check([n["network"] for n in networks] == ["A", "B"] and networks[0]["sent"] == networks[1]["sent"] > 1000 and networks[1]["not_sent"] == 0, "counts", networks)


def taken_once():
    simulator = Simulator(CASE, "--duration", "0", "--summary", path("once.json"), *TWO)
    simulator.wait_for("NMEA commands at")
    sender, lines = Sender(), 0

    def send(count, *networks):
        nonlocal lines
        for _ in range(count):
            sender.send(*networks)
            lines += 1
            now = timing(simulator, lambda m: m.commands_from_buses >= lines)
            check(now.commands_from_buses == lines, "no command acts twice", now)

    send(5, A, B)
    now = timing(simulator, lambda m: [n.lines for n in m.network] == [5, 5])
    check((now.nmea_lines, now.nmea_lines_lost, now.nmea_lines_doubled, now.nmea_lines_late) == (10, 0, 0, 0) and not any(n.lost for n in now.network), "counts of both", now)
    send(1, A)  # each network loses lines that the other one has
    send(1, B)
    send(1, A, B)
    now = timing(simulator, lambda m: [n.lines for n in m.network] == [7, 7])
    check(sum(n.lines_doubled for n in now.network) == 6 and now.commands_from_buses == 8, "lines are those that act and those that are doubled", now)
    check([n.lines_lost for n in now.network] == [1, 1] and now.nmea_lines_lost == 0, "each has lost one, nothing is lost", now)
    check("network_" not in simulator.stderr(), "a line that is lost is no loss of a network", simulator.stderr())
    while not timing(simulator).network[0].lost:
        send(1, B)
    simulator.wait_for("network A brings nothing to the input PROP, and network B does")
    send(1, A, B)
    simulator.wait_for("network A brings lines to the input PROP again")
    while not timing(simulator).network[1].lost:
        send(1, A)
    simulator.wait_for("network B brings nothing to the input PROP, and network A does")
    send(2, A, B)
    sender.by[B] = Group("PROP", B)  # from another port: the same controller
    send(3, A, B)
    simulator.wait_for(r"nmea_moved.*DP0001")
    now = timing(simulator, lambda m: not any(n.lost for n in m.network))
    check(now.nmea_lines_lost == 0 and now.nmea_lines_late == 0 and now.commands_refused == 0, "nothing is lost", now)
    page = run("ctl", simulator.commands, "status")
    check(page[0] == 0, "status", page)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    summary = load("once.json")
    check(summary["field_buses"]["commands"] == lines and summary["commands"]["changes_of_command"] == 1, "one controller, each command once", summary["field_buses"])


def without_source():
    """A sender that names no source has another address on each network, and is one controller. When both networks bring nothing, neither is good."""
    simulator = Simulator(CASE, "--duration", "0", "--summary", path("plain.json"), *TWO, "--set", "nmea.inputs.0.sources=null", "--set", "network.command_timeout_s=2")
    simulator.wait_for("NMEA commands at")
    sender, lines = Sender(""), 0
    for networks in [(A, B)] * 4 + [(B,)] * 3 + [(A,)] * 3 + [(B, A)] * 3:
        sender.send(*networks)
        lines += 1
        now = timing(simulator, lambda m: m.commands_from_buses >= lines or m.commands_refused)
        check((now.commands_from_buses, now.commands_refused) == (lines, 0), "one controller by either", networks, now)
    timing(simulator, lambda m: all(n.lost for n in m.network))
    simulator.wait_for("network A brings nothing to the input PROP, and network B does not either")
    simulator.wait_for("network B brings nothing to the input PROP, and network A does not either")
    sender.send(B)
    timing(simulator, lambda m: m.network[0].lost and not m.network[1].lost)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    check(load("plain.json")["commands"]["changes_of_command"] <= 2, "one controller")  # it comes again after its time-out


def storm(place, data, out, ready, end):
    """Datagrams as fast as they go."""
    ready.set()
    sent = 0
    while not end.is_set():
        for one in data:
            try:
                out.sendto(one, place)
                sent += 1
            except OSError:  # no buffers
                pass


def a_storm_on_a():
    """Garbage, a source that nobody reads, and one line of the controller again and again. By B comes everything meanwhile, and each of its commands acts."""
    simulator = Simulator(CASE, "--duration", "0", *TWO)
    simulator.wait_for("NMEA commands at")
    sender = Sender()
    sender.send(A, B)
    timing(simulator, lambda m: m.commands_from_buses == 1)
    data = [b"RaUdP\0" + bytes(1400), TOKEN + line("s:XX0001,n:1", "HEHDT,1.0,T") * 20, TOKEN + trc("s:DP0001,n:1", 1, 41)]
    ready, end = multiprocessing.Event(), multiprocessing.Event()
    wild = multiprocessing.Process(target=storm, args=(GROUPS["PROP"], data, sender.by[A].out, ready, end), daemon=True)
    wild.start()
    ready.wait()
    before = timing(simulator, lambda m: m.network[0].dropped > 1000)
    for n in range(2, 102):
        sender.send(B)
        timing(simulator, lambda m, n=n: m.commands_from_buses >= n)
    now = timing(simulator)
    end.set()
    wild.join()
    check(now.commands_from_buses == 101 and now.commands_refused == 0, "each command by B acts, once", now)
    check(now.network[1].lines == 101 and now.network[1].lines_lost == now.network[1].dropped == 0, "all of B arrives", now)
    check(now.network[0].dropped > before.network[0].dropped, "A has a storm", now)
    wall_s = (now.step_end_ns - before.step_end_ns) * 1e-9
    read = now.network[0].lines - before.network[0].lines + now.nmea_passed_over - before.nmea_passed_over
    check(read < (16000 * wall_s + 1000) * 22, "what is read of a storm is bounded", read, wall_s)
    worst = now.worst_late_step
    check(worst.cause in ("", "wake_up", "log", "checkpoint", "hand_over") or now.preemptions > before.preemptions or now.late_steps == before.late_steps,
          "no step is late because of its own work", now)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())


def what_is_wrong():
    for settings, words in ((["nmea.network.interface_b=127.0.0.1"], "an address different from nmea.network.interface"),
                            (["nmea.network.interface_b=eth1"], "nmea.network.interface_b: the numeric IPv4 address of an interface"),
                            (["nmea.network.interface_b=192.0.2.77"], "or senders, expected")):
        status, _, err = run("check", CASE, *[w for s in settings for w in ("--set", s)])
        check(status == 2 and words in err, f"{settings}: {words}", err)
    status, _, err = run(DP, "--set", "nmea.interface_b=127.0.0.1", program=SAGBEND_DP)
    check(status == 2 and "nmea.interface_b: an address different from nmea.interface" in err, "network B of a DP file", err)
    status, _, err = run("run", CASE, *ANY_PORT, "--set", "nmea.network.interface_b=198.51.100.77", "--set", "nmea.inputs.0.senders=any")
    check(status != 0 and "198.51.100.77" in err and "nmea.network.interface_b" in err, "an interface that is not there", err)


def modbus_by_both_in_lockstep(keys, client):
    """Each sample has one answer, whichever network brings it first: the bits are those of A alone."""
    from modbus_link import number, words
    with open(path("registers.yaml"), "w") as file:
        file.write(f"""extends: {os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")}
modbus:
  registers:
    - {{table: input, address: 0, type: uint32, signal: session.step}}
    - {{table: holding, address: 0, type: uint32, signal: command.based_on_step}}
    - {{table: holding, address: 2, type: float32, signal: thruster.bow_tunnel_1.revolutions_set_rpm}}
""")
    bits = {}
    for name, first, other in (("a", 0, None), ("both", 0, 1), ("b first", 1, 0)):
        simulator = Simulator(path("registers.yaml"), "--mode", "lockstep", "--duration", "4", "--summary", path("m.json"), "--hashes", path("m.hashes"), *keys,
                              "--set", "simulation.step_s=0.05", "--set", "pipe.elements=20")
        masters = [client(at, port=int(simulator.wait_for(what + r" at tcp://[\d.]+:(\d+)").group(1)), source_address=(host, 0), timeout=PATIENCE_S, retries=0)
                   for at, what, host in ((A, "Modbus TCP", A), (B, "Modbus TCP by network B", "127.0.0.5"))]
        for master in masters:
            check(master.connect(), "it connects", simulator.stderr())
        last, sample, late = -1, 0, 0
        while sample < 40:
            step = number("uint32", masters[first].read_input_registers(0, 2, slave=1).registers)
            if step == last or step % 2:  # a sample is every second step
                continue
            last, sample, begin = step, sample + 1, time.monotonic()
            request = words("uint32", step) + words("float32", 20 + sample // 10)
            check(not masters[first].write_registers(0, request, slave=1).isError(), "the answer to a sample", name, sample, simulator.stderr())
            if other is not None and sample < 40:  # with the last one the session ends
                copy = masters[other].write_registers(0, request, slave=1)
                late += time.monotonic() - begin > 0.4  # then it may be no copy, and too late
                check(not copy.isError() or late, "its copy", name, sample, copy, simulator.stderr())
        check(simulator.end() == 0, "a session by Modbus on two networks", simulator.stderr())
        bits[name], summary = hashes("m.hashes"), load("m.json")
        commands, copies = summary["commands"], [n["requests_doubled"] for n in summary["networks"]]
        check(commands["accepted"] == 40 and commands["refused"] <= late, "each sample has one answer", name, commands)
        check(sum(copies) == 0 if other is None else copies[other] >= 39 - late and copies[first] == 0, "copies", name, copies)
    check(bits["a"] == bits["both"] == bits["b first"] and len(bits["a"]) > 70, "two networks change no bit")


def modbus_by_both():
    """One master with an address on each network: what it writes on both counts once, on either it acts; the state of both is shown, and faults act."""
    from modbus_link import BUSY, VALUE, Master, ModbusTcpClient, map_of
    keys = ["--set", f"modbus.endpoint=tcp://{A}:*", "--set", f"modbus.endpoint_b=tcp://{B}:*", "--set", f"modbus.masters={A}=127.0.0.5"]
    simulator = Simulator(CASE, "--duration", "0", "--summary", path("modbus.json"), *TWO, *keys)
    ports = [int(simulator.wait_for(words + r" at tcp://[\d.]+:(\d+)").group(1)) for words in ("Modbus TCP", "Modbus TCP by network B")]
    names = map_of(CASE, *keys)

    class MasterBy(Master):
        def __init__(self, network, host, timeout=PATIENCE_S):
            self.map, self.unit = names, 1
            self.client = ModbusTcpClient(network, port=ports[network == B], source_address=(host, 0), timeout=timeout, retries=0)
            check(self.client.connect(), f"{host} connects to {network}", ports, simulator.stderr())

    bow = "thruster.bow_tunnel_1.revolutions_set_rpm"
    a, b, other = MasterBy(A, A), MasterBy(B, "127.0.0.5"), MasterBy(B, "127.0.0.6")

    sent = 0

    def counts():
        return timing(simulator, lambda m: sum(n.requests for n in m.network) >= sent)

    def write(rpm, *masters):
        """Writes within the time of a copy; a machine that is too busy for it tries again. What was counted before and is now, and the answers."""
        nonlocal sent
        while True:
            before, begin = counts(), time.monotonic()
            answers = [m.write({bow: rpm}) for m in masters]
            sent += len(masters)
            if time.monotonic() - begin < 0.4:
                now = counts()
                return now.commands_from_buses - before.commands_from_buses, [n.requests_doubled - o.requests_doubled for n, o in zip(now.network, before.network)], answers
            time.sleep(0.6)

    check(write(40, a, b) == (1, [0, 1], [0, 0]), "a write on both counts once", counts())
    check(write(41, b) == (1, [0, 0], [0]) and a.read(bow) == b.read(bow) == 41, "a write on B acts, and both read it", simulator.stderr())
    sent += 2
    check(write(41, b, b, a) == (2, [1, 0], [0, 0, 0]), "the same on one network acts each time, and comes by the other one as a copy", counts())
    refused = counts().commands_refused
    check(write(1e9, a, b) == (0, [0, 1], [VALUE, VALUE]), "what is refused", counts())
    check(write(10, other) == (0, [0, 0], [BUSY]), "another master", counts())
    check(counts().commands_refused == refused + 2, "a copy is refused once", counts())
    while not timing(simulator).network[1].lost:
        check(a.beat() == 0, "a sign of life")
    simulator.wait_for("network B brings no requests of modbus:127.0.0.1, and network A does")
    check(b.beat() == 0, "B again")
    simulator.wait_for("network B brings requests of modbus:127.0.0.1 again")
    check(run("ctl", simulator.commands, "fault", "network_cut", "--target", "A", "--name", "cut")[0] == 0, "the fault")
    late = MasterBy(A, A, timeout=1)
    until(lambda: late.client.read_holding_registers(names[bow][1], 2, slave=1).isError(), "nothing passes A", simulator.stderr)
    before = timing(simulator).network[0].requests
    check(late.client.read_holding_registers(names[bow][1], 2, slave=1).isError() and timing(simulator).network[0].requests == before, "requests are lost")
    count = timing(simulator).commands_from_buses
    check(b.write({bow: 42}) == 0, "B carries on")
    timing(simulator, lambda m: m.commands_from_buses == count + 1)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    networks = load("modbus.json")["networks"]
    check(networks[0]["requests_doubled"] >= 1 and networks[1]["requests_doubled"] >= 2, "the summary", networks)
    modbus_by_both_in_lockstep(keys, ModbusTcpClient)
    for key, value, words in (("endpoint_b", f"tcp://{A}:1502", "an endpoint different from modbus.endpoint expected"), ("masters", "127.0.0.5", "needs modbus.endpoint_b"),
                              ("endpoint_b", "tcp://198.51.100.7:1502", "or modbus.clients, expected")):
        status, _, err = run("check", CASE, "--set", f"modbus.endpoint=tcp://{A}:1502", "--set", f"modbus.{key}={value}")
        check(status == 2 and words in err, words, err)


def shipped_case():
    """The shipped case by the shipped controller, and its trials: what happens to one network changes no bit, two runs at a time."""
    folder = os.path.join(SOURCE, "configs")
    case = os.path.join(folder, "osv-83m-networks.yaml")
    simulator = Simulator(case, "--mode", "lockstep", "--duration", "20", "--summary", path("case.json"), "--bind-command-b", f"tcp://{B}:*", "--bind-telemetry-b", f"tcp://{B}:*")
    by_b = simulator.wait_for(r"commands by network B at (\S+)").group(1)
    dp = controller(simulator, "--connect", by_b, config=os.path.join(folder, "osv-83m-networks-dp.yaml"))
    check(simulator.end() == 0 and dp.end() == 0, "sagbend-dp holds position", simulator.stderr(), dp.stderr())
    networks = load("case.json")["networks"]
    check(all(n["messages"] > 190 and n["sent"] > 1000 for n in networks) and "network_lost" not in simulator.stderr(), "both carry everything", networks)
    kept = ["network-A/cut", "network-B/sends_only", "network-A/repeat"]
    with open(path("networks.yaml"), "w") as file:
        file.write(f"extends: {folder}/trials/osv-83m-networks.yaml\nbase: {case}\nonly: {json.dumps(kept)}\nsettle_s: 15\nhidden_lead_s: 5\nfailure_s: 10\nrecover_s: 5\nback: {{within_s: 5}}\n"
                   "set: {pipe.elements: 20, simulation.step_s: 0.1}\n")
    status, out, err = run("trials", path("networks.yaml"), "--no-pdf", "--out", path("trials"), "--jobs", "2")
    check(os.path.exists(path("trials/results.json")), "trials", status, out, err)
    runs = load("trials/results.json")["runs"]
    check({r["id"] for r in runs} == {f"{name}@S1" for name in ("none", *kept)}, "its runs", runs)
    bits = {r["id"]: {key: value for key, value in r["metrics"].items() if key != "added_m"} for r in runs}
    check(all(m == bits["none@S1"] for m in bits.values()), "the other network carries on without a change of a bit", bits)
    check(all(c["result"] != "fail" for r in runs for c in r["criteria"] if c["name"] in ("controller", "limits", "judged")), "held", runs)


shipped_case()
modbus_by_both()
sent_by_both()
taken_once()
without_source()
a_storm_on_a()
def one_device():
    """Two addresses of one device are one network."""
    for address in ("192.0.2.10/24", "192.0.2.11/24"):
        namespace.ip("addr", "add", address, "dev", "lo")
    status, _, err = run("run", CASE, *ANY_PORT, "--set", "nmea.network.interface=192.0.2.10", "--set", "nmea.network.interface_b=192.0.2.11", "--set", "nmea.inputs.0.senders=any")
    check(status == 2 and "an address of another device expected, got 192.0.2.11, which is of lo like" in err, "one device", err)


what_is_wrong()
one_device()
