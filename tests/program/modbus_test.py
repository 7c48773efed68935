"""The Modbus TCP server with two foreign masters, pymodbus and mbpoll: registers are the Sensors of the same step, writes become
commands, wrong requests get the standard's exceptions, and the session replays bit by bit."""
import math
import socket

from modbus_link import *

VESSEL_83M = os.path.join(SOURCE, "configs/vessels/osv-83m.yaml")
BOW, PORT = "thruster.bow_tunnel_1.", "thruster.stern_azimuth_port."


def case(text):
    """A configuration: the 83 m vessel with this section modbus."""
    with open(path("case.yaml"), "w") as file:
        file.write(f"extends: {VESSEL_83M}\nname: case\n{text}")
    return path("case.yaml")


def check_configuration():
    errors = {
        "- {table: coil, address: 0, type: bool, signal: thruster.bow.enable}": "5:53: error: modbus.registers.0.signal: thruster.NAME.SIGNAL "
        "with one of vessel.thrusters expected",
        "- {table: input, address: 0, type: float32, signal: thruster.bow_tunnel_1.pitch_set}": "5:15: error: modbus.registers.0.table: coil or "
        "holding expected, got 'input': the master writes the signal",
        "- {table: discrete, address: 0, type: bool, signal: session.step}": "table: input or holding expected",
        "- {table: coil, address: 0, type: int16, signal: command.standby}": "type: bool expected",
        "- {table: holding, address: 65535, type: float32, signal: session.step}": "address: an address of at most 65534 expected",
        "- {table: holding, address: 0, type: float32, signal: session.stop}": "signal: a signal such as",
        "- {table: holding, address: 0, type: float32, signal: bus.port.used}": "signal: a signal of a bus",
        "- {table: holding, address: 0, type: float32, signal: quantity.nothing}": "signal: a signal such as",
        "- {table: input, address: 0, type: float32, signal: session.step, scale: 0}": "scale: a number other than 0 expected",
        "- {table: input, address: 2, type: float32, signal: session.step}\n    - {table: input, address: 1, type: int32, signal: session.time_s}":
        "6:31: error: modbus.registers.1.address: an address that does not overlap session.step (registers.0, address 2) expected, got '1'",
        "- {table: coil, address: 1, type: bool, signal: command.standby}\n    - {table: coil, address: 2, type: bool, signal: command.standby}":
        "is listed twice, first in registers.0: the master writes a signal at one address",
    }
    for row, expected in errors.items():
        status, _, err = run("check", case(f"modbus:\n  registers:\n    {row}\n"))
        check(status == 2 and expected in err, f"{row}: {expected}", err)
    for keys, expected in (("endpoint: tcp://0.0.0.0:1502", "modbus.clients, expected, got"),
                           ("endpoint: ipc:///tmp/modbus", "tcp://HOST:PORT expected"),
                           ("endpoint: tcp://127.0.0.1:47700", "an endpoint different from those of network"),
                           ("clients: 10.0.0.300", "IPv4 addresses, networks such as 10.0.0.0/24, or any"),
                           ("unit_id: 248", "unit_id"), ("connections: 33", "connections")):
        status, _, err = run("check", case(f"modbus:\n  {keys}\n"))
        check(status == 2 and expected in err and "case.yaml:4:" in err, f"{keys}: {expected}", err)
    status, out, err = run("check", case("modbus:\n  endpoint: tcp://0.0.0.0:1502\n  clients: 10.0.0.0/24 any\n"))
    check(status == 0, "clients allow an endpoint beyond loopback", err)
    # The printed list is a configuration of the same map.
    status, out, err = run("modbus-map", case("modbus:\n  unit_id: 1\n"), "--yaml")
    default = map_of(path("case.yaml"))
    check(status == 0 and map_of(case("modbus:\n" + out)) == default and len(default) > 40, "the printed list", out, err)


def check_orders():
    """Types, scales, offsets and orders of bytes and words, in a session that does not move."""
    rows = [("input, address: 0, type: int16, signal: session.time_s, scale: 0.01, offset: 5", "h", lambda t: round((t - 5) / 0.01)),
            ("input, address: 1, type: uint16, signal: session.time_s, scale: -1", "H", lambda t: 0),
            ("input, address: 2, type: float32, signal: session.time_s, word_order: little", None, None),
            ("input, address: 4, type: uint32, signal: session.step, byte_order: little", None, None),
            ("input, address: 6, type: int32, signal: session.step, byte_order: little, word_order: little", None, None),
            ("input, address: 8, type: float32, signal: quantity.hangoff_tension_n", None, None),
            ("input, address: 10, type: int16, signal: quantity.hangoff_tension_n", None, None),
            ("holding, address: 11, type: int16, signal: thruster.bow_tunnel_1.revolutions_set_rpm, scale: 0.1", None, None),
            ("holding, address: 12, type: bool, signal: thruster.bow_tunnel_1.enable", None, None),
            ("holding, address: 14, type: uint32, signal: command.based_on_step", None, None)]
    text = "modbus:\n  registers:\n" + "".join(f"    - {{table: {row}}}\n" for row, _, _ in rows)
    simulator = ModbusSimulator(case(text), "--mode", "lockstep", "--duration", "1")
    client = ModbusTcpClient("127.0.0.1", port=simulator.port, timeout=PATIENCE_S)
    check(client.connect(), "no connection")

    def both():
        answer = client.read_input_registers(0, 11, slave=255)  # 255: the device at this address
        check(not answer.isError(), "the read", answer)
        return struct.pack(">11H", *answer.registers)

    write = client.write_registers(11, [0x10000 - 250, 1], slave=1)
    check(not write.isError(), "the first command", write)
    until(lambda: both()[8:12] != bytes(4), "no step", simulator.stderr())
    until(lambda: both() == both(), "steps go on without an answer")
    data = both()
    step = struct.unpack("<H", data[8:10])[0] << 16 | struct.unpack("<H", data[10:12])[0]
    check(step == 10, "uint32, bytes swapped: the second sample", step)
    check(struct.unpack("<i", data[12:16])[0] == step, "int32, bytes and words swapped")
    time_s = struct.unpack(">f", data[6:8] + data[4:6])[0]
    check(abs(time_s - 0.1) < 1e-6, "float32, words swapped", time_s)
    check(struct.unpack(">h", data[0:2])[0] == round((0.1 - 5) / 0.01), "scale and offset")
    check(data[2:4] == bytes(2), "a negative number in uint16 is 0")
    check(math.isnan(struct.unpack(">f", data[16:20])[0]), "a quantity that this vessel does not have is NaN")
    check(struct.unpack(">h", data[20:22])[0] == -32768, "and -32768 in int16")
    check(client.read_holding_registers(11, 2, slave=1).registers == [0x10000 - 250, 1], "set-points read back")
    refused = client.write_registers(12, [2], slave=1)
    check(exception(refused) == VALUE, "a flag is 0 or 1", refused)
    # In lockstep each step accepts one answer, to its own readings.
    late = client.write_registers(14, words("uint32", 0), slave=1)
    check(exception(late) == VALUE, "a step of the past", late)
    good = client.write_registers(14, words("uint32", 10), slave=1)
    check(exception(good) == 0, "the step that it waits for", good)
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())


def check_exceptions(simulator, master):
    client, coils = master.client, master.map[BOW + "enable"][1]
    holding, rpm = master.map["command.heartbeat"][1], master.map[BOW + "revolutions_set_rpm"][1]
    last = max(address for table, address, _ in master.map.values() if table == "holding") + 1
    rows = [
        ("an unknown function", client.read_exception_status(slave=1), FUNCTION),
        ("no such register", client.read_holding_registers(last + 1, 1, slave=1), ADDRESS),
        ("one register too many", client.read_holding_registers(holding, last + 2, slave=1), ADDRESS),
        ("no such input", client.read_input_registers(999, 1, slave=1), ADDRESS),
        ("no such coil", client.read_coils(65535, 1, slave=1), ADDRESS),
        ("half a float", client.write_register(rpm, 0, slave=1), ADDRESS),
        ("the other half", client.write_registers(rpm + 1, [0, 0], slave=1), ADDRESS),
        ("NaN", client.write_registers(rpm, words("float32", math.nan), slave=1), VALUE),
        ("infinity", client.write_registers(rpm, words("float32", -math.inf), slave=1), VALUE),
        ("150 of 140 rpm", client.write_registers(rpm, words("float32", 150), slave=1), VALUE),
        ("another unit", client.read_coils(coils, 1, slave=7), TARGET),
        ("a coil to write that is not there", client.write_coil(coils + 100, True, slave=1), ADDRESS),
    ]
    for what, answer, wanted in rows:
        check(exception(answer) == wanted, f"{what}: exception {wanted} expected", answer)
    for fields, wanted in ((struct.pack(">BHH", 3, 0, 0), VALUE), (struct.pack(">BHH", 3, 0, 126), VALUE), (struct.pack(">BHH", 1, 0, 2001), VALUE),
                           (struct.pack(">BHHB", 16, 0, 1, 4) + bytes(2), VALUE), (struct.pack(">BHH", 5, coils, 0x1234), VALUE),
                           (struct.pack(">BH", 3, 0), VALUE), (struct.pack(">BHH", 3, 65535, 2), ADDRESS), (b"\x2b\x0e\x01\x00", FUNCTION)):
        with socket.create_connection(("127.0.0.1", simulator.port)) as raw:
            raw.sendall(struct.pack(">HHHB", 5, 0, len(fields) + 1, 1) + fields)
            answer = raw.recv(100)
            check(answer[:2] == b"\0\5" and answer[7] == fields[0] | 0x80 and answer[8] == wanted, f"{fields}: exception {wanted}", answer)
    for unit in (0, 255):  # the device itself
        with socket.create_connection(("127.0.0.1", simulator.port)) as raw:
            raw.sendall(struct.pack(">HHHBBHH", 6, 0, 6, unit, 1, coils, 1))
            answer = raw.recv(100)
            check(answer[:2] == b"\0\6" and answer[6:8] == bytes([unit, 1]), f"unit {unit} reaches the device", answer)
    check(master.read(BOW + "revolutions_set_rpm") == 20.5, "a refused write changes nothing")


def check_session():
    log = path("modbus.mcap")
    config = case("modbus:\n  connections: 6\n  idle_timeout_s: 600\nlog:\n  sensors_period_s: 0\n")
    simulator = ModbusSimulator(config, "--duration", "0", "--log", log, "--overwrite", "--summary", path("modbus.json"))
    master = Master(simulator)
    check(master.read("command.in_command") == 0, "nobody is in command before the first write")
    check(master.write({BOW + "revolutions_set_rpm": 20.5}) == 0, "a set-point")
    check(master.write({PORT + "revolutions_set_rpm": 50, PORT + "azimuth_set_deg": -30}) == 0, "two in one request")
    check(master.write({BOW + "enable": 1, "thruster.bow_tunnel_2.enable": 0}) == 0, "coils")
    check(master.read("command.in_command") == 1, "the first who writes is in command")
    both = master.client.readwrite_registers(read_address=1, read_count=2, write_address=0, write_registers=[7], unit=1)  # so named in 3.0.0
    check(not both.isError() and number("float32", both.registers) == 20.5, "write and read", both)
    check(exception(master.client.write_coil(master.map["command.standby"][1], False, slave=1)) == 0, "one coil")
    check(exception(master.client.write_register(0, 9, slave=1)) == 0 and master.read("command.heartbeat") == 9, "one register")

    # Another host is refused while the first is in command; the first from another connection is not.
    other, second = Master(simulator, "127.0.0.2"), Master(simulator)
    check(master.beat() == 0 and other.write({BOW + "revolutions_set_rpm": 1}) == BUSY, "another master while one is in command")
    check(second.beat() == 0 and master.beat() == 0, "another connection of the same host")
    check(other.read("command.in_command") == 0 and second.read("command.in_command") == 1, "who is in command")
    second.close()
    # An operator hands the command over, and back.
    for winner, loser, host in ((other, master, "127.0.0.2"), (master, other, "127.0.0.1")):
        status, _, err = run("ctl", simulator.commands, "take-over", f"modbus:{host}")
        check(status == 0 and winner.read("command.in_command") == 1, f"take-over by {host}", err)
        check(winner.beat() == 0 and loser.beat() == BUSY, "after a take-over")
    check_exceptions(simulator, master)
    master.beat()

    # mbpoll, from the same host.
    status, out = mbpoll(simulator, "-t", "4:float", "-r", "1", "127.0.0.1", "33.25")
    check(status == 0 and master.read(BOW + "revolutions_set_rpm") == 33.25, "mbpoll writes", out)
    status, out = mbpoll(simulator, "-t", "4:float", "-r", "1", "-c", "2", "127.0.0.1")
    check(status == 0 and re.search(r"\[1\]:\s+33.25\s", out), "mbpoll reads", out)
    status, out = mbpoll(simulator, "-t", "4:float", "-r", "1", "127.0.0.1", "5000")
    check(status != 0 and "Illegal data value" in out, "mbpoll is refused", out)
    status, out = mbpoll(simulator, "-t", "0", "-r", "0", "-c", "3", "127.0.0.1")
    check(status == 0 and re.search(r"\[2\]:\s+0", out), "mbpoll reads coils", out)

    # The feedback is what Sensors of that step contain; faults of the plant change it.
    def alive(holds, what):
        until(lambda: master.beat() == 0 and holds(), what, simulator.stderr())

    alive(lambda: abs(master.read(BOW + "revolutions_rpm") - 33.25) < 0.1, "the bow thruster follows")
    for words_ in (("fault", "feedback", "--target", "bow_tunnel_1", "--factor", "0.5"), ("fault", "tripped", "--target", "stern_azimuth_port")):
        status, _, err = run("ctl", simulator.commands, *words_)
        check(status == 0, "the fault", err)
    alive(lambda: abs(master.read(BOW + "revolutions_rpm") - 33.25 / 2) < 0.1, "feedback that is wrong")
    alive(lambda: master.read(PORT + "ready", PORT + "running") == [0, 0], "ready is lost")
    block = master.client.read_input_registers(0, 38, slave=1).registers  # one request is one step
    master.close()
    until(lambda: other.write({BOW + "revolutions_set_rpm": 1}) == 0, "the next master takes over when the first has gone")
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())

    step = number("uint32", block[2:4])
    sensors = [json.loads(line)["message"] for line in run("log", "cat", log, "--topic", "sensors")[1].splitlines()]
    same = next(m for m in sensors if int(m["header"]["step"]) == step)
    port = next(t for t in same["thruster"] if t["name"] == "stern_azimuth_port")
    at = simulator.map[PORT + "revolutions_rpm"][1]
    check(block[at:at + 2] == words("float32", port["revolutions_rpm"]), "the register is not the feedback of its step", port, block)
    summary = load("modbus.json")
    buses, commands = summary["field_buses"], summary["commands"]
    check(buses["commands"] == commands["accepted"] > 10, "commands", buses, commands)
    check(buses["modbus_exceptions"] >= 22 and buses["modbus_cut_off"] == 0, "exceptions", buses)
    check(commands["refused_by_reason"]["not_finite"] == 2 and commands["refused_by_reason"]["range"] == 2, "refusals", commands)
    check(commands["refused_by_reason"]["not_controller"] >= 1, "refusals", commands)
    events = run("log", "cat", log, "--topic", "event")[1]
    for text in ("modbus:127.0.0.1 (number 1) joined", "modbus:127.0.0.1 (number 1) is in command", "exception 1, illegal function",
                 "modbus:127.0.0.1 (number 1) has gone", "modbus:127.0.0.2 (number 3) is in command"):
        check(text in events, f"no event '{text}'", events)
    status, out, err = run("replay", log, "--verify")
    check(status == 0, "the session does not replay", out, err)


def check_burst():
    """However many commands come within a step, it uses the newest. All are counted."""
    log = path("burst.mcap")
    simulator = ModbusSimulator(case("modbus:\n  unit_id: 1\n"), "--duration", "0", "--log", log, "--overwrite", "--summary", path("burst.json"))
    status, _, err = run("ctl", simulator.commands, "rate", "0.05")  # a step takes 0.2 s
    check(status == 0, "rate", err)
    client = socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE_S)
    address = simulator.map[BOW + "revolutions_set_rpm"][1]

    def burst():
        client.sendall(b"".join(struct.pack(">HHHBBHHBf", i, 0, 11, 1, 16, address, 2, 4, i / 2) for i in range(200)))
        data = b""
        while len(data) < 200 * 12:
            data += client.recv(4096)
        check(all(data[i + 7] == 16 for i in range(0, len(data), 12)), "an accepted write")
        return "command_dropped" in simulator.stderr()

    until(burst, "no burst is larger than the ring")
    check(run("ctl", simulator.commands, "rate", "1")[0] == 0, "rate")
    simulator.wait_for_telemetry("sensors", lambda m: abs(m.thruster[0].revolutions_rpm - 99.5) < 0.1)
    simulator.go_on(2)  # an earlier burst may have led there: what the last one has left is used by the next step
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())
    commands = load("burst.json")["commands"]
    logged = [json.loads(line)["message"] for line in run("log", "cat", log, "--topic", "command")[1].splitlines()]
    check(commands["dropped"] > 0 and commands["dropped"] + len(logged) == commands["accepted"], "commands dropped", commands, len(logged))
    used = [m for m in logged if not m.get("superseded")]
    check(used[-1]["thrusters"]["thruster"][0]["revolutions_rpm"] == 99.5, "the newest command is used", used[-1])
    status, out, err = run("replay", log, "--verify")
    check(status == 0 and "equal" in out, "the session does not replay", out, err)


def main():
    check_configuration()
    check_orders()
    check_session()
    check_burst()


main()
