"""The page of sagbend-view beside telemetry that changes: another version of the protocol, an older simulator, numbers that are none, the
end of a session with verdicts that did not pass, a new session. A relay between a real simulator and the view alters the messages."""
import threading
from browser import *

require_chromium()
with open(path("case.yaml"), "w") as file:
    file.write(f"""extends: {VESSEL}
name: states
simulation: {{mode: realtime, duration_s: 0}}
verdicts:
  - {{name: easy, quantity: offset_m, below: 5000}}
  - {{name: hopeless, quantity: offset_m, below: 0.0001}}
  - {{name: later, quantity: offset_m, below: 5000, from_s: 1000000}}
  - {{name: never bad, quantity: offset_m, below: 5000, expect: violated}}
""")


class Relay:
    """Passes telemetry on, each message as `alter` leaves it; None: it is left out."""

    def __init__(self):
        self.out = zmq.Context.instance().socket(zmq.PUB)
        self.out.linger = 0
        self.endpoint = f"tcp://127.0.0.1:{self.out.bind_to_random_port('tcp://127.0.0.1')}"
        self.alter = lambda topic, message: message
        self.source, self.lock, self.numbers = None, threading.Lock(), {}
        threading.Thread(target=self.work, daemon=True).start()

    def follow(self, endpoint):
        source = zmq.Context.instance().socket(zmq.SUB)
        source.subscribe("")
        connect_and_wait(source, endpoint)
        with self.lock:
            self.source = source

    def work(self):
        while True:
            with self.lock:
                source = self.source
            if not source:
                time.sleep(0.01)
            elif source.poll(20):
                topic, data = source.recv_multipart()
                message = self.alter(topic.decode(), telemetry_kinds()[topic.decode()].FromString(data))
                if message is not None:
                    self.out.send_multipart([topic, message.SerializeToString()])


def version_2(topic, message):
    message.header.protocol = 2
    return message


def older(topic, message):
    """A simulator of before the topics session, status and dp, and before Truth had a target."""
    message.header.session = "older"
    if topic == "truth":
        message.ClearField("target")
    return message if topic not in ("session", "status", "dp") else None


def broken(topic, message):
    message.header.session = "older"
    if topic == "truth":
        message.position_north_m = float("nan")
    return message if topic == "truth" else None


relay = Relay()
simulator = Simulator(path("case.yaml"))
relay.follow(simulator.telemetry)
view = View("--connect", relay.endpoint)
browser = Browser()
browser.launch(WITHOUT_WEBGL)
browser.open(view.address)
CLOCK = "Number(document.querySelector('[data-quantity=heading_deg]').dataset.step)"
is_old = lambda: browser.value("document.documentElement.dataset.old") == "true"


def goes_on(what):
    """Waits until the page shows a step, and then a later one."""
    until(lambda: browser.value(CLOCK) is not None, what)
    step = browser.value(CLOCK)
    until(lambda: (browser.value(CLOCK) or 0) > (step or 0), what)


browser.until_text("[data-role=case]", lambda text: text == "states", "the page does not show the case")
browser.until_text('[data-verdict="hopeless"] .state', lambda text: "▲ violated" in text, "the verdict is not violated")
browser.until_text('[data-panel="verdicts"] .note', lambda text: text == "1 of 4 would pass now", "the verdicts")
goes_on("the page stands still")
until(lambda: not is_old(), "present data are dimmed")

# Another version of the protocol: a red line, and the old data are dimmed; until the simulator speaks version 1 again.
relay.alter = version_2
browser.until_text('.banner[data-state="alarm"]', lambda text: "Another version of the protocol" in text and "protocol 2" in text, "no red line")
check(browser.value("getComputedStyle(document.querySelector('.banner')).display") != "none", "the line is hidden")
until(is_old, "old data are not dimmed")
relay.alter = lambda topic, message: message
until(lambda: browser.value("document.querySelector('.banner').hidden"), "the red line stays")
goes_on("no data after another version")
print("versions", flush=True)

# An older simulator: what it sends is shown, and nothing of the session before.
relay.alter = older
browser.until_text("[data-role=case]", lambda text: text == "", "the name of the session before remains")
browser.until_text('[data-panel="verdicts"] .note', lambda text: text == "this case has none", "verdicts of the session before remain")
browser.until_text("[data-quantity=heading_deg]", lambda text: re.fullmatch(r"\d{3}\.\d", text), "no heading")
goes_on("an older simulator is not shown")

# Numbers that are none are left out and counted, and do not reach the page.
relay.alter = broken
browser.until_text("[data-role=source]", lambda text: "no data" in text, "messages with NaN count as data")
relay.alter = older
browser.until_text("[data-role=source]", lambda text: re.search(r"live, \d+ messages unreadable", text), "the page does not count what was left out")
goes_on("no data after unreadable ones")
print("older, broken", flush=True)

# The session ends: each verdict that did not pass is an alarm, and so are those that were never judged.
relay.alter = lambda topic, message: message
browser.until_text("[data-role=case]", lambda text: text == "states", "the page does not show the case again")
browser.until_text('[data-verdict="hopeless"] .state', lambda text: "▲ violated" in text, "the verdict is not violated")
simulator.signal()
browser.until_text(".banner", lambda text: "The session has ended: stopped" in text and "failed: 1 of 4 verdicts passed" in text, "the page does not show the end with its result")
check("ended: stopped" in browser.text("[data-role=run]") and browser.value("document.querySelector('[data-role=run]').dataset.state") == "alarm", "the bar", browser.text("[data-role=run]"))
browser.until_text('[data-panel="verdicts"] .note', lambda text: text == "1 of 4 passed", "the verdicts at the end")
state = lambda name: browser.text(f'[data-verdict="{name}"] .state')
check((state("easy"), state("hopeless")) == ("✓ within", "▲ violated"), "verdicts", state("easy"), state("hopeless"))
check((state("later"), state("never bad")) == ("▲ failed: not judged yet", "▲ failed: within"), "verdicts", state("later"), state("never bad"))
check(browser.value("""document.querySelector('[data-panel="verdicts"] .note').dataset.state""") == "alarm", "a failure is no alarm")
browser.until_text("[data-role=source]", lambda text: "no data" in text, "no silence after the end")
check(not is_old(), "the last state of a session that has ended is dimmed")

# The next session begins without anything of it.
again = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
relay.follow(again.telemetry)
browser.until_text("[data-role=case]", lambda text: text == "vessel-only", "the next session is not shown")
until(lambda: browser.value("document.querySelector('.banner').hidden"), "the line of the end stays")
check(browser.count("[data-verdict]") == 0, "verdicts of the session before remain")
# Without a sound from it the data are old.
again.kill()
browser.until_text(".banner", lambda text: "No data since" in text, "the page does not say that data are missing")
until(is_old, "old data are not dimmed")
errors = [error for error in browser.errors if "WebGL" not in error]
check(not errors, "errors on the console", *errors)
view.signal()
check(view.end() == 0, "the view", view.stderr())
