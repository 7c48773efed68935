"""The capability plot of the page: limits as sagbend capability prints them for the present current, wind and current as the vessel meets
them, its state beyond a limit; hidden without a configuration, and not shown for a session of another model; live and from a log."""
import urllib.error
import urllib.request

from browser import *

require_chromium()
CASE = os.path.join(SOURCE, "configs/osv-83m.yaml")
SETS = ("--set", "environment.wind={speed_mps: 14, direction_deg: 90}", "--set", "vessel.current_acts=true",
        "--set", "environment.current={surface_mps: 0.6, direction_deg: 240, start_s: 0, ramp_s: 1}", "--set", "pipe.elements=20",
        "--set", "simulation.step_s=0.05")
SPEED = ("--set", "simulation.mode=realtime", "--duration", "0")
PANEL = "document.querySelector('[data-panel=capability]')"


def is_hidden():
    return browser.value(PANEL + ".hidden") is True


def limits():
    """Name of a case -> text of its limit from the present direction of the wind."""
    return dict(browser.value("[...%s.querySelectorAll('ul li')].map((row) => [row.children[0].textContent, row.children[2].textContent])" % PANEL))


def open_page(*arguments):
    view = View(*arguments)
    browser.open(view.address, 1600, 1000)
    return view


def expected(*options):
    status, out, err = run("capability", CASE, *SETS, "--level", "2", "--external", "pipe", "--json", *options)
    check(status == 0, "capability", err)
    return {case["name"].replace("_", " "): case["directions"] for case in json.loads(out)["cases"]}


log = path("capability.mcap")
simulator = Simulator(CASE, *SETS, *SPEED, "--log", log)
controller(simulator, config=os.path.join(SOURCE, "configs/osv-83m-dp.yaml"))  # without it the vessel would turn while a slow page is drawn
browser = Browser()
browser.launch(WITHOUT_WEBGL)

# Without a configuration nothing is known, with another one nothing is shown.
view = open_page("--connect", simulator.telemetry)
until(lambda: browser.value("Number(document.querySelector('[data-panel=compass] output').dataset.step) > 20"), "the page has data")
check(is_hidden(), "a plot without a configuration")
view.signal()
view.end()
view = open_page("--connect", simulator.telemetry, "--config", CASE, "--set", "vessel.mass_kg=5.1e6")
until(lambda: not is_hidden() and "another model" in browser.text("[data-panel=capability]"), "a stranger is named", lambda: browser.text("[data-panel=capability]"))
check(limits() == {} and browser.count("[data-panel=capability] g path") == 0, "nothing of a stranger is shown", limits())
view.signal()
view.end()

# The current flows towards 240 degrees and the vessel heads north, but for a little yaw: it comes from 60 off the bow.
view = open_page("--connect", simulator.telemetry, "--config", CASE, *SETS)
until(lambda: not is_hidden() and limits(), "the limits", lambda: browser.text("[data-panel=capability]"))
wanted = expected("--current", "0.60,60")
until(lambda: set(limits()) == set(wanted), "its cases", limits)


def is_as_computed():
    facts = browser.text("[data-panel=capability] dl")
    from_deg = float(re.search(r"wind14\.0 m/s from (\d+)°", facts).group(1))
    for name, text in limits().items():
        near = [p["limit_wind_mps"] for p in wanted[name] if abs((p["direction_deg"] - from_deg + 180) % 360 - 180) <= 10]
        if not min(near) - 0.06 <= float(text.rstrip("+")) <= max(near) + 0.06:
            return False
    return 0 <= min(abs(from_deg - 90), 10) < 10 and "0.60 m/s from" in facts


until(is_as_computed, "as sagbend capability prints", limits, lambda: wanted["intact"])
check(abs(float(limits()["bus port"].rstrip("+")) - 14) < 4, "the worst failure is near the wind", limits())
shown = browser.value("%s.querySelector('svg').getAttribute('aria-label')" % PANEL)
check("the intact vessel holds" in shown and "without bus port" in shown, "the text of the picture", shown)
check(browser.value("%s.querySelector('.wind').dataset.state" % PANEL) == ("caution" if float(limits()["bus port"].rstrip("+")) < 14 else "normal"), "the colour of the wind")
check(browser.count("[data-panel=capability] g path") == len(wanted), "a curve for each case")
browser.check_widths("[data-panel=capability] .holds", 50, "capability")

# A page that asks for nonsense gets an answer that says so, and no process.
address = browser.value("location.origin")
for query in ("", "?current=1", "?current=1,2", "?current=-1,2&external=none", "?current=nan,2&external=none", "?current=1,2&external=rope", "?current=99,2&external=pipe"):
    try:
        urllib.request.urlopen(urllib.request.Request(address + "/capability" + query, headers={"X-Sagbend": "1"}), timeout=20)
        check(False, "accepted", query)
    except urllib.error.HTTPError as error:
        check(error.code == 400, "the answer to", query, error.code)
simulator.signal()
simulator.end()
view.signal()
view.end()

# The same from its log.
view = open_page(log, "--config", CASE, *SETS)
until(lambda: not is_hidden() and set(limits()) == set(wanted), "no limits from the log", limits)
check("does not state" not in browser.text("[data-panel=capability]"), "a session that states its model", browser.text("[data-panel=capability]"))
view.signal()
view.end()
