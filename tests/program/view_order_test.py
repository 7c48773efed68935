"""The operator's panel of the page by real clicks: a set-point beyond the outer watch circle asks again; a cancelled one moves nothing; grave
orders are given after another click only."""
from browser import *

require_chromium()
CIRCLES = ["--set", "view.watch_circles_m=[5, 10]"]
simulator = Simulator(JLAY, "--duration", "0", *CIRCLES)
view = Program(os.path.join(BUILD, "sagbend-view"), "--connect", simulator.telemetry, "--operate", simulator.commands, "--listen", "127.0.0.1:0")
browser = Browser()
browser.launch(WITHOUT_WEBGL)
browser.open(view.wait_for(r"(http://\S+/operate\?token=\w+)").group(1), width=1400, height=900)
PANEL = "[data-panel=operate]"


def status():
    return json.loads(run("ctl", simulator.commands, "status", "--json")[1])


def target():
    return status()["setpoint"]


def choose(word):
    until(lambda: browser.count(f"{PANEL} select option[value={word}]") == 1, "the menu", lambda: browser.text(PANEL))
    browser.value(f"(() => {{ const s = document.querySelector('{PANEL} select'); s.value = '{word}'; s.dispatchEvent(new Event('change')); }})()")


def send(**fields):
    for label, number in fields.items():
        browser.fill(f"//*[@data-panel='operate']//label[contains(., '{label}')]//input", str(number))
    browser.click(f"{PANEL} button[type=submit]")


def is_asked():
    return browser.value(f"document.querySelector('{PANEL} dialog').open")


def said(text):
    return lambda: text in (browser.text(f"{PANEL} output[data-role=answer]") or "")


start = target()
choose("set-point")
# Within the circle: no question.
send(north=round(start["north_m"] + 4))
until(said("accepted"), "a set-point within the circle", lambda: browser.text(PANEL))
until(lambda: abs(target()["north_m"] - round(start["north_m"] + 4)) < 1e-9, "the target", target)
check(not is_asked(), "a near set-point is asked twice")

# An absolute number: refused, and asked; cancelled, nothing moves.
send(north=410)
until(is_asked, "no question", lambda: browser.text(PANEL))
question = browser.text(f"{PANEL} dialog")
check("410" in question and "outer watch circle, 10 m" in question and "m from it" in question, "what is asked", question)
check(browser.value("document.activeElement.dataset.role") == "no", "Enter alone would move the vessel")
browser.click(f"{PANEL} dialog [data-role=no]")
until(lambda: not is_asked(), "the dialogue stays open")
check(abs(target()["north_m"] - round(start["north_m"] + 4)) < 1e-9, "a cancelled set-point moves the vessel", target())

# The same, and meant.
send(north=410)
until(is_asked, "no second question", lambda: browser.text(PANEL))
browser.click(f"{PANEL} dialog [data-role=yes]")
until(lambda: abs(target()["north_m"] - 410) < 1e-9, "a set-point that is meant", target, lambda: browser.text(PANEL))
until(said("accepted"), "the answer", lambda: browser.text(PANEL))
check("--far" in browser.text(f"{PANEL} output[data-role=answer]"), "what was given", browser.text(PANEL))

# Other refusals ask nothing; grave orders ask first.
choose("rate")
send(**{"wall clock": 100})
until(said("■ rate 100"), "a rate that is refused", lambda: browser.text(PANEL))
check(not is_asked(), "another refusal asks")
choose("stop")
browser.click(f"{PANEL} button[type=submit]")
until(is_asked, "stop is given at once")
browser.click(f"{PANEL} dialog [data-role=no]")
check(status()["accepted"], "the session goes on after a cancelled stop")
browser.click(f"{PANEL} button[type=submit]")
until(is_asked, "stop asks again")
browser.click(f"{PANEL} dialog [data-role=yes]")
check(simulator.end() == 0, "stop ends the session", simulator.stderr())
errors = [e for e in browser.errors if "WebSocket" not in e]
check(not errors, "errors of the page", errors)
view.signal()
check(view.end() == 0, "the end of the view", view.stderr())
