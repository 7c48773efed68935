"""The alarms of a controller on the page of sagbend-view: beside a session with a controller of another maker, and of its log. They stay
after their end, with both times, until they are acknowledged."""
from browser import *
import sagbend
from sagbend.v1 import envelope_pb2

require_chromium()
BASE = os.path.join(SOURCE, "configs/osv-83m-instruments.yaml")
FROZEN = dict(source="gyro-1", kind="frozen", severity="alarm", text="gyro-1 stands still")
LIMIT = dict(source="power", kind="power_limit", severity="warning", text="power limits the thrusters")
NOTE = dict(source="route", kind="waiting", severity="message", text="the reference waits")


with open(path("case.yaml"), "w") as case:
    case.write(f"extends: {BASE}\nname: two\ncontrollers: [{{name: maker, rank: 1}}, {{name: other, rank: 2}}]\n")
simulator = Simulator(path("case.yaml"), "--mode", "lockstep", "--duration", "0", "--log", path("a.mcap"), "--set", "simulation.step_s=0.05")
view = View("--connect", simulator.telemetry)
browser = Browser()
browser.launch(WITHOUT_WEBGL)
browser.open(view.address, 1280, 900)
class Other(CommandPeer):
    """It stands by; in lockstep each step waits for it."""

    def send(self, kind, **fields):
        envelope = envelope_pb2.Envelope()
        message = getattr(envelope, kind)
        self.sequence += 1
        message.header.protocol, message.header.sequence, message.header.session = 1, self.sequence, self.session
        message.controller_id = self.name
        for field, value in fields.items():
            setattr(message, field, value)
        if kind == "command":
            message.standby.SetInParent()
            message.alarm.add(source="position", kind=8, severity=3, text="no position left")
        self.socket.send(envelope.SerializeToString())

    def answer(self, step):
        while self.receive("sensors").header.step < step:
            pass
        self.send("command", based_on_step=step, shadow=True)


client = sagbend.Client(simulator.commands, name="maker")
other = Other(simulator, "other")
other.send("hello", name="other")
other.session = other.receive("welcome").header.session
samples = client.samples()


def answer(*alarms):
    sensors = next(samples)
    other.answer(sensors.header.step)
    client.send_standby(sensors, alarms=alarms)
    return sensors.header.step


def row(name):
    """Title, times, text, words and category of a line of the list; None: there is none."""
    return browser.value(f"""(() => {{ const item = document.querySelector('[data-panel="alarms"] [data-alarm="{name}"]');
        return item && [...item.querySelectorAll('b, time, .value, .word')].map((e) => e.textContent).concat(item.dataset.category, item.dataset.kind); }})()""")


def until_row(name, words, *alarms):
    """Answers Sensors with these alarms until the line has these words: a session in lockstep goes no further by itself."""
    until(lambda: answer(*alarms) >= 0 and (row(name) or [""] * 4)[3] == words, words, lambda: row(name), lambda: simulator.stderr())


def clock(time_s):
    return f"0:{int(time_s) // 60:02d}:{time_s % 60:04.1f}"


answer()
began = answer(FROZEN, LIMIT, NOTE) * 0.05
until_row("gyro-1: frozen", "alarm, active", FROZEN, LIMIT, NOTE)
check(row("gyro-1: frozen") == ["DP: gyro-1: frozen", clock(began), "gyro-1 stands still", "alarm, active", "alarm", "controller"], "the alarm", row("gyro-1: frozen"), began)
check(row("power: power_limit")[0::3] == ["DP: power: power limit", "warning, active"] and row("route: waiting")[3:5] == ["caution, active", "caution"], "warning and message",
      row("power: power_limit"), row("route: waiting"))

# The panel of controllers: who stands by, and why it could not command.
until(lambda: answer(FROZEN, LIMIT, NOTE) and "other stands by: not ready, it has no position reference; 1 alarm: no position left" in
      browser.text('[data-panel="controller"]'), "the one that stands by", lambda: browser.text('[data-panel="controller"]'))

# It ends and stays, with the time of its end; another one that is acknowledged says so.
ended = answer(LIMIT) * 0.05
until_row("gyro-1: frozen", "alarm, rectified", LIMIT)
first, last = row("gyro-1: frozen")[1].split(" to ")
check(first == clock(began) and ended - 0.1 <= float(last[5:]) + 60 * int(last[2:4]) <= ended + 1, "both times", row("gyro-1: frozen"), ended)
browser.click('[data-alarm="gyro-1: frozen"] button')
until(lambda: row("gyro-1: frozen")[3] == "alarm, rectified, acknowledged", "acknowledged", lambda: row("gyro-1: frozen"))
check(row("power: power_limit")[3] == "warning, active", "the other one goes on", row("power: power_limit"))

# A controller that comes later finds them; so does a page of the log.
while answer(LIMIT) * 0.05 <= ended + 12:
    pass  # more than the time within which an alarm is continued
answer(LIMIT, FROZEN)
until_row("gyro-1: frozen", "alarm, active", LIMIT, FROZEN)
simulator.signal()
check(simulator.end() == 0, "the end", simulator.stderr())
client.close()
view.signal()
view = View(path("a.mcap"))
browser.open(view.address, 1280, 900)
until(lambda: browser.value("Number(document.querySelector('.playback input')?.max ?? 0)") > 12, "no player")
browser.value("""(() => { const slider = document.querySelector('.playback input'); slider.value = slider.max; slider.dispatchEvent(new Event('change')); })()""")
until(lambda: row("gyro-1: frozen") and row("gyro-1: frozen")[2] == "2 times, gyro-1 stands still", "the alarms of the log", lambda: row("gyro-1: frozen"))
check(row("power: power_limit") and row("route: waiting")[3] == "caution, rectified", "all of them", row("power: power_limit"), row("route: waiting"))
