"""The tensioner on the field bus, with pymodbus as master: readings of its instruments, orders, and what is refused."""
import math

from modbus_link import *

CASE = path("case.yaml")
with open(os.path.join(SOURCE, "configs/jlay-900m-payout.yaml")) as file:
    text = re.sub(r"  payout:\n(    .*\n)+", """  tensioner: {grip_n: 4e6, brake_n: 4e6, motor_n: 3e6, motor_w: 3e6, elements_max: 120,
    orders: [{start_s: 0, mode: brake}]}
""", file.read().replace("kind: none", "kind: external"), count=1)
with open(CASE, "w") as file:
    file.write(text + """
modbus: {}
hil: {seed: 1}
instruments:
  - {name: encoder, kind: payout, rate_hz: 10, errors: [{quantity: length_m, bias: 2.5}]}
  - {name: grip, kind: tensioner, rate_hz: 10, errors: [{quantity: tension_n, bias: 1000}]}
""")
MODE, TENSION, SPEED = (f"tensioner.{name}" for name in ("mode_set", "tension_set_n", "speed_set_mps"))

log = path("bus.mcap")
simulator = ModbusSimulator(CASE, "--mode", "lockstep", "--set", "simulation.step_s=0.05", "--duration", "0", "--log", log, "--overwrite")
master = Master(simulator)


def read(name):
    return master.read("tensioner." + name)


def go_on(seconds):
    """Answers the samples of so much simulated time."""
    end = master.read("session.time_s") + seconds
    while master.read("session.time_s") < end:
        before = master.read("session.step")
        check(master.beat() in (0, BUSY), "a sign of life")
        until(lambda: master.read("session.step") != before or master.beat() == 0, "no step", simulator.stderr())


# A set-point alone is no order; it waits for its mode.
check(master.write({SPEED: 0.4}) == 0 and read("source") == 0, "a set-point without a mode")
go_on(1)
check(read("source") == 0 and read("mode") == 0 and read("brake") == 1, "the brake of the configuration")
check(abs(read("paid_out_m") - 2.5) < 0.01, "the error of the encoder", read("paid_out_m"))
check(1e6 < read("tension_n") < 2e6, "tension", read("tension_n"))
go_on(0.5)
check(master.write({MODE: 2}) in (0, BUSY), "the mode")
until(lambda: read("source") == 1 or master.write({MODE: 2}) == 0 and read("source") == 1, "the order is in force", simulator.stderr())
go_on(8)
check(read("mode") == 2 and read("brake") == 0 and abs(read("payout_mps") - 0.4) < 0.02, "speed", read("payout_mps"))
check(read("paid_out_m") > 3.5, "length", read("paid_out_m"))
check([read(name) for name in ("mode_set", "speed_set_mps")] == [2, struct.unpack("f", struct.pack("f", 0.4))[0]], "what was written")

# What is refused changes nothing.
for settings, what in (({MODE: 3}, "an unknown mode"), ({SPEED: 5.5}, "beyond the shortest element"), ({SPEED: math.nan}, "NaN"),
                       ({MODE: 1}, "a tension of 0")):
    check(master.write(settings) == VALUE, what, settings)
check(read("mode_set") == 2 and abs(read("speed_set_mps") - 0.4) < 1e-6, "a refused write changes nothing")

# An operator goes before the bus.
status, out, err = run("ctl", simulator.commands, "tensioner", "brake")
check(status == 0, "operator", err)
go_on(2)
check(read("source") == 2 and read("mode") == 0 and abs(read("payout_mps")) < 0.05, "the operator's brake", read("payout_mps"))
status, out, err = run("ctl", simulator.commands, "status", "--json")
check(json.loads(out)["status"]["tensioner"]["source"] == "operator" if "status" in json.loads(out) else
      json.loads(out)["tensioner"]["source"] == "operator", "status", out)
status, out, err = run("ctl", simulator.commands, "fault", "invalid", "--target", "encoder")
check(status == 0, "fault", err)
go_on(1)
check(math.isnan(read("paid_out_m")), "an invalid measurement", read("paid_out_m"))
run("ctl", simulator.commands, "stop")
check(simulator.end() == 0, "the session", simulator.stderr())
check_replay(log)

# A map without a tensioner.
with open(path("other.yaml"), "w") as file:
    file.write(f"extends: {SOURCE}/configs/osv-83m.yaml\nname: other\nmodbus:\n  registers:\n"
               "    - {table: holding, address: 0, type: uint16, signal: tensioner.mode_set}\n")
status, out, err = run("check", path("other.yaml"))
check(status == 2 and "5:58: error: modbus.registers.0.signal needs pipe.tensioner" in err, "no tensioner", err)
