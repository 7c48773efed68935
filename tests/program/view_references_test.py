"""Position references on the page: each with its principle, residual, weight and status, live and from a log; hidden without a controller
that shows them. Charge and power of each battery in the diagram of the plant."""
from browser import *

require_chromium()
BASE = os.path.join(SOURCE, "configs/osv-83m-class-2.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-references-dp.yaml")
SPEED = ("--set", "simulation.step_s=0.05", "--set", "pipe.elements=20", "--set", "simulation.mode=realtime", "--duration", "0")
NAMES = {"gnss-1", "gnss-2", "gnss-3", "hpr-1", "lbl-1", "wire-1", "laser-1", "radar-1"}


def rows():
    """Name -> (texts of its cells, kind of its status, step)."""
    found = browser.value("""[...document.querySelectorAll('[data-panel=references] tbody tr')].map((row) =>
        [row.dataset.reference, [...row.children].map((e) => e.textContent), row.lastElementChild.dataset.state, Number(row.querySelector('output').dataset.step)])""")
    return {name: (cells, state, step) for name, cells, state, step in found}


def number(text):
    return float(text.split("\xa0")[0].replace("\u2212", "-"))


def is_hidden():
    return browser.value("document.querySelector('[data-panel=references]').hidden") is True


def open_page(*arguments):
    view = View(*arguments)
    browser.open(view.address, 1600, 1000)
    return view


log = path("references.mcap")
simulator = Simulator(BASE, *SPEED, *PATIENT, *ANY_LAG, "--log", log)
browser = Browser()
browser.launch(WITHOUT_WEBGL)
open_page("--connect", simulator.telemetry)
until(lambda: browser.text('[data-load="battery-1"]'), "no battery in the diagram")
until(lambda: re.fullmatch(r"8\d\xa0%, takes [\d.]+\xa0kW", browser.text('[data-load="battery-1"]')), "charge of a battery", lambda: browser.text('[data-load="battery-1"]'))
check(is_hidden(), "references without a controller")
dp = controller(simulator, config=DP)
until(lambda: not is_hidden() and set(rows()) == NAMES, "no references", lambda: (rows(), dp.stderr()))
simulator.rate(10)  # each proves itself for some time
until(lambda: all(state == "normal" for _, state, _ in rows().values()), "all are in use", rows)
simulator.rate(1)

# As in the telemetry of the same step.
published = Published(simulator.telemetry, "dp")


def is_as_published():
    seen = rows()
    view = published.at("dp", next(iter(seen.values()))[2])
    if not view:
        return False
    told = {one.name: one.reference for one in view.instrument if one.HasField("reference")}
    check(set(told) == NAMES and abs(sum(one.weight for one in told.values()) - 1) < 1e-9, "weights", told)
    for name, (cells, _, _) in seen.items():
        one = told[name]
        check(cells[1] == one.principle.replace("_", " ") and abs(number(cells[2]) - one.residual_forward_m) <= 0.0051
              and abs(number(cells[3]) - one.residual_starboard_m) <= 0.0051 and abs(number(cells[4]) - 100 * one.weight) <= 0.51, "as published", name, cells, one)
    return True


until(is_as_published, "a step that both show")
check(rows()["hpr-1"][0][1] == "acoustics", "its principle", rows()["hpr-1"])
check(browser.count("[data-panel=references] .residuals [data-dot]") == len(NAMES), "a dot for each")

# One that is wrong: its residual, no weight. When it is right again it proves itself before it counts.
status, out, err = run("ctl", simulator.commands, "fault", "target_moved", "--target", "laser-1", "--north_m", "12", "--name", "moved")
check(status == 0, "the order", out, err)
until(lambda: "rejected" in rows()["laser-1"][0][5] or "proving" in rows()["laser-1"][0][5], "it is rejected", rows)
until(lambda: abs(abs(number(rows()["laser-1"][0][2])) - 12) < 3 and number(rows()["laser-1"][0][4]) == 0, "residual of 12 m, without weight", rows)
check("7 of 8 in use" in browser.text("[data-panel=references] header"), "the note", browser.text("[data-panel=references] header"))
browser.check_widths(".residuals", 50, "references")
simulator.signal()
simulator.end()

# The same from its log.
open_page(log)
until(lambda: not is_hidden() and set(rows()) == NAMES, "no references from the log", rows)
