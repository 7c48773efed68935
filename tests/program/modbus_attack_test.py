"""A Modbus server among hostile clients: garbage, halves of frames, floods of connections, clients that never read. The master in
command notices nothing: each of its writes is accepted."""
import random
import socket
import threading

from modbus_link import *

VESSEL_83M = os.path.join(SOURCE, "configs/vessels/osv-83m.yaml")
ATTACKER = "127.0.0.9"
READ = struct.pack(">HHHBBHH", 7, 0, 6, 1, 4, 0, 30)  # input registers 0 to 29


class Writer(threading.Thread):
    """The master in command: it writes without a pause."""

    def __init__(self, simulator):
        super().__init__(daemon=True)
        self.master, self.writes, self.wrong, self.stop = Master(simulator), 0, [], False

    def run(self):
        while not self.stop:
            answer = self.master.write({"thruster.bow_tunnel_1.revolutions_set_rpm": float(self.writes % 100)})
            self.writes += 1
            if answer:
                self.wrong.append(answer)

    def goes_on(self, what, simulator):
        """More of its writes are accepted from now on."""
        begin = self.writes
        until(lambda: self.writes > begin + 20, f"{what}: the master in command waits", simulator.stderr())
        check(not self.wrong, f"{what}: the master in command is refused", self.wrong)


def attacker(simulator):
    return socket.create_connection(("127.0.0.1", simulator.port), timeout=PATIENCE_S, source_address=(ATTACKER, 0))


def is_closed(client):
    try:
        return client.recv(4096) == b""
    except ConnectionResetError:
        return True


def garbage(simulator):
    random.seed(7)
    for size in (4, 7, 60, 300, 5000):
        with attacker(simulator) as client:
            data = bytearray(random.randbytes(size))
            data[2:4] = b"\xff\xff"  # no Modbus TCP, whatever the rest is
            client.sendall(data)
            check(is_closed(client), f"{size} bytes of garbage")
    for length in (0, 1, 255, 65535):
        with attacker(simulator) as client:
            client.sendall(struct.pack(">HHH", 1, 0, length) + bytes(10))
            check(is_closed(client), f"a frame of length {length}")
    for function in (0x80, 0x83, 0x90, 0xff):  # an answer is no request
        with attacker(simulator) as client:
            client.sendall(READ[:7] + bytes([function]) + READ[8:])
            check(is_closed(client), f"function {function}")


def halves(simulator):
    """Halves of a frame are completed, or cut off after a second; a byte now and then does not help."""
    with attacker(simulator) as client:
        for byte in READ:
            client.sendall(bytes([byte]))
        answer = client.recv(300)
        check(answer[:2] == READ[:2] and answer[7:9] == b"\4\x3c", "a frame in single bytes", answer)
        client.sendall(READ * 3 + READ[:5])
        client.sendall(READ[5:])
        data = b""
        while len(data) < 4 * 69:
            data += client.recv(4096)
        check(data.count(READ[:2] + b"\0\0") == 4, "four frames, of which one comes in two parts", data)
    with attacker(simulator) as half, attacker(simulator) as drip:
        half.sendall(READ[:6])
        drip.setblocking(False)
        ended = []

        def drips():
            try:
                if not ended:
                    drip.sendall(READ[:1] if not drips.sent else b"\0")
                    drips.sent += 1
                if drip.recv(10) == b"":
                    ended.append(1)
            except BlockingIOError:
                pass
            except OSError:
                ended.append(1)
            time.sleep(0.05)
            return ended

        drips.sent = 0
        until(drips, "a frame that comes in drops", simulator.stderr())
        check(is_closed(half), "half a frame")


def flood(simulator):
    """100 connections that say nothing: at most as many are open as configured, and never at the cost of the master in command."""
    clients = [attacker(simulator) for _ in range(100)]
    simulator.wait_for_telemetry("timing", lambda m: m.modbus_cut_off >= 90 and m.modbus_connections <= 4)
    for client in clients:
        client.close()


def never_reads(simulator):
    with attacker(simulator) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        closed = []

        def sends():
            try:
                client.send(READ * 200)
            except BlockingIOError:
                pass
            except OSError:
                closed.append(1)
            return closed

        until(sends, "a client that never reads", simulator.stderr())


def main():
    with open(path("attack.yaml"), "w") as file:
        file.write(f"extends: {VESSEL_83M}\nname: attack\nmodbus:\n  connections: 4\n  idle_timeout_s: 2\n"
                   "network:\n  timing_period_s: 0.1\n")
    log = path("attack.mcap")
    simulator = ModbusSimulator(path("attack.yaml"), "--duration", "0", "--summary", path("attack.json"), "--log", log, "--overwrite")
    writer = Writer(simulator)
    writer.start()
    until(lambda: writer.writes > 20, "no writes", simulator.stderr())
    for attack in (garbage, halves, flood, never_reads):
        attack(simulator)
        writer.goes_on(attack.__name__, simulator)
    with attacker(simulator) as silent:
        check(is_closed(silent), "a silent connection stays open")
    writer.goes_on("silence", simulator)
    writer.stop = True
    writer.join()
    simulator.signal()
    check(simulator.end() == 0, "the session", simulator.stderr())
    summary = load("attack.json")
    buses, commands = summary["field_buses"], summary["commands"]
    check(commands["accepted"] == buses["commands"] == writer.writes and commands["refused"] == 0, "every write is a command", commands, buses)
    check(buses["modbus_cut_off"] >= 100, "connections that were cut off are counted", buses)
    events = run("log", "cat", log, "--topic", "event")[1]
    for why in ("is not Modbus TCP", "makes way"):
        check(why in events, f"no event '{why}'", events)
    print(f"{writer.writes} writes, {buses['modbus_cut_off']} connections cut off, {summary['late_steps']} steps late")


main()
