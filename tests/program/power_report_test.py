"""What power management reports of a power plant in Sensors: each bus, set and tie, as by Modbus and in the truth, but a breaker whose status
is frozen as power management has it. Without a power plant nothing."""
from harness import *
import sagbend

EVENTS = "events=[{name: frozen, at_s: 2, fault: status_frozen, target: set-1}, {name: lost, at_s: 3, fault: trip, target: set-1}, " \
         "{name: lost-2, at_s: 3, fault: trip, target: set-2}, {name: apart, at_s: 4, fault: tie_opens, target: tie}, " \
         "{name: dark, at_s: 6, fault: bus_lost, target: port}]"


def reports(configuration, *words):
    """Sensors by time, for ten seconds in lockstep, with a controller that asks for nothing."""
    simulator = Simulator(os.path.join(SOURCE, configuration), "--mode", "lockstep", "--duration", "10", *words)
    client = sagbend.Client(simulator.commands, name="desk")
    found = []
    for sensors in client.samples():
        found.append(sensors)
        client.send_standby(sensors)
    return found


def named(items):
    return {one.name: one for one in items}


def at(found, time_s):
    return next(s for s in found if s.header.time_s >= time_s)


found = reports("configs/osv-83m-power.yaml", "--set", EVENTS)
first = at(found, 1.5)
check(set(named(first.bus)) == {"port", "starboard"} and len(first.generator) == 4 and len(first.tie) == 1, "the lists", first)
check(all(b.supplied and abs(b.frequency - 1) < 0.05 and abs(b.voltage - 1) < 0.05 and b.available_w > 0 for b in first.bus), "live buses", first.bus)
check(abs(sum(b.available_w for b in first.bus) - first.power_available_w) < 1 and abs(sum(b.load_w for b in first.bus) - first.power_used_w) < 1,
      "the sums are those of the buses", first)
tripped = at(found, 3.5)
sets = named(tripped.generator)
check(sets["set-1"].closed and sets["set-1"].load_w == 0, "a frozen status: closed, without load", tripped.generator)
check(not sets["set-2"].closed and sets["set-3"].closed, "sound statuses", tripped.generator)
check(tripped.tie[0].closed and not at(found, 5).tie[0].closed, "the tie", tripped.tie)
dark = named(at(found, 8).bus)
check(not dark["port"].supplied and dark["port"].available_w == 0 and dark["port"].frequency == 0 and dark["starboard"].supplied, "a dark bus", dark)

plain = reports("configs/osv-83m-instruments.yaml", "--set", "simulation.step_s=0.05", "--set", "pipe.elements=20")
check(plain and not any(s.bus or s.generator or s.tie for s in plain), "no plant, no report", plain[:1])
