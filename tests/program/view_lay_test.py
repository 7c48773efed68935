"""The page of sagbend-view on a lay: what the tensioner does and by whose order, live; the laid route, the code check and the supports of a
stinger in logs. Without a lay the panel is hidden."""
import csv
from browser import *

require_chromium()
LAY = os.path.join(SOURCE, "configs/osv-83m-lay.yaml")
RETIRE = ["--set", "pipe.retire={anchor_m: 200, stored_max: 100}"]
ORDERS = "pipe.tensioner.orders=[{start_s: 0, mode: speed, speed_mps: 0.5}]"


def number(name):
    text = browser.text(f'[data-panel="lay"] [data-quantity={name}]')
    return float(text) if re.fullmatch(r"-?[0-9.]+", text or "") else None


def is_hidden(name):
    return browser.value(f"""document.querySelector('[data-panel="lay"] [data-quantity={name}]').parentElement.hidden""")


browser = Browser()
browser.launch(WITHOUT_WEBGL)

# Live: the programme's order, then an operator's.
simulator = Simulator(LAY, "--mode", "realtime", "--set", ORDERS, *RETIRE)
view = View("--connect", simulator.telemetry)
browser.open(view.address, 1600, 1000)
browser.until_text('[data-panel="lay"] .note', lambda text: text == "order of the programme", "whose order")
browser.until_text("[data-role=tensioner]", lambda text: text == "✓ speed", "the mode")
browser.until_text("[data-quantity=tensioner_ordered]", lambda text: text == "speed 0.500 m/s", "the order")
until(lambda: (number("paid_out_m") or 0) > 0.5, "the length paid out")
check(not is_hidden("utilisation") and is_hidden("max_reaction_n") and is_hidden("retired_nodes"), "what this lay has")
until(lambda: browser.value("document.querySelectorAll('.trend canvas').length") == 5, "trends of a lay")
code, out, err = run("ctl", simulator.commands, "tensioner", "brake")
check(code == 0, "ctl tensioner", out, err)
browser.until_text('[data-panel="lay"] .note', lambda text: text == "order of the operator", "whose order then")
browser.until_text("[data-role=tensioner]", lambda text: text == "✓ brake engaged", "the mode then")
check(browser.value("document.querySelector('[data-panel=lay] button')") is None, "the page has no order for the tensioner")
simulator.kill()
view.kill()
print("live", flush=True)

# Logs: the numbers are those of Truth at the step that the page names.
def logged(name, *args):
    code, out, err = run("run", *args, "--log", path(name), "--overwrite")
    check(code in (0, 1), "a run with a log", err)
    return path(name)


def rows_of(log, fields):
    code, out, err = run("log", "export-csv", log, "--topic", "/truth", "--fields", ",".join(fields))
    check(code == 0, "log export-csv", err)
    rows = list(csv.reader(out.splitlines()))
    return {round(float(row[0]) * 10): [float(value or 0) for value in row[1:]] for row in rows[1:]}


def until_end(end):
    until(lambda: browser.text("[data-quantity=playback_s]") == end, "the player does not come to the end", browser.text("[data-quantity=playback_s]"))


def compare(log, wanted):
    """The panel's numbers: name -> field of Truth, factor, decimals."""
    rows = rows_of(log, [field for field, _, _ in wanted.values()])
    for i, (name, (field, factor, decimals)) in enumerate(wanted.items()):
        def is_equal():
            step = int(browser.value(f"document.querySelector('[data-panel=lay] [data-quantity={name}]').dataset.step || -1"))
            return step in rows and abs(number(name) - rows[step][i] * factor) <= 0.5001 * 10 ** -decimals
        until(is_equal, f"{name} is not {field}", browser.text(f"[data-panel=lay] [data-quantity={name}]"))


lay = logged("lay.mcap", os.path.join(SOURCE, "configs/jlay-900m-payout.yaml"), "--mode", "fast", "--duration", "140",
             "--set", "simulation.step_s=0.1", "--set", "environment.seabed_friction_axial=0.5",
             "--set", "environment.seabed_friction_lateral=0.7", "--set", "pipe.retire={anchor_m: 310, stored_max: 50}")
view = View(lay)
browser.open(view.address, 1600, 1000)
browser.click(".playback button:last-child")  # 50 times as fast
until_end("0:02:20.0")
compare(lay, {"paid_out_m": ("pipe.paid_out_m", 1, 2), "payout_mps": ("pipe.payout_mps", 1, 3), "retired_nodes": ("pipe.retired_nodes", 1, 0)})
check(number("retired_nodes") > 0 and is_hidden("tensioner_ordered"), "what a programme has")
browser.until_text("[data-role=tensioner]", lambda text: text == "○ holds", "the programme has ended")
check(browser.text('[data-panel="lay"] .note') == "without orders", "nobody gives orders")
view.kill()
print("programme", flush=True)

slay = logged("slay.mcap", os.path.join(SOURCE, "configs/slay-100m.yaml"), "--mode", "fast", "--duration", "5", "--set", "simulation.step_s=0.1")
view = View(slay)
browser.open(view.address, 1600, 1000)
browser.click(".playback button:last-child")
until_end("0:00:05.0")
compare(slay, {"max_reaction_n": ("pipe.stinger.max_reaction_n", 1e-3, 1), "stinger_tip_clearance_m": ("pipe.stinger.tip_clearance_m", 1, 3),
               "overbend_strain": ("pipe.stinger.overbend_strain", 100, 4)})
code, out, err = run("log", "cat", slay, "--topic", "/session_info")
pipe = json.loads(out.splitlines()[0])["message"]["pipe"]
check(len(pipe["support_forward_m"]) == len(pipe["support_down_m"]) == len(pipe["support_starboard_m"]) == 9, "supports", pipe)
check(pipe["support_forward_m"] == sorted(pipe["support_forward_m"], reverse=True), "from the hang-off towards the tip", pipe)
view.kill()
print("stinger", flush=True)

# Without a lay there is no panel.
plain = logged("plain.mcap", JLAY, "--mode", "fast", "--duration", "5")
view = View(plain)
browser.open(view.address, 1600, 1000)
until_end("0:00:05.0")
check(browser.value("document.querySelector('[data-panel=lay]').hidden"), "a panel without a lay")
check(browser.count("button[title^='Colour the pipe']") == 1 and browser.value("document.querySelector(\"button[title^='Colour the pipe']\").hidden"),
      "a code check that does not exist")
errors = [error for error in browser.errors if "WebGL" not in error and "ERR_CONNECTION_REFUSED" not in error]
check(not errors, "errors on the console", *errors)
