#!/usr/bin/python3
"""Tunes a controller on many short runs in this process, and then runs it over the protocol: the same bits.

The vessel is the 83 m supply vessel in weather. Each rollout begins with the same state, when wind and waves are fully there, and lasts
20 s; the gains of the next generation lie around the best tenth of the last one. It takes some minutes. From the build directory:
  PYTHONPATH=build/proto/python docs/examples/tune_controller.py [--rollouts 1000] [--program build/sagbend]
"""
import argparse, math, os, tempfile
import numpy as np
import sagbend

CASE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../configs/osv-83m-weather.yaml")
KEYS = {"network.accept_wrench": True, "instruments": "[]"}  # a wrench at the reference point, the exact state
SEEN = [f"vessel.{name}" for name in ("north_m", "east_m", "heading_rad", "velocity_north_mps", "velocity_east_mps", "heading_rate_radps")]
HOLD = [f"vessel.control_{name}" for name in ("surge_n", "sway_n", "yaw_nm")]
INPUTS = ["command.engaged", "command.wrench.surge_n", "command.wrench.sway_n", "command.wrench.yaw_nm"]
START_S, LENGTH_S, GENERATION = 25, 20, 100  # of a rollout; gains tried in a generation
FIRST = np.log([2e4, 4e5, 2e7, 3e8])  # logarithms of the first gains: stiffness and damping of position, then of heading


class Law:
    """A PD law about the first position that it sees, beside the wrench that held the vessel before."""

    def __init__(self, gains, hold, start):
        self.gains, self.hold, self.start = [float(g) for g in gains], hold, start

    def wrench(self, seen):
        """Surge and sway in N and yaw in N m from north, east, heading and their rates."""
        north, east, heading, north_rate, east_rate, heading_rate = seen
        stiffness, damping, yaw_stiffness, yaw_damping = self.gains
        n = -stiffness * (north - self.start[0]) - damping * north_rate
        e = -stiffness * (east - self.start[1]) - damping * east_rate
        c, s = math.cos(heading), math.sin(heading)
        return (self.hold[0] + c * n + s * e, self.hold[1] - s * n + c * e,
                self.hold[2] - yaw_stiffness * (heading - self.start[2]) - yaw_damping * heading_rate)


def in_process(simulation, law, periods):
    """Closes the loop for so many control periods; the cost: mean of squared offsets and wrenches."""
    seen, inputs, cost = simulation.select(*SEEN), simulation.select(*INPUTS), 0.0
    for _ in range(periods):
        now = simulation.get(seen).tolist()
        wrench = law.wrench(now)
        simulation.set(inputs, (1, *wrench))
        simulation.step(simulation.period_steps)
        cost += (now[0] - law.start[0])**2 + (now[1] - law.start[1])**2 + (20 * (now[2] - law.start[2]))**2
        cost += 0.02 * ((wrench[0] / 1e5)**2 + (wrench[1] / 1e5)**2 + (wrench[2] / 2e6)**2)
    return cost / periods


def tune(rollouts, threads, duration_s):
    """The best gains of so many rollouts, and their costs in order. Threads do not change the result."""
    with sagbend.Simulation(CASE, overrides=KEYS, controller="caller") as first:
        simulations = [first, *(first.beside() for _ in range(threads - 1))]
        start = first.get(SEEN).tolist()
        hold = first.get(HOLD).tolist()
        law = Law(np.exp(FIRST), hold, start)
        period_s = first.period_steps * first.step_s
        in_process(first, law, round(START_S / period_s))
        state, random = first.snapshot(), np.random.default_rng(1)

        def cost_of(simulation, logs):
            simulation.restore(state)
            return in_process(simulation, Law(np.exp(logs), hold, start), round(duration_s / period_s))

        middle, spread, tried, costs = FIRST, np.full(4, 0.7), [], []
        while len(costs) < rollouts:
            count = min(GENERATION, rollouts - len(costs))
            these = [middle, *random.normal(middle, spread, (count - 1, 4))]
            costs += sagbend.run_each(simulations, cost_of, these)
            tried += these
            best = np.array(these)[np.argsort(costs[-count:])[:max(2, count // 10)]]
            middle, spread = best.mean(axis=0), best.std(axis=0) + 0.02
            print(f"{len(costs)} rollouts, cost {min(costs):.4f}", flush=True)
        for simulation in simulations[1:]:
            simulation.close()
    return np.exp(tried[int(np.argmin(costs))]), costs


def over_protocol(program, gains, duration_s):
    """The same law as a client of `sagbend run`; the hash of the last state."""
    with tempfile.TemporaryDirectory() as folder:
        hashes = os.path.join(folder, "hashes")
        sets = [word for key, value in KEYS.items() for word in ("--set", f"{key}={str(value).lower()}")]
        with sagbend.Simulator(CASE, "--mode", "lockstep", "--duration", str(duration_s), "--hashes", hashes, *sets, program=program) as simulator, \
                sagbend.Client(simulator.commands, "tuned") as client:
            law = None
            for s in client.samples(60):
                seen = [s.position_north_m, s.position_east_m, s.heading_rad, s.velocity_north_mps, s.velocity_east_mps, s.heading_rate_radps]
                hold = client.welcome.initial_holding_force
                law = law or Law(gains, [hold.surge_n, hold.sway_n, hold.yaw_nm], seen[:3])
                surge_n, sway_n, yaw_nm = law.wrench(seen)
                client.send_wrench(s, surge_n=surge_n, sway_n=sway_n, yaw_nm=yaw_nm)
            simulator.wait(60)
        with open(hashes) as file:
            return file.read().split()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--length", type=float, default=LENGTH_S, help="of a rollout, s")
    parser.add_argument("--duration", type=float, default=60, help="of the last run, s")
    parser.add_argument("--program", default="sagbend")
    options = parser.parse_args()
    gains, costs = tune(options.rollouts, options.threads, options.length)
    print("gains " + " ".join(f"{g:.4g}" for g in gains) + f", cost {min(costs):.4f}; of the first gains {costs[0]:.4f}")
    with sagbend.Simulation(CASE, overrides=KEYS, controller="caller") as simulation:
        law = Law(gains, simulation.get(HOLD).tolist(), simulation.get(SEEN[:3]).tolist())
        in_process(simulation, law, round(options.duration / (simulation.period_steps * simulation.step_s)))
        here = simulation.hash
    there = over_protocol(options.program, gains, options.duration)
    print(f"state after {options.duration:g} s: in process {here}, over the protocol {there}")
    if here != there:
        raise SystemExit("the states differ")


if __name__ == "__main__":
    main()
