"""Mistakes of controllers, each made with real messages: what a user reads on standard error, in ctl status and in the summary leads
to the cause."""
import socket
import struct
import warnings

from modbus_link import map_of
from harness import *
import sagbend
from sagbend.v1 import operator_pb2

VESSEL_83M = os.path.join(SOURCE, "configs/vessels/osv-83m.yaml")
INSTRUMENTS = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")


def sentence(fields):
    body, checksum = f"IITRC,{fields}", 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}"


def case(text=""):
    with open(path("mistakes.yaml"), "w") as file:
        file.write(f"extends: {VESSEL_83M}\nname: mistakes\n{text}")
    return path("mistakes.yaml")


def start(text, *args):
    return Simulator(case(text), "--duration", "0", "--summary", path("mistakes.json"), "--log", path("mistakes.mcap"), "--overwrite", *args)


def status_of(simulator):
    """The text of ctl status, and its JSON."""
    out = run("ctl", simulator.commands, "status")[1]
    return out, json.loads(run("ctl", simulator.commands, "status", "--json")[1])


def end(simulator, counts):
    """Ends the session. Summary and its text have these counts by reason; returns the summary."""
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())
    commands, text = load("mistakes.json")["commands"], simulator.stdout()
    check({reason: n for reason, n in commands["refused_by_reason"].items() if n} == counts, "counts by reason", commands, counts)
    check(commands["refused"] == sum(counts.values()) and f" {commands['refused']} refused," in text, "text and JSON of the summary differ", commands, text)
    for reason, count in counts.items():
        check(f"{reason} {count}" in text, f"{reason} is not in the text", text)
    return load("mistakes.json")


def lines(simulator, name):
    return [line.split(name + ": ", 1)[1] for line in simulator.stderr().splitlines() if f": {name}: " in line]


def said(simulator, name, text):
    """Standard error has one event of this name, with this text at its begin."""
    until(lambda: lines(simulator, name), f"no {name}", simulator.stderr())
    told = lines(simulator, name)
    check(len(told) == 1 and told[0].startswith(text), f"one line {name}: {text}", told)


def send_refused(client, name, rpm):
    """Answers the next Sensors, and waits for the refusal."""
    message, refused = next(client.samples()), client.refusal_count
    client.send_thrusters(message, [{"name": name, "enable": True, "revolutions_rpm": rpm}])

    def is_refused():
        client.receive(0.05)
        return client.refusal_count > refused

    until(is_refused, "no refusal")


def check_range():
    """A flood: the first refusal in full, then counts; of two fields two lines."""
    simulator = start("")
    with sagbend.Client(simulator.commands, name="mine") as client:
        def flood():
            send_refused(client, "bow_tunnel_1", 500 + client.refusal_count)
            return "refused: " in simulator.stderr()

        send_refused(client, "bow_tunnel_1", 499)
        said(simulator, "refused_range", "mine (number 1): thruster bow_tunnel_1: at most 140 rpm expected, got 499")
        until(flood, "no sum", simulator.stderr())
        check(len(lines(simulator, "refused_range")) == 1, "equal refusals are one line", simulator.stderr())
        check(re.search(r"\d+ more in 10 s, \d+ in all: range \d+", simulator.stderr()), "the sum", simulator.stderr())
        send_refused(client, "bow_tunnel_2", 501)
        until(lambda: len(lines(simulator, "refused_range")) == 2, "another thruster is another mistake", simulator.stderr())
        count = client.refusal_count
        out, told = status_of(simulator)
        check(re.search(rf"refused for +range {count}\n", out) and re.search(r"refused +range, 1 time, the newest [\d.]+ s ago: mine \(number 1\): thruster bow_tunnel_2: at most 140 rpm expected, got 501\n", out)
              and f" +range, {count - 1} times" in re.sub(r"\n +", "\n +", out), "ctl status", out)
        check(told["commands_refused"] == count and told["refused_by_reason"] == [{"reason": "range", "count": count}] and
              [(r["peer"], r["reason"], r["count"]) for r in told["refused"]] == [("mine (number 1)", "range", 1), ("mine (number 1)", "range", count - 1)], "its JSON", told)
        subscriber = zmq.Context.instance().socket(zmq.SUB)
        subscriber.subscribe("status")
        subscriber.connect(simulator.telemetry)
        check(subscriber.poll(1000 * PATIENCE_S), "no topic status")
        published = operator_pb2.Status.FromString(subscriber.recv_multipart()[1])
        subscriber.close(linger=0)
        check(published.commands_refused == count and published.refused[0].text.endswith("got 501"), "the topic status", published)
    newest = end(simulator, {"range": count})["commands"]["newest_refused"]
    check([r["count"] for r in newest] == [1, count - 1] and "bow_tunnel_2" in newest[0]["text"], "newest in the summary", newest)


def check_sentences():
    """A wrong checksum, a report instead of a command, thrusters numbered from 0."""
    simulator = start("nmea:\n  inputs:\n    - udp: 127.0.0.1:*\n")
    port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    first = sentence("1,0,R,,,,B,C")
    sent = 0
    for rpm in range(20):
        for text in (sentence(f"1,{rpm},R,,,,B,C")[:-2] + "00", sentence(f"2,{rpm},R,,,,B,R"), "\r\n".join(sentence(f"{k},{rpm},R,,,,B,C") for k in range(4))):
            link.sendto(text.encode(), ("127.0.0.1", port))
        sent += 3
        simulator.wait_for_telemetry("timing", lambda m: m.nmea_refused >= sent)  # so that none is lost
    for name, text in (("checksum", f"nmea:127.0.0.1: the checksum of the sentence expected, got *00 instead of *{first[-2:]} in '{first[:-2]}00'"),
                       ("status", "nmea:127.0.0.1: status C, a command, expected in field 8, got R, a report in '$IITRC,2,0,R,,,,B,R"),
                       ("thruster", "nmea:127.0.0.1: a thruster number from 1 to 4 expected in field 1, as in TRD, not from 0; other sentences of its datagram act, each on the thruster of its number, got '$IITRC,0,0,")):
        said(simulator, "refused_nmea_" + name, text)
    out, told = status_of(simulator)
    check(told["commands_refused"] == 60 and {r["reason"]: r["count"] for r in told["refused"]} == {"nmea_checksum": 20, "nmea_status": 20, "nmea_thruster": 20} and "nmea_checksum 20" in out, "ctl status", out, told)
    end(simulator, {"nmea_checksum": 20, "nmea_status": 20, "nmea_thruster": 20})


def check_modbus():
    """Exceptions: an unknown address, a function that does not exist, a write of a register that is read only."""
    simulator = start("modbus:\n  endpoint: tcp://127.0.0.1:*\n")
    master = socket.create_connection(("127.0.0.1", int(simulator.wait_for(r"Modbus TCP at tcp://[\d.]+:(\d+)").group(1))), timeout=PATIENCE_S)
    for k in range(10):
        for function, address in ((3, 9000), (43, 0)):
            master.sendall(struct.pack(">HHHBBHH", k, 0, 6, 1, function, address, 2))
            check(master.recv(300)[7] == function | 0x80, "an exception")
    said(simulator, "refused_modbus_address", "modbus:127.0.0.1: function 3, exception 2, illegal data address: holding 9000 to 9001: addresses of the map expected")
    said(simulator, "refused_modbus_function", "modbus:127.0.0.1: function 43, exception 1, illegal function")
    out, told = status_of(simulator)
    check(told["commands_refused"] == 20 and [(r["reason"], r["count"]) for r in told["refused"]] == [("modbus_function", 10), ("modbus_address", 10)], "ctl status", out, told)
    master.close()
    end(simulator, {"modbus_address": 10, "modbus_function": 10})


def check_many_mistakes():
    """Ever other texts make few lines; the counts have all."""
    simulator = start("")
    with sagbend.Client(simulator.commands, name="mine") as client:
        for k in range(30):
            send_refused(client, "abcdefghij"[k % 10] * (1 + k // 10), 0)
        count = client.refusal_count
        check(0 < len(lines(simulator, "refused_range")) <= 10, "lines", simulator.stderr())
    end(simulator, {"range": count})


def wait_until_said(client, said):
    client.receive(0.1)
    return said


def check_silence():
    """What sagbend-dp and the Python client say after 5 s: nothing listens; another endpoint; a wrong server key."""
    for role, name in (("server", "sim"), ("server", "other"), ("controller", "dp")):
        check(run("keygen", "--role", role, path(name + ".key"))[0] == 0, "keygen")
    with open(path("admitted"), "w") as file, open(path("dp.key.pub")) as key:
        file.write(key.read())
    os.chmod(path("admitted"), 0o600)
    simulator = start("", "--set", f"network.server_key={path('sim.key')}", "--set", f"network.admitted_keys={path('admitted')}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"tcp://127.0.0.1:{free.getsockname()[1]}"  # bound, so that no other test takes it, and nobody listens
        cases = [("nothing listens there", nobody, "sim"), ("the handshake fails. Is .*server.key its public key", simulator.commands, "other"),
                 ("the handshake fails. .*not 'telemetry at'", simulator.telemetry, "sim")]
        said, clients = [], []

        class Keep(sagbend.client.logging.Handler):
            def emit(self, record):
                said.append(record.getMessage())

        sagbend.client.LOG.addHandler(Keep())
        programs = [Program(SAGBEND_DP, JLAY_DP, "--connect", endpoint, "--key", path("dp.key"), "--server-key", path(server + ".key.pub")) for _, endpoint, server in cases]
        for pattern, endpoint, server in cases:
            said.clear()
            with sagbend.Client(endpoint, keys=sagbend.Keys.read(path("dp.key"), path(server + ".key.pub"))) as client:
                until(lambda: wait_until_said(client, said), f"Python says nothing about {endpoint}")
                check(len(said) == 1 and endpoint in said[0] and re.search(pattern, said[0]), f"Python: {pattern}", said)
                try:
                    client.connect(0.2)
                    check(False, "connected")
                except sagbend.NoAnswer as error:
                    check(re.search(pattern, str(error)), f"NoAnswer: {pattern}", error)
        for (pattern, endpoint, _), program in zip(cases, programs):
            program.wait_for(f"no message for 5 s from a simulator at {re.escape(endpoint)}: .*{pattern}")
            program.kill()
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())


def check_instruments():
    """Exact fields of a vessel with instruments: a warning at the line that reads them, and the measurements instead."""
    simulator = Simulator(INSTRUMENTS, "--duration", "0")
    with sagbend.Client(simulator.commands) as client, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        samples = client.samples()
        for _ in range(3):
            message = next(samples)
            client.send_standby(message)
            check(message.position_north_m == 0 and not message.HasField("pipe") and message.pipe.hangoff_tension_n == 0, "the contract")
            check(message.instruments.gnss and message.header.session, "other fields")
        check(sorted(str(w.message).split(":")[0] for w in caught) == ["Sensors.pipe is absent", "Sensors.position_north_m is 0"], "a warning for each line", [str(w.message) for w in caught])
        check("gnss-1" in str(caught[0].message) and all(w.filename == __file__ for w in caught), "what to read, and where", caught[0])
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())


def check_exact():
    """A vessel without instruments: no warning."""
    simulator = start("")
    with sagbend.Client(simulator.commands) as client, warnings.catch_warnings():
        warnings.simplefilter("error")
        message = next(client.samples())
        check(message.position_down_m == message.position_down_m, "the exact state")
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())


def check_reset():
    """Set-points of field buses that wait in their sockets while another session begins are refused: they were not meant for it."""
    simulator = Simulator(case("nmea:\n  inputs:\n    - udp: 127.0.0.1:*\nmodbus:\n  endpoint: tcp://127.0.0.1:*\n"), "--duration", "0")
    master = socket.create_connection(("127.0.0.1", int(simulator.wait_for(r"Modbus TCP at tcp://[\d.]+:(\d+)").group(1))), timeout=PATIENCE_S)
    port = int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1))
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    address = map_of(path("mistakes.yaml"))["thruster.bow_tunnel_2.revolutions_set_rpm"][1]
    write = struct.pack(">HHHBBHHBf", 1, 0, 11, 1, 16, address, 2, 4, 10)

    def reset():
        begun = simulator.stderr().count(": session_begun: ")
        with sagbend.Operator(simulator.commands) as operator:
            operator.order("reset")
        for _ in range(100):
            link.sendto(sentence("1,30,R,,,,B,C").encode(), ("127.0.0.1", port))
            master.sendall(write)
            master.recv(300)  # one request waits at most
        until(lambda: simulator.stderr().count(": session_begun: ") > begun, "no session", simulator.stderr())
        return all(f"refused_session: {peer}:127.0.0.1: it came before this session began" in simulator.stderr() for peer in ("nmea", "modbus"))

    until(reset, "nothing is refused", simulator.stderr())
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())


check_range()
check_sentences()
check_modbus()
check_many_mistakes()
check_reset()
check_silence()
check_instruments()
check_exact()
