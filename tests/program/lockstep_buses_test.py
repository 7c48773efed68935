"""Lockstep with a controller that speaks NMEA or Modbus alone: the first sentences go out before the first answer is waited for, although no instrument has
measured yet; all others go out at samples, so that each may be answered as it comes; all sentences of a serial line are one answer; and the text of a wait
says what would answer.

lockstep_buses_test.py BUILD SOURCE"""
import pty
import tty

import pynmea2

from modbus_link import *

NMEA = os.path.join(SOURCE, "configs/osv-83m-nmea.yaml")
MODBUS = os.path.join(SOURCE, "configs/osv-83m-modbus.yaml")
LENGTH = ["--mode", "lockstep", "--duration", "3"]


def trc(fields):
    body = "IITRC," + fields
    return f"${body}*{pynmea2.NMEASentence.checksum(body):02X}\r\n".encode()


def by_nmea(late):
    """It knows the gyro's sentences and the feedback of the thrusters, of which the last sentence ends a sample; it has no clock."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if not late:
        link.bind(("127.0.0.1", 0))
    port = link.getsockname()[1] or free_ports(1)[0]
    name = "late" if late else "nmea"
    simulator = Simulator(NMEA, *LENGTH, "--set", f"nmea.ports=[{{udp: '127.0.0.1:{port}', instruments: gyro-1 thrusters, thruster_period_s: 0.1}}]", "--set", "nmea.inputs.0.udp=127.0.0.1:*",
                          "--summary", path(name + ".json"), "--hashes", path(name + ".hashes"))
    to = ("127.0.0.1", int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1)))
    if late:
        simulator.wait_for("waiting_for_response")
        link.bind(("127.0.0.1", port))
    link.settimeout(PATIENCE_S)
    said = []
    while simulator.process.poll() is None:
        link.settimeout(1)
        try:
            said.append(link.recv(4096).decode("ascii"))
        except socket.timeout:
            continue
        if said[-1][3:8] == "TRD,4":
            link.sendto(trc("1,20,R,,,,B,C"), to)
    check(simulator.end() == 0, "a session by NMEA alone", simulator.stderr(), said[-3:])
    summary = load(name + ".json")
    check(summary["lockstep"]["answers"] == summary["commands"]["accepted"] == 30, "each sample was answered by its sentence", summary["lockstep"], summary["commands"])
    gyro = [s for s in said if s[3:6] in ("HDT", "THS", "ROT")]
    first = gyro[:3]
    check([s[3:6] for s in first] == ["HDT", "THS", "ROT"] and ",V*" in first[1] and ",V*" in first[2], "the first sentences say that nothing was measured", first)
    check(",A*" in gyro[4] and ",A*" in gyro[5], "then they are measurements", gyro[:9])


def by_measurement():
    """It knows no sample and answers each heading as it comes; the gyro's latency puts each measurement between two samples."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))
    simulator = Simulator(NMEA, *LENGTH, "--set", f"nmea.ports=[{{udp: '127.0.0.1:{link.getsockname()[1]}', instruments: gyro-1, sentences: HDT}}]", "--set", "nmea.inputs.0.udp=127.0.0.1:*",
                          "--summary", path("measurement.json"))
    to = ("127.0.0.1", int(simulator.wait_for(r"NMEA commands at UDP 127.0.0.1:(\d+)").group(1)))
    link.settimeout(1)
    while simulator.process.poll() is None:
        try:
            if link.recv(4096)[3:6] == b"HDT":
                link.sendto(trc("1,20,R,,,,B,C"), to)
        except socket.timeout:
            continue
    check(simulator.end() == 0, "a session by measurements alone", simulator.stderr())
    summary = load("measurement.json")
    check(summary["lockstep"]["answers"] == 30 and summary["commands"]["refused"] == 0, "each measurement is answered", summary["lockstep"], summary["commands"])


def by_serial():
    """All sentences of a serial line answer a sample: those of the last thruster end the answer, or silence does."""
    for thrusters, length in ((4, "3"), (2, "0.5")):
        master, slave = pty.openpty()
        tty.setraw(slave)
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("127.0.0.1", 0))
        link.settimeout(1)
        name = f"serial-{thrusters}"
        simulator = Simulator(NMEA, "--mode", "lockstep", "--duration", length, "--log", path(name + ".mcap"), "--summary", path(name + ".json"),
                              "--set", f"nmea.ports=[{{udp: '127.0.0.1:{link.getsockname()[1]}', instruments: thrusters, thruster_period_s: 0.1}}]",
                              "--set", f"nmea.inputs=[{{serial: '{os.ttyname(slave)}', baud: 115200}}]")
        while simulator.process.poll() is None:
            try:
                if link.recv(4096)[3:8] == b"TRD,4":
                    for number in range(1, thrusters + 1):
                        os.write(master, trc(f"{number},{10 * number},R,,,,B,C"))
            except socket.timeout:
                continue
        check(simulator.end() == 0, "a session by a serial line", simulator.stderr())
        summary = load(name + ".json")
        samples = 30 if thrusters == 4 else 5
        check(summary["lockstep"]["answers"] == samples and summary["commands"]["refused"] == 0, "each sample has one answer", summary["lockstep"], summary["commands"])
        status, out, err = run("log", "cat", path(name + ".mcap"), "--topic", "/command")
        commands = [json.loads(line)["message"]["thrusters"]["thruster"] for line in out.splitlines()]
        check(len(commands) == samples and all(len(c) == thrusters for c in commands), "the answer names each thruster", commands[:2])
        link.close()


def by_modbus():
    simulator = ModbusSimulator(MODBUS, *LENGTH, "--set", "nmea=null", "--summary", path("modbus.json"))
    master, last = Master(simulator), -1
    while simulator.process.poll() is None:
        try:
            answer = master.client.read_input_registers(0, 10, slave=1)
            step = number("uint32", answer.registers[2:4])
            if step != last:
                master.beat()
                last = step
        except (Exception, SystemExit):  # the session has ended
            break
    check(simulator.end() == 0, "a session by Modbus alone", simulator.stderr())
    check(load("modbus.json")["lockstep"]["answers"] == 30, "each sample was answered by a write")


def what_is_waited_for():
    for case, settings, words in ((NMEA, [], r"expected: a TRC sentence at UDP 127\.0\.0\.1:\d+, or a message at tcp://127\.0\.0\.1:\d+"),
                                  (MODBUS, ["--set", "modbus.endpoint=tcp://127.0.0.1:*"],
                                   r"expected: a Modbus write of a set-point or of command\.heartbeat \(holding \d+\) at tcp://127\.0\.0\.1:\d+, or a message at tcp://")):
        simulator = Simulator(case, "--mode", "lockstep", "--duration", "1", "--set", "simulation.lockstep_timeout_s=2.5", "--set", "nmea.inputs=null" if case == MODBUS else "nmea.inputs.0.udp=127.0.0.1:*", *settings)
        check(simulator.end() == 1, "the time-out ends the run", simulator.stderr())
        for event in ("waiting_for_response", "lockstep_timeout"):
            check(re.search(event + ".*" + words, simulator.stderr()), f"{event} says what is waited for", simulator.stderr())


by_nmea(late=False)
by_nmea(late=True)
by_measurement()
by_serial()
by_modbus()
what_is_waited_for()
