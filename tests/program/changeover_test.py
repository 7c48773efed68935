"""Redundant controllers, with two sagbend-dp as a pair: changeover by order, message and loss, without a step of the thrust; who stands by is
followed; intruders, a second one of the same name, commands after a changeover; log, replay and checkpoint."""
from harness import *
from sagbend.v1 import envelope_pb2

PAIR = os.path.join(SOURCE, "configs/osv-83m-pair.yaml")
EARLY = ["--set", "event_time_scale=0.02"]


def status(simulator):
    return json.loads(simulator.ctl("status", "--json"))


def peers(simulator):
    return {p["name"]: p for p in status(simulator)["peer"]}


def listed(simulator, name):
    return peers(simulator).get(name, {}).get("listed") or {}


def pair(folder):
    """The arguments of the two DP controllers, with a link of their own."""
    ends = {name: f"ipc://{path(folder + name)}" for name in "ab"}
    return {name: ["--set", f"pair.listen={ends[name]}", "--set", f"pair.other={ends[other]}", *EARLY] for name, other in ("ab", "ba")}


def start(simulator, name, links, *more):
    return controller(simulator, *links[name], *more, config=os.path.join(SOURCE, f"configs/osv-83m-pair-{name}-dp.yaml"))


def changeover(simulator, to, of, cause, since=0):
    """Waits for this changeover behind the position in what the simulator has printed; returns gap and step of the thrust, and the next position."""
    form = (rf"dp-{to} commands in place of dp-{of} \({cause}\), after (\d+) steps without a command; the thrust asked for stepped by (\S+) kN and (\S+) kN m so far, "
            rf"before by at most (\S+) kN and (\S+) kN m")
    until(lambda: re.search(form, simulator.stderr()[since:]), f"dp-{to} in place of dp-{of} by {cause}", simulator.stderr()[-3000:])
    found = re.search(form, simulator.stderr()[since:])
    gap, *steps = (float(x) for x in found.groups())
    return gap, steps, since + found.end()


def is_bumpless(steps):
    return steps[0] <= 1.5 * steps[2] and steps[1] <= 1.5 * steps[3]


class Peer(CommandPeer):
    """A controller whose messages are the test's."""

    def hello(self, *expected):
        envelope, message = self.envelope("hello")
        message.controller_id, message.name = self.id, self.name
        self.socket.send(envelope.SerializeToString())
        answer = self.receive(*expected or ("welcome",))
        self.session = answer.header.session
        return answer

    def __init__(self, simulator, name, number="1"):
        super().__init__(simulator, name)
        self.id = name + number

    def command(self, step, **more):
        envelope, message = self.envelope("command")
        message.controller_id, message.based_on_step = self.id, step
        message.wrench.surge_n = 1e4
        for field, value in more.items():
            setattr(message, field, value)
        self.socket.send(envelope.SerializeToString())

    def refused(self, text):
        refusal = self.receive("refusal")
        check(text in refusal.text, f"'{text}' expected", refusal)
        return refusal


# --- the one that stands by follows to the last bit: with changeovers and without, the vessel ends in the same state ---
def ends_in(name, changes):
    links = pair(name)
    simulator = Simulator(PAIR, "--mode", "lockstep", "--duration", "100", "--summary", path(name + ".json"))
    b, a = start(simulator, "b", links), None
    simulator.wait_for("standby_ready")
    a = start(simulator, "a", links)
    at = 0
    for to, of in changes:
        simulator.go_on(700)
        simulator.ctl("take-over", "dp-" + to)
        _, _, at = changeover(simulator, to, of, "order", at)
    check(simulator.end() == 0 and a.end() == 0 and b.end() == 0, "the end", simulator.stderr(), a.stderr(), b.stderr())
    with open(path(name + ".json")) as file:
        return json.load(file)


plain, changed = ends_in("p", []), ends_in("c", ["ba", "ab", "ba"])
check((plain["changeovers"]["changeovers"], changed["changeovers"]["changeovers"]) == (0, 3), "changeovers", changed["changeovers"])
check(plain["state_hash"] == changed["state_hash"], "the same state", plain["state_hash"], changed["state_hash"], changed["changeovers"])

# --- lockstep, all causes; the same bits in the replay ---
links = pair("l")
simulator = Simulator(PAIR, "--mode", "lockstep", "--duration", "0", "--log", path("lockstep.mcap"), "--summary", path("lockstep.json"))
b = start(simulator, "b", links)
simulator.wait_for("standby_ready: dp-b .number 1. stands by")
check(not peers(simulator)["dp-b"]["in_command"] and status(simulator)["step"] == 0, "the least rank commands first, and is waited for", status(simulator))
a = start(simulator, "a", links)
a.wait_for("takes over")
now = peers(simulator)
check(now["dp-a"]["in_command"] and now["dp-b"]["listed"]["standby"] == "ready" and now["dp-b"]["listed"]["rank"] == 2, "who stands by", now)
simulator.go_on(300)

# An order to the one in command changes nothing: the answer that has come counts, and the run goes on.
for _ in range(20):
    check("a controller that stands by expected, dp-a is in command" in simulator.ctl("take-over", "dp-a", expect=1), "it says so")
simulator.go_on(100)

# A fault that silences the one in command while its answer is awaited: the run goes on.
a.suspend()
until(lambda: "state          waiting" in simulator.ctl("status"), "an answer is awaited", simulator.stderr()[-2000:])
fault = simulator.ctl("fault", "controller_silent", "--target", "dp-a").strip()
_, _, at = changeover(simulator, "b", "a", "loss")
a.resume()
a.wait_for("stands by; in command: dp-b")  # behind its late answer
simulator.ctl("clear", fault)
until(lambda: listed(simulator, "dp-a").get("standby") == "ready", "it is back", simulator.stderr()[-2000:])
simulator.ctl("take-over", "dp-a")
_, _, at = changeover(simulator, "a", "b", "order", at)

# One that ends while an answer is awaited: who was silenced gets the Sensors that were kept from it.
fault = simulator.ctl("fault", "controller_silent", "--target", "dp-b").strip()
simulator.go_on(200)
a.suspend()
until(lambda: "state          waiting" in simulator.ctl("status"), "an answer is awaited", simulator.stderr()[-2000:])
simulator.ctl("clear", fault)
a.resume()
simulator.go_on(6000)

simulator.ctl("take-over", "dp-b")
gap, steps, at = changeover(simulator, "b", "a", "order", at)
check(is_bumpless(steps), "an ordered changeover is without a step", steps)
until(lambda: listed(simulator, "dp-a").get("follows"), "it follows", lambda: peers(simulator))
simulator.go_on(500)
b.signal(signal.SIGUSR1)
b.wait_for("hands over to dp-a")
gap, steps, at = changeover(simulator, "a", "b", "message", at)
check(is_bumpless(steps), "a hand-over is without a step", steps)
simulator.go_on(500)
said = len(b.stderr())
a.kill()
gap, steps, at = changeover(simulator, "b", "a", "loss", at)
check(is_bumpless(steps), "a loss is without a step", steps)
simulator.go_on(3000)
until(lambda: "the other controller of the pair is silent" in b.stderr()[said:], "the other one notices", b.stderr())
a = start(simulator, "a", links)
until(lambda: listed(simulator, "dp-a").get("standby") == "ready", "it comes back and stands by", simulator.stderr()[-2000:])
check(peers(simulator)["dp-b"]["in_command"], "who is in command stays in command", peers(simulator))
until(lambda: "the other controller of the pair is there" in b.stderr()[said:], "the pair is complete", b.stderr())
a.wait_for("stands by; in command: dp-b")
a.wait_for("follows dp-b")
b.signal(signal.SIGTERM)
check(b.end() == 0, "an end", b.stderr())  # it hands over before it ends
gap, steps, at = changeover(simulator, "a", "b", "message", at)
check(is_bumpless(steps), "an orderly end hands over", steps, b.stderr())
b = start(simulator, "b", links)
until(lambda: listed(simulator, "dp-b").get("standby") == "ready", "ready again", simulator.stderr()[-2000:])
b.kill()
simulator.wait_for("standby_lost.*dp-b .number 4. stood by, and has gone")
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
with open(path("lockstep.json")) as file:
    summary = json.load(file)
check(summary["changeovers"]["changeovers"] == 6, "all of them are counted", summary["changeovers"])
check(summary["commands"]["split_brain"] == 0, "nobody else commanded", summary["commands"])
check_replay("lockstep.mcap")

# --- in real time: who may command; nobody who should not ---
with open(JLAY) as source, open(path("case.yaml"), "w") as case:
    case.write(source.read().replace("dp_file: ", f"dp_file: {SOURCE}/configs/") +
               "\ncontrollers: [{name: one, rank: 1}, {name: two, rank: 2}]\n")
CASE = path("case.yaml")
simulator = Simulator(CASE, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT, "--log", path("realtime.mcap"), "--set", "network.changeover=zero",
                      "--summary", path("realtime.json"), "--checkpoint", path("state"))
two, one = Peer(simulator, "two"), Peer(simulator, "one")
welcome = two.hello()
check(not welcome.redundancy.in_command and welcome.redundancy.commander == "one" and welcome.redundancy.rank == 2, "two stands by", welcome.redundancy)
check(one.hello().redundancy.in_command, "one commands")


def newest_step(peer):
    """The step of Sensors that come from now on. Who has said nothing for 3 s, as on a busy machine, is forgotten, and joins again."""
    while peer.socket.poll(0):
        peer.socket.recv()
    peer.hello()
    known = step = peer.receive("sensors").header.step  # Hello brings the newest once more
    while step == known:
        step = peer.receive("sensors").header.step
    return step


one.command(newest_step(one))
simulator.wait_for("command_first")

# Two that command at once: the one in command stays so.
two.command(newest_step(two))
two.refused("two stands by, one is in command")
simulator.wait_for(r"split_brain.*two .number \d+. commands, and one .number \d+. is in command and stays so")
two.command(newest_step(two), shadow=True)
until(lambda: listed(simulator, "two").get("standby") == "ready", "a shadow command is a sign of life", peers(simulator))
now = peers(simulator)
check(now["one"]["in_command"] and now["two"]["listed"].get("refused") == 1, "counted by name", now)
check(not now["two"]["listed"].get("follows"), "nobody has answered the same Sensors: ready is no more than that", now)

# A second one of the same name, and one that is not listed.
one.command(newest_step(one))  # who says nothing for 3 s is forgotten
two.command(newest_step(two), shadow=True)
Peer(simulator, "two", "again").hello("refusal")
check("two (number " in Peer(simulator, "Two", "again").hello("refusal").text, "who has the name")
stranger = Peer(simulator, "three")
check(stranger.hello().redundancy.rank == 0, "not listed")
stranger.command(newest_step(stranger))
stranger.refused("controllers does not list three")
check("a controller that the case lists expected" in simulator.ctl("take-over", "three", expect=1), "an order for a stranger")

# An order: the first welcome after it tells both, then the old one's commands are late, and later ones a claim.
one.command(newest_step(one))
two.command(newest_step(two), shadow=True)
before = newest_step(one)
check("a controller that stands by expected, one is in command" in simulator.ctl("take-over", "one", expect=1), "nothing to take over")
check("warning" not in simulator.ctl("take-over", "two"), "two is ready")
simulator.wait_for(r"changeover_began.*the command is taken from one .order. and given to two; until a controller commands, no thrust acts")
check(not one.receive("welcome").redundancy.in_command and two.receive("welcome").redundancy.in_command, "both are told")
simulator.wait_for_telemetry("truth", lambda m: m.applied_wrench.surge_n == 0)
one.command(before)
one.refused("one stands by, two is in command")
two.command(newest_step(two))
simulator.wait_for(r"changeover: two commands in place of one .order.")
check(len(re.findall("split_brain", simulator.stderr())) == 1, "what was on its way is no claim", simulator.stderr())
one.command(newest_step(one))
one.refused("one stands by")
until(lambda: len(re.findall("split_brain", simulator.stderr())) == 2, "a claim", simulator.stderr())

# A hand-over.
two.command(newest_step(two), hand_over="nobody")
two.refused("hand_over: the name of a connected controller")
two.command(newest_step(two), shadow=True, hand_over="one")
two.refused("hand_over is not allowed with shadow")
two.command(newest_step(two), hand_over="one")
check(one.receive("welcome").redundancy.in_command, "one is told")
one.command(newest_step(one))
simulator.wait_for(r"changeover: one commands in place of two .message.")
until(lambda: two.hello() and listed(simulator, "two").get("standby") == "silent", "two shows no sign of life", lambda: peers(simulator))
two.hello()
check("warning: two has shown no sign of life" in simulator.ctl("take-over", "two"), "the reply says so")
simulator.ctl("take-over", "one")
one.command(newest_step(one))
simulator.wait_for("changeover_undone: one, from which the command had been taken, commands again")
simulator.ctl("take-over", "two")
simulator.go_on(200)
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
check_replay("realtime.mcap")
with open(path("realtime.json")) as file:
    summary = json.load(file)
commands, changeovers = summary["commands"], summary["changeovers"]
check(changeovers["changeovers"] == 2 and changeovers["changeover_open"] == 1 and changeovers["changeover_gap_s"] >= 2, "an open gap counts", changeovers)
check(commands["split_brain"] == 2 and commands["refused_on_their_way"] == 1 and commands["refused_by_reason"]["standby"] == 6, "counts", commands)

# A session that goes on: the one to which the order gave the command has it still.
simulator = Simulator(CASE, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT, "--log", path("resumed.mcap"), "--set", "network.changeover=zero",
                      "--resume", path("state"))
one, two = Peer(simulator, "one"), Peer(simulator, "two")
check(not one.hello().redundancy.in_command and two.hello().redundancy.in_command, "two has the command")
two.command(newest_step(two))
simulator.wait_for(r"changeover: two commands in place of one .order.")
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
check_replay("resumed.mcap")

# --- without a link of their own: who commands first learns of a successor that joins later, and hands over to it when it is told to end ---
simulator = Simulator(CASE, "--mode", "realtime", "--duration", "0", *ANY_LAG, *PATIENT)
one = controller(simulator, "--name", "one", *EARLY)
one.wait_for("is in command")
two = Peer(simulator, "two")
two.hello()
one.wait_for("next in command: two")
one.signal()
check(one.end() == 0 and "hands over to two" in one.stderr(), "an end hands over", one.stderr())
simulator.wait_for("changeover_began: the command is taken from one .message. and given to two")
simulator.signal()
check(simulator.end() == 0, "the end", simulator.stderr())

# --- two that hand over to each other at each sample: some lines, then their number, in the replay as well ---
simulator = Simulator(CASE, "--mode", "lockstep", "--duration", "21", "--log", path("storm.mcap"), "--summary", path("storm.json"))
both = [Peer(simulator, name) for name in ("one", "two")]
for peer in both:
    peer.hello()
newest = {peer: -1 for peer in both}  # step of the newest Sensors that each has read


def read(peer, least):
    while newest[peer] < least:
        newest[peer] = peer.receive("sensors").header.step


step = -1
while step < 2000:
    read(both[0], step + 1)
    step = newest[both[0]]
    read(both[1], step)
    both[1].command(step, shadow=True)
    both[0].command(step, hand_over=both[1].name)
    both.reverse()
for peer in both:
    peer.socket.close()
simulator.ctl("stop")
check(simulator.end() == 0, "the end", simulator.stderr())
check_replay("storm.mcap")
with open(path("storm.json")) as file:
    count = json.load(file)["changeovers"]["changeovers"]
lines = re.findall(r": changeover(?:_began)?: ", simulator.stderr())
sums = [int(n) for n in re.findall(r"changeover: (\d+) more steps of 10\S* s with a changeover and no line; \d+ changeovers in all", simulator.stderr())]
check(count > 100 and len(lines) < 60 and len(sums) == 2 and sum(sums) > 100, "a storm has few lines, and all are counted", count, len(lines), sums, simulator.stderr())

# --- failures of controllers, in simulated time: the same bits again, and in the replay ---
with open(path("failures.yaml"), "w") as case:
    case.write(f"""extends: {PAIR}
name: failures
controller: {{dp_file: {SOURCE}/configs/osv-83m-pair-a-dp.yaml}}
events:
  - {{name: a is lost, at_s: 20, duration_s: 15, fault: controller_silent, target: dp-a}}
  - {{name: b is wrong, at_s: 50, duration_s: 3, fault: controller_wrong, target: dp-b, factor: 0.2}}
verdicts:
  - {{name: bumpless, quantity: changeover_step_n, below: 60e3}}
  - {{name: gap, quantity: changeover_gap_s, below: 1.15}}
  - {{name: ready and equal, quantity: standbys_following, above: 0.5, from_s: 2, to_s: 20}}
  - {{name: a is silent, quantity: standbys_ready, below: 0.5, from_s: 22, to_s: 34.9}}
  - {{name: a is back, quantity: standbys_following, above: 0.5, from_s: 40, to_s: 50}}
  - {{name: a is ready again, quantity: standbys_ready, above: 0.5, from_s: 51, to_s: 53}}
  - {{name: a does not follow, quantity: standbys_following, below: 0.5, from_s: 51, to_s: 53}}
""")


def failures(name):
    links = pair(name)
    simulator = Simulator(path("failures.yaml"), "--mode", "lockstep", "--duration", "60", "--log", path(name + ".mcap"), "--summary", path(name + ".json"))
    b = start(simulator, "b", links)
    simulator.wait_for("standby_ready")  # its end of the link is open before the other one begins
    a = start(simulator, "a", links)
    check(simulator.end() == 0 and a.end() == 0 and b.end() == 0, "the end", simulator.stderr(), a.stderr(), b.stderr())
    with open(path(name + ".json")) as file:
        return json.load(file), simulator.stderr(), b.stderr()


summary, said, by_b = failures("f")
check(re.search(r"t = 20.9\d0 s: changeover_began: the command is taken from dp-a .loss.", said) and "dp-b commands in place of dp-a (loss)" in said, "a loss after the time-out", said)
check("the other controller of the pair is silent" in by_b and "the other controller of the pair is there" in by_b, "the other one notices", by_b)
check(summary["changeovers"]["changeover_seat"] == 2 and summary["changeovers"]["changeovers"] == 1, "who comes back stands by", summary["changeovers"])
check(summary["changeovers"]["changeover_gap_s"] > 1, "the gap begins with the last command, not when its loss is noticed", summary["changeovers"])
check({v["result"] for v in summary["verdicts"]} == {"passed"}, "verdicts", summary["verdicts"])
again, _, _ = failures("g")
check(again["state_hash"] == summary["state_hash"], "the same bits again", summary["state_hash"], again["state_hash"])
check_replay("f.mcap")

# --- trials start what the plan names: without a program that starts both, one sagbend-dp would wait for the other for ever ---
with open(path("trials.yaml"), "w") as plan:
    plan.write(f"""name: pair
base: {PAIR}
mode: lockstep
conditions: [{{id: S1, set: {{environment.wind: {{speed_mps: 8, direction_deg: 0}}}}}}]
limits: [{{name: position, quantity: offset_m, below: 10}}]
only: ['dp-a/*']
""")
done, out, err = run("trials", path("trials.yaml"), "--out", path("trials"))
check(done != 0 and "controller.command: a program that starts all controllers of the case expected" in err, "a plan without the pair", out, err)
