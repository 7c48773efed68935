"""Alarms of a controller (Command.alarm): quantity, verdicts, summary and replay, of the controller inside and of one outside that the
Python client makes; a peer that lies about them; keys of verdicts that are wrong."""
from harness import *
import sagbend

BASE = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")


def write(name, *lines):
    with open(path(name), "w") as file:
        file.write("\n".join(lines) + "\n")
    return path(name)


def verdicts_of(summary):
    return {v["name"]: v["result"] for v in summary["verdicts"]}


# The controller inside: an alarm that comes, one that does not, none at first, none at all.
config = write("inside.yaml", f"extends: {BASE}", "name: inside", f"controller: {{kind: sampled, dp_file: {DP}}}",
               "simulation: {step_s: 0.05}", "events: [{name: f, at_s: 15, duration_s: 10, fault: no_output, target: gnss-1}]", "verdicts:",
               "  - {name: told, alarm: {sources: [gyro-1, gnss-1], kinds: [rejected, lost]}, after: f, within_s: 8}",
               "  - {name: any, alarm: {}, after: f, within_s: 8}",
               "  - {name: too late, alarm: {sources: [gnss-1]}, after: f, within_s: 1}",
               "  - {name: other source, alarm: {sources: [gyro-1]}, after: f, within_s: 8}",
               "  - {name: other kind, alarm: {sources: [gnss-1], kinds: [frozen]}, after: f, within_s: 8}",
               "  - {name: quiet, alarm: none, to_s: 14}", "  - {name: quiet always, alarm: none}",
               "  - {name: by quantity, quantity: alarms_active, below: 1}")
status, out, err = run("run", config, "--mode", "fast", "--duration", "40", "--summary", path("inside.json"), "--log", path("inside.mcap"))
summary = load(path("inside.json"))
check(status == 1 and verdicts_of(summary) == {
    "told": "passed", "any": "passed", "too late": "failed", "other source": "failed", "other kind": "failed", "quiet": "passed",
    "quiet always": "failed", "by quantity": "passed"}, "verdicts", status, summary["verdicts"], err)
lost = [a for a in summary["alarms"]["list"] if a["source"] == "gnss-1" and a["kind"] == "lost"]
check(len(lost) == 1 and 15 < lost[0]["from_s"] <= 23 and 25 < lost[0]["to_s"] < 40 and lost[0]["severity"] == "warning", "summary", summary["alarms"])
active = sum(a["to_s"] is None for a in summary["alarms"]["list"])
check(summary["commands"]["alarms_active"] == active and f"{active} active at the end" in out, "active at the end", summary["alarms"], out)
check("alarm of gyro-1 or gnss-1, lost or rejected, within 8 s: came" in out, "the story", out)
check_replay(path("inside.mcap"))

# A controller of another maker, which tells the truth and then lies: each lie is refused and leaves the alarms as they are.
simulator = Simulator(BASE, "--mode", "lockstep", "--duration", "0", "--summary", path("liar.json"), "--log", path("liar.mcap"), "--set",
                      "verdicts=[{name: heading, alarm: {sources: [gyro-1], kinds: [frozen]}, within_s: 60}, {name: quiet, alarm: none}]")
client = sagbend.Client(simulator.commands, name="liar")
samples = client.samples()
TRUE = dict(source="gyro-1", kind="frozen", severity="alarm", text="gyro-1 stands still")
NOTE = dict(source="power", kind="power_limit", severity="message", text="a note")
for alarms in ((), (NOTE,), (NOTE, TRUE), (NOTE, TRUE)):
    for _ in range(2):
        client.send_standby(next(samples), alarms=alarms)
LIES = (([dict(TRUE, source=f"gnss-{i % 3 + 1}", kind=i // 3 + 1) for i in range(17)], "16"), ([dict(TRUE, source="gnss-9")], "gnss-9"),
        ([TRUE, TRUE], "listed twice"), ([dict(TRUE, text="y" * 80)], "79"), ([dict(TRUE, text="\u00e9")], "ASCII"), ([dict(TRUE, kind=77)], "kind"),
        ([dict(TRUE, severity=0)], "severity"), ([dict(TRUE, source="")], "source"))
for alarms, word in LIES:
    before = client.refusal_count
    sensors = next(samples)
    client.send_standby(sensors, alarms=alarms)

    def is_refused():
        client.receive(0.05)
        return client.refusal_count > before
    until(is_refused, "the refusal", alarms)
    check(word in client.refusals[-1].text, "the refusal names its reason", client.refusals[-1].text)
    client.send_standby(sensors, alarms=[NOTE, TRUE])
try:
    client.send_standby(next(samples), alarms=[dict(TRUE, kind="late")])
    check(False, "a word that is none")
except ValueError as error:
    check("rejected" in str(error) and "'late'" in str(error), "the words that are expected", error)
simulator.signal()
status = simulator.end()
client.close()
summary = load(path("liar.json"))
check(verdicts_of(summary) == {"heading": "passed", "quiet": "failed"} and status == 1, "verdicts of the liar's run", summary["verdicts"])
check([(a["source"], a["to_s"]) for a in summary["alarms"]["list"]] == [("power", None), ("gyro-1", None)], "no lie was taken", summary["alarms"])
check(summary["commands"]["alarms_active"] == 1 and summary["commands"]["refused"] == len(LIES), "a message is no alarm", summary["commands"])
check_replay(path("liar.mcap"))

# What is wrong in a configuration is said at its place.
bad = write("bad.yaml", f"extends: {BASE}", "name: bad", "verdicts:", "  - {name: a, alarm: {sources: [gnss-9], kinds: [late]}, within_s: 10}",
            "  - {name: b, alarm: {sources: gnss-1}}", "  - {name: c, alarm: some}", "  - {name: d, alarm: none, within_s: 3}",
            "  - {name: e, alarm: none, quantity: offset_m}", "  - {name: f}", "  - {name: g, quantity: offset_m, below: 3, within_s: 3}",
            "  - {name: h, alarm: {source: [gnss-1]}, within_s: 3, for_s: 2, to_s: 4, below: 3}")
status, out, err = run("check", bad)
for place, words in (("4:33", "the name of an instrument"), ("4:50", "kind of alarm"), ("5:5", "needs within_s"), ("5:32", "a list of 1 to 8 names"),
                     ("6:22", "none or section"), ("7:38", "from_s and to_s"), ("8:5", "exactly one of quantity and alarm"),
                     ("9:5", "exactly one of quantity and alarm"), ("10:55", "give to_s"), ("11:23", "did you mean sources?"), ("11:62", "for_s is not allowed"),
                     ("11:71", "give within_s"), ("11:81", "below")):
    check(any(line.startswith(f"{bad}:{place}: error: ") and words in line for line in err.splitlines()), "the error", place, words, err)
status, out, err = run("check", write("none.yaml", f"extends: {BASE}", "name: none", "controller: {kind: none}", "verdicts: [{name: a, alarm: none}]"))
check(status == 2 and "sampled or external" in err, "without a controller", err)
