"""Panels that a controller outside and a power plant bring to the page: one-line diagram with a set that trips and a bus that goes dark,
energy of the link, consequence analysis. Their numbers are those of the telemetry."""
from browser import *

require_chromium()
BASE = os.path.join(SOURCE, "configs/osv-83m-power.yaml")
DP = os.path.join(SOURCE, "configs/osv-83m-dp.yaml")
SPEED = ("--set", "simulation.step_s=0.05", "--set", "pipe.elements=20", "--set", "simulation.mode=realtime", "--duration", "0")


def shown(selector, attribute="textContent"):
    return browser.value(f"""document.querySelector('{selector}')?.{attribute} ?? null""")


simulator = Simulator(BASE, *SPEED, *PATIENT, *ANY_LAG)
view = View("--connect", simulator.telemetry)
browser = Browser()
browser.launch(WITHOUT_WEBGL)
browser.open(view.address, 1600, 1000)
until(lambda: shown('[data-frequency="port"]'), "no diagram", lambda: browser.value("document.body.innerText"))
check(shown('[data-panel="consequence"]', "hidden") is True, "a consequence analysis without a controller")
dp = controller(simulator, "--set", "consequence={mean_s: 5}", config=DP)

# The diagram: four sets in pairs on two buses, and the tie between.
sets = browser.value("[...document.querySelectorAll('.plant [data-set]')].map((e) => e.dataset.set)")
breakers = browser.value("[...document.querySelectorAll('.plant [data-breaker]')].map((e) => [e.dataset.breaker, e.dataset.closed])")
check(sets == ["set-1", "set-2", "set-3", "set-4"] and sorted(map(tuple, breakers)) == [(name, "true") for name in ("set-1", "set-2", "set-3", "set-4", "tie")], "the plant", sets, breakers)
check(shown(".plant", "getAttribute('aria-label')") == "One-line diagram: 4 of 4 sets on line", "its label", shown(".plant", "getAttribute('aria-label')"))
until(lambda: re.fullmatch(r"✓ f (1\.0|0\.9)\d\d, V \d\.\d{3}", shown('[data-frequency="port"]')), "frequency", lambda: shown('[data-frequency="port"]'))
until(lambda: re.fullmatch(r"[\d.]+\xa0[kM]W, \d+\xa0%", shown('[data-load="set-1"]')), "load of a set", lambda: shown('[data-load="set-1"]'))

# Energy of the link: as in the telemetry of the same step.
until(lambda: shown('[data-panel="link"]', "hidden") is False, "no energy of the link")
published = Published(simulator.telemetry, "ledger")


def is_same_sum():
    text = browser.value("(() => { const o = document.querySelector('[data-quantity=loop_damping_surge_nspm]'); return [o.textContent, Number(o.dataset.step)]; })()")
    ledger = published.at("ledger", text[1])
    if not ledger:
        return False
    sum_j = ledger.link.control_law_work_j + ledger.link.link_work_j + ledger.link.drives_work_j
    ports = ledger.total_work.thrusters_j + ledger.total_work.control_j
    check(abs(sum_j - ports) <= 1e-6 * max(1, abs(ports)), "the sum is the work of the ports", sum_j, ports)
    value, unit = text[0].split("\xa0")
    factor = {"N s/m": 1, "kN s/m": 1e3, "MN s/m": 1e6}[unit]
    return abs(float(value.replace("\u2212", "-")) * factor - ledger.link.damping_surge_nspm) <= 0.006 * abs(ledger.link.damping_surge_nspm) + factor * 0.006


until(is_same_sum, "damping as in the telemetry")
simulator.rate(10)
until(lambda: shown('[data-quantity="consequence_margin"]') not in (None, "–"), "no margin", dp.stderr)
simulator.rate(1)
names = browser.value("[...document.querySelectorAll('.margins li span')].map((e) => e.textContent)")
margins = [float(m) for m in browser.value("[...document.querySelectorAll('.margins output')].map((e) => e.textContent)")]
check(margins == sorted(margins) and len(names) >= 6, "failures, the worst first", names, margins)

# A set trips; later a whole bus is dark.
run("ctl", simulator.commands, "fault", "trip", "--target", "set-3")
until(lambda: shown('[data-breaker="set-3"]', "dataset.closed") == "false" and shown('[data-set="set-3"]', "dataset.state") in ("alarm", "caution", "off"), "the set is off line")
for kind, target in (("tie_opens", "tie"), ("trip", "set-4")):
    status, out, err = run("ctl", simulator.commands, "fault", kind, "--target", target)
    check(status == 0, kind, err)
until(lambda: shown('[data-frequency="starboard"]') == "▲ dark", "the bus is dark", lambda: shown('[data-frequency="starboard"]'))
check(shown('[data-breaker="tie"]', "dataset.closed") == "false", "the tie is open")
until(lambda: "dark: starboard; set-3 tripped: ordered; set-4 tripped: ordered" in shown(".plant", "getAttribute('aria-label')"), "its label says so",
      lambda: shown(".plant", "getAttribute('aria-label')"))
browser.check_widths(".plant", 120, "power", "link", "consequence")
simulator.signal()
simulator.end()
