"""Sentences over multicast (IEC 61162-450) between real processes, in a network namespace with nothing but the loopback interface: the shipped case is
held by controllers that read groups; a receiver that was written from the public facts alone finds token, TAG blocks and line counts as they are; what
is wrong, lost, doubled or late is counted by its name.

ship_network_test.py BUILD SOURCE"""
import namespace

namespace.enter()
import shlex

from harness import *
from ship_network import *

CASE = os.path.join(SOURCE, "configs/osv-83m-450.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-450-dp.yaml")
LAW = os.path.join(SOURCE, "docs/examples/dp_450.py")
HELD = ["--set", "verdicts=[{name: held, quantity: offset_m, below: 3, from_s: 60}]"]


def held_by_groups_alone():
    """dp_450.py reads and commands in groups and knows no other way to the simulator."""
    satd, prop = Group("SATD"), Group("PROP")
    satd.collect()
    prop.collect()
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "100", "--summary", path("law.json"), "--log", path("law.mcap"), *HELD)
    law = Program(sys.executable, LAW)
    check(simulator.end() == 0, "the law holds position by groups alone", simulator.stderr(), law.stderr())
    law.kill()
    datagrams, without_room = satd.collected()
    own = counted(datagrams, without_room)
    check(set(own) >= {"GP0001", "GP0002", "GP0003", "HE0001", "HE0002", "HE0003"}, "sources", own.keys())
    check({i[:5] for _, i in own["HE0001"]} == {"HEHDT", "HETHS", "HEROT"} and len(own["HE0001"]) > 900 - without_room, "the gyro's sentences", len(own["HE0001"]))
    datagrams, without_room = prop.collected()
    feedback = counted((d for d in datagrams if b"s:RC0001" in d), without_room)
    check(all(p["d"] == "DP0001" for p, _ in feedback["RC0001"]), "the destination")
    summary = load("law.json")
    groups = summary["field_buses"]["nmea_groups"]
    check(groups["lines"] > 3000 and groups["lost"] == groups["doubled"] == groups["late"] == groups["incomplete"] == 0, "nothing is lost", groups)
    check(groups["own"] > 3000, "the simulator knows what it has sent itself", groups)
    check(summary["commands"]["refused"] == 0, "nothing is refused", summary["commands"])
    status, out, err = run("replay", path("law.mcap"), "--verify")
    check(status == 0, "it replays", out, err)


def held_by_the_example():
    """docs/examples/connect/hold_450.py, as docs/connect.md starts it."""
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "120", "--summary", path("example.json"))
    example = Program("/usr/bin/python3", os.path.join(SOURCE, "docs/examples/connect/hold_450.py"))
    check(simulator.end() == 0, "the example answers each sample", simulator.stderr(), example.stderr())
    example.kill()
    summary = load("example.json")
    check(summary["vessel"]["offset_m"] < 1 and abs(summary["vessel"]["heading_error_deg"]) < 1, "the example holds the vessel", summary["vessel"])
    commands, groups = summary["commands"], summary["field_buses"]["nmea_groups"]
    check(commands["accepted"] == 1200 and commands["refused"] == commands["lost"] == 0, "each sample has its command", commands)
    check(4700 < groups["lines"] <= 4 * 1200 and groups["lost"] == groups["doubled"] == groups["incomplete"] == 0, "four lines a command, none lost", groups)


def held_by_sagbend_dp():
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "100", "--summary", path("dp.json"), *HELD)
    dp = controller(simulator, config=DP)
    check(simulator.end() == 0, "sagbend-dp holds position", simulator.stderr(), dp.stderr())
    check(dp.end() == 0, "sagbend-dp ends", dp.stderr())
    taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", dp.stderr()).groups())
    check(taken > 9000 and refused == 0 and "no position" not in dp.stderr(), "all measurements come by groups", dp.stderr())


def repeats():
    """In lockstep the sentences of a step stand before its Sensors: two runs have the same bits, whether the controller is there first or comes late."""
    quick = ["--set", "simulation.step_s=0.05", "--set", "pipe.elements=20"]
    for name in "first", "late":
        simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "20", "--hashes", path(name + ".hashes"), *quick)
        if name == "late":
            simulator.wait_for("waiting_for_response")  # sentences of the first step were sent more than once
        dp = controller(simulator, config=DP)
        check(simulator.end() == 0 and dp.end() == 0, "a run to repeat", simulator.stderr(), dp.stderr())
    for one, other in zip(hashes("first.hashes"), hashes("late.hashes")):
        check(one == other, "another state in the second run", one, other)


def an_intruder_in_a_group():
    """Who gives himself the source of a gyro that sends already is refused, also where more senders are in the group than sagbend-dp remembers."""
    simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "100", *HELD)
    heard, gyro, count = Group("SATD"), [], 0
    dp = controller(simulator, config=DP)
    until(lambda: gyro.extend(d for d in heard.all() if b"s:HE0001" in d) or len(gyro) > 50, "the gyro sends", simulator.stderr, dp.stderr)
    while simulator.process.poll() is None:
        count = count % 999 + 1
        heard.send(b"UdPbC\0" + line(f"s:HE0001,n:{count}", "HEHDT,170.0,T"))
        time.sleep(0.001)
    check(simulator.end() == 0, "sagbend-dp holds position beside an intruder", simulator.stderr(), dp.stderr())
    check(dp.end() == 0, "sagbend-dp ends", dp.stderr())
    taken, refused = map(int, re.search(r"telegrams: (\d+) taken, (\d+) refused", dp.stderr()).groups())
    check(taken > 9000 and refused > 0 and "telegrams of one sender expected, got one of another" in dp.stderr(), "the intruder is refused", taken, refused, dp.stderr())
    check("gyro-1 is rejected" not in dp.stderr(), "the gyro is still used", dp.stderr())


def what_is_wrong():
    prop = Group("PROP")
    simulator = Simulator(CASE, "--duration", "0", "--summary", path("wrong.json"), "--set", "network.timing_period_s=0.1", "--set", "network.command_timeout_s=600",
                          "--set", "network.command_max_age_s=600", *ANY_LAG)
    token = b"UdPbC\0"

    def timing(holds):
        return simulator.wait_for_telemetry("timing", holds)

    simulator.wait_for("NMEA commands at")
    prop.send(token + trc("s:DP0001,n:1", 1, 40))
    timing(lambda m: m.commands_from_buses >= 1)
    wrong = [(token[:5], "form"), (b"XdPbC\0" + trc("s:DP0001,n:2", 1, 41), "form"), (token + trc("s:DP0001,n:2", 1, 41).replace(b"*", b"", 1), "checksum"),
             (token + trc("s:DP0001,n:2", 1, 41)[:20], "form"), (token + b"\\s:DP0001,n:2*00\\" + sentence("IITRC,1,41,R,,,,B,C").encode(), "checksum"),
             (token + b"0" * 1500, "length"), (token + line("s:DP0001,n:x", "IITRC,1,41,R,,,,B,C"), "form"), (token + b"\\s:DP0001" + b"0" * 90 + b"*00\\$A", "length")]
    for i, (data, _) in enumerate(wrong, 1):
        prop.send(data)
        timing(lambda m, i=i: m.nmea_refused >= i)
    check(timing(lambda m: True).commands_from_buses == 1, "nothing wrong became a command")
    # A line that is lost, one that comes twice, one that comes late.
    for n in (3, 5, 5, 4, 6):  # 2 was that of the sentence that was cut
        prop.send(token + trc(f"s:DP0001,n:{n}", 1, 40 + n))
    last = timing(lambda m: m.commands_from_buses >= 4)
    check((last.nmea_lines_lost, last.nmea_lines_doubled, last.nmea_lines_late) == (0, 1, 1), "counts", last)
    prop.send(token + trc("s:DP0001,n:10", 1, 49))
    check(timing(lambda m: m.commands_from_buses >= 5).nmea_lines_lost == 3, "three lines were lost")
    simulator.wait_for("3 lines of DP0001")
    # Sentences that belong together: together, or not at all.
    prop.send(token + trc("g:1-2-5,s:DP0001,n:11", 1, 51))
    prop.send(token + trc("g:2-2-5,s:DP0001,n:12", 2, 52))
    timing(lambda m: m.commands_from_buses >= 6)
    refused = timing(lambda m: True).nmea_refused
    prop.send(token + trc("g:1-2-6,s:DP0001,n:13", 1, 51))
    check(timing(lambda m: m.nmea_refused > refused).nmea_incomplete == 1, "an incomplete group")
    # Of others: another source, other tokens, another group, a sentence that is no command.
    prop.send(token + trc("s:DP0002,n:1", 1, 60))
    prop.send(b"RaUdP\0binary")
    prop.send(token + line("s:DP0001,n:14", "IIHTD,A"))
    Group("TGTD").send(token + trc("s:DP0001,n:15", 1, 60))
    last = timing(lambda m: m.nmea_passed_over >= 3)
    check(last.commands_from_buses == 6 and last.nmea_own > 0, "what is not for the simulator is passed over", last)
    check(last.nmea_refused == refused + 1, "nothing but the incomplete group is refused: the simulator does not read itself", last)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    reasons = load("wrong.json")["field_buses"]["nmea_refused_by_reason"]
    check((reasons["form"], reasons["checksum"], reasons["length"], reasons["fields"]) == (4, 2, 2, 1), "reasons", reasons)


def an_interface_that_goes():
    """A dummy interface takes the place of the ship's network: it goes with its address, and comes back. A kernel without such interfaces
    has an address that goes."""
    has_dummy = subprocess.run(["ip", "link", "add", "ship", "type", "dummy"], capture_output=True).returncode == 0
    device = "ship" if has_dummy else "lo"

    def comes(first=False):
        if has_dummy and not first:
            namespace.ip("link", "add", "ship", "type", "dummy")
        namespace.ip("addr", "add", "192.0.2.10/24", "dev", device)
        namespace.ip("link", "set", device, "up")

    comes(first=True)
    network = ["--set", "nmea.network.interface=192.0.2.10", "--set", "nmea.inputs.0.senders=192.0.2.0/24", "--set", "network.timing_period_s=0.1"]
    simulator = Simulator(CASE, "--duration", "0", *network, *PATIENT, *ANY_LAG)
    token, count = b"UdPbC\0", [0]

    def command():
        try:
            count[0] += 1
            Group("PROP", "192.0.2.10").send(token + trc(f"s:DP0001,n:{count[0]}", 1, 40))
        except OSError:
            pass
        return True

    def commands():
        return simulator.wait_for_telemetry("timing", lambda m: True).commands_from_buses

    until(lambda: command() and commands() > 0, "commands by the interface", simulator.stderr, every=0.2)
    heard = Group("SATD", "192.0.2.10")
    until(lambda: heard.all(), "sentences by the interface", simulator.stderr)
    namespace.ip(*("link del ship" if has_dummy else "addr del 192.0.2.10/24 dev lo").split())
    simulator.wait_for("the interface 192.0.2.10 has gone")
    before = commands()
    comes()
    simulator.wait_for("the interface 192.0.2.10 is there again")
    until(lambda: command() and commands() > before, "commands after it has come back", simulator.stderr, every=0.2)
    heard = Group("SATD", "192.0.2.10")
    until(lambda: heard.all(), "sentences after it has come back", simulator.stderr)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())


def plain_multicast():
    """udp with a multicast address is joined; nothing is heard in silence."""
    simulator = Simulator(CASE, "--duration", "0", "--set", "nmea.inputs=[{udp: '239.192.0.8:60008'}]", "--set", "network.timing_period_s=0.1", *PATIENT, *ANY_LAG)
    until(lambda: Group("PROP").send(sentence("IITRC,1,40,R,,,,B,C").encode()) or simulator.wait_for_telemetry("timing", lambda m: True).commands_from_buses > 0,
          "a sentence by multicast", simulator.stderr, every=0.2)
    simulator.signal()
    check(simulator.end() == 0, "end", simulator.stderr())
    for settings, words in ((["nmea.inputs.0.sources=DP1"], "two capital letters and four digits"), (["nmea.ports.0.sfi=gyro"], "two capital letters and four digits"),
                            (["nmea.network.interface=eth0"], "the numeric IPv4 address of an interface"), (["nmea.network.interface=192.0.2.77"], "or senders, expected"),
                            (["nmea.inputs=[{udp: '239.192.0.8:*'}]"], "a port from 1 to 65535 of a multicast address"),
                            (["nmea.ports=[{group: SATD, udp: '127.0.0.1:10110', instruments: gyro-1}]"], "exactly one of udp, serial and group"),
                            (["nmea.inputs=[{group: PROP, sources: DP0001 DP0003}, {group: PROP, sources: DP0002 DP0003}]"], "a command would act twice"),
                            (["nmea.inputs=[{group: PROP, sources: DP0001}, {udp: '239.192.0.8:60008'}]"], "a command would act twice"),
                            (["nmea.ports.1.sfi=GP0001"], "an sfi different from that of nmea.ports.0 of the same group"),
                            (["nmea.ports=[{group: SHIP, instruments: gyro-1}]"], "one of 20 words expected, got 'SHIP'"),
                            (["nmea.ports=[{udp: '127.0.0.1:10110', sfi: HE0001, instruments: gyro-1}]"], "needs group")):
        status, _, err = run("check", CASE, *[w for s in settings for w in ("--set", s)])
        check(status == 2 and words in err, f"{settings}: {words}", err)
    status, out, err = run("check", CASE, "--set", "nmea.inputs=[{group: PROP, sources: DP0001}, {group: PROP, sources: DP0002}, {udp: '239.192.0.8:60009'}]")
    check(status == 0, "two inputs of one group with sources of their own", out, err)
    status, _, err = run(DP, "--set", "nmea.interface=eth0", program=SAGBEND_DP)
    check(status == 2 and "nmea.interface: the numeric IPv4 address of an interface" in err, "the interface of a DP file", err)
    status, _, err = run("run", CASE, *ANY_PORT, "--set", "nmea.network.interface=198.51.100.77", "--set", "nmea.inputs.0.senders=any")
    check(status != 0 and "198.51.100.77" in err and "nmea.network.interface" in err, "an interface that is not there", err)


def runs_at_once():
    """Two runs of a sweep at a time have groups of their own: each has the bits that it has alone, and nothing of the other. One is repeated by hand."""
    with open(path("groups.yaml"), "w") as file:
        file.write(f"""base: {CASE}
mode: lockstep
controller: {{command: [/usr/bin/python3, {LAW}, 127.0.0.1, '{{port_offset}}'], files: [{LAW}]}}
set: {{simulation: {{duration_s: 5, step_s: 0.05}}, pipe.elements: 20}}
vary: [{{name: wind, cases: [{{name: none}}, {{name: beam, set: {{environment.wind: {{speed_mps: 15, direction_deg: 90}}}}}}]}}]
""")
    beside = Simulator(CASE, "--duration", "0", *ANY_LAG)  # a session at the usual ports disturbs nobody
    for jobs in "2", "1":
        status, out, err = run("sweep", path("groups.yaml"), "--out", path("runs-" + jobs), "--jobs", jobs)
        check(status == 0, f"{jobs} runs at a time", out, err)
    beside.kill()
    tables = [open(path(f"runs-{jobs}/results.csv")).read() for jobs in "21"]
    check(tables[0] == tables[1] and len(set(re.findall(r"[0-9a-f]{16}", tables[0]))) == 2, "the same bits as one at a time", *tables)
    for point in range(1, 3):
        folder = path(f"runs-2/points/{point:06d}")
        summary, record = (json.load(open(os.path.join(folder, name))) for name in ("summary.json", "point.json"))
        groups = summary["field_buses"]["nmea_groups"]
        check(groups["lines"] > 0 and groups["lost"] == groups["doubled"] == groups["late"] == 0, "it hears its own controller alone", groups)
        check(summary["commands"]["refused"] == 0 and summary["commands"]["changes_of_command"] == 1, "one controller", summary["commands"])
        check(record["port_offset"] == 20 * point, "its ports are in its record", record)
    command = shlex.split(open(os.path.join(folder, "output.txt")).readline())
    again = Program(SAGBEND, *[path("again.json") if word.endswith("summary.json") else word for word in command[1:]])
    law = Program(sys.executable, LAW, "127.0.0.1", "40")
    check(again.end() == 0, "by hand", again.stderr(), law.stderr())
    law.kill()
    check(load("again.json")["state_hash"] == summary["state_hash"], "the same bits by hand", command)
    status, _, err = run("check", CASE, "--set", "nmea.inputs=[{udp: '239.192.0.8:65500'}]", "--set", "nmea.network.port_offset=40")
    check(status == 2 and "a port of at most 65495 expected" in err, "a port beyond the last", err)


held_by_groups_alone()
runs_at_once()
held_by_the_example()
held_by_sagbend_dp()
repeats()
an_intruder_in_a_group()
what_is_wrong()
an_interface_that_goes()
plain_multicast()
