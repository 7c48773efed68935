"""Common functions of the Modbus tests: the register map as the program prints it, and pymodbus and mbpoll as masters."""
import logging
import struct

from pymodbus.client import ModbusTcpClient

from harness import *

logging.getLogger("pymodbus").setLevel(logging.CRITICAL)  # it logs each exception that a test provokes
ANY_MODBUS = ["--set", "modbus.endpoint=tcp://127.0.0.1:*"]
FUNCTION, ADDRESS, VALUE, BUSY, TARGET = 1, 2, 3, 6, 11  # exceptions
FORMATS = {"bool": "H", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "float32": "f"}


def map_of(config, *args):
    """The map as the program prints it: {signal: (table, address, type)}, for writers {("set", signal): ...} is the same."""
    status, out, err = run("modbus-map", config, *args)
    check(status == 0, "modbus-map", err)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()[2:]]
    return {row[3]: (row[0], int(row[1].split("-")[0]), row[2]) for row in rows}


def words(kind, value):
    data = struct.pack(">" + FORMATS[kind], value)
    return list(struct.unpack(f">{len(data) // 2}H", data))


def number(kind, registers):
    return struct.unpack(">" + FORMATS[kind], struct.pack(f">{len(registers)}H", *registers))[0]


class ModbusSimulator(Simulator):
    """sagbend run with a Modbus server on a port that the system chooses."""

    def __init__(self, config, *args):
        super().__init__(config, *ANY_MODBUS, *args)
        self.port = int(self.wait_for(r"Modbus TCP at tcp://[\d.]+:(\d+)").group(1))
        self.map = map_of(config)


class Master:
    """pymodbus, by the names of signals."""

    def __init__(self, simulator, host="127.0.0.1", unit=1):
        self.map, self.unit = simulator.map, unit
        self.client = ModbusTcpClient("127.0.0.1", port=simulator.port, source_address=(host, 0), timeout=PATIENCE_S)
        check(self.client.connect(), f"{host} cannot connect")

    def close(self):
        self.client.close()

    def read(self, *signals):
        """Reads signals one by one; returns their values."""
        values = []
        for signal in signals:
            table, address, kind = self.map[signal]
            count = struct.calcsize(FORMATS[kind]) // 2
            read = {"coil": self.client.read_coils, "discrete": self.client.read_discrete_inputs,
                    "input": self.client.read_input_registers, "holding": self.client.read_holding_registers}[table]
            answer = read(address, count, slave=self.unit)
            check(not answer.isError(), f"{signal} is not read", answer)
            values.append(int(answer.bits[0]) if table in ("coil", "discrete") else number(kind, answer.registers))
        return values if len(values) > 1 else values[0]

    def write(self, settings):
        """Writes signals that follow each other in one table with one request; returns 0 or the exception."""
        table, address, _ = self.map[next(iter(settings))]
        if table == "coil":
            answer = self.client.write_coils(address, [bool(value) for value in settings.values()], slave=self.unit)
        else:
            registers = [word for signal, value in settings.items() for word in words(self.map[signal][2], value)]
            answer = self.client.write_registers(address, registers, slave=self.unit)
        return exception(answer)

    def beat(self):
        return self.write({"command.heartbeat": 0})


def exception(answer):
    """0, or the exception that the server answered with."""
    check(not answer.isError() or hasattr(answer, "exception_code"), "no answer", answer)
    return answer.exception_code if answer.isError() else 0


def mbpoll(simulator, *args):
    """Runs mbpoll once; returns (exit status, output)."""
    done = subprocess.run(["mbpoll", "-m", "tcp", "-p", str(simulator.port), "-a", "1", "-0", "-1", "-B", *args],
                          capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout + done.stderr
