"""What a page shows of the past: trends of any quantities with a search field, also of a page that is opened late, of a log, and after a
seek; one cursor for all plots; graphs along the pipe with the extremes since the start. What the server answers to questions for it."""
import math
import urllib.error
import urllib.request

from browser import *

require_chromium()
LOG = path("station.mcap")


def ask(url, question, status=200):
    try:
        with urllib.request.urlopen(url + question, timeout=PATIENCE_S) as answer:
            check(answer.status == status, f"{question}: {answer.status}, not {status}")
            return json.load(answer)
    except urllib.error.HTTPError as error:
        check(error.code == status, f"{question}: {error.code}, not {status}")
        return None


def record_of(log, fields, topic="/truth"):
    """Times and columns of a topic of the log."""
    status, out, err = run("log", "export-csv", log, "--topic", topic, "--fields", ",".join(fields))
    check(status == 0, "export", err)
    rows = [line.split(",") for line in out.strip().split("\n")]
    time = rows[0].index(next(name for name in rows[0] if name.startswith("time") or name.endswith("time_s")))
    return {round(float(row[time]), 6): [float(row[rows[0].index(field)]) for field in fields] for row in rows[1:]}


# ---- the simulator has run for a while when the page opens: all of it is there ----
simulator = Simulator(os.path.join(SOURCE, "configs/osv-83m-weather.yaml"), "--duration", "0", "--log", LOG, "--set", "simulation.mode=realtime",
                      "--set", "controller.dp_file=osv-83m-dp.yaml")
view = View("--connect", simulator.telemetry)
dp = controller(simulator, config=os.path.join(SOURCE, "configs/osv-83m-dp.yaml"))
until(lambda: len(ask(view.address, "history?names=offset_m")["times"]) > 100, "no history", view.stderr())

quantities = {one["name"]: one for one in ask(view.address, "quantities")}
status, out, err = run("outputs", "--json")
listed = {one["name"]: one for one in json.loads(out)}
check(list(quantities) == list(listed) and all(quantities[name]["unit"] == one["unit"] and quantities[name]["meaning"] == one["meaning"] for name, one in listed.items()),
      "the quantities are those of sagbend outputs")
here = {name for name, one in quantities.items() if one["is_here"]}
check({"offset_m", "heading_deg", "hangoff_tension_n", "layback_m", "wind_speed_mps", "energy_j", "lag_s", "power_used_w", "speed_mps"} <= here, "quantities with a value", here)
check(not {"paid_out_x", "tensioner_set_n", "utilisation"} & here, "quantities that this session does not have", here)
for bad in ("history", "history?names=", "history?names=nothing", "history?names=offset_m&after=x", "history?names=offset_m&after=nan", "history?names=offset_m&more=1",
            "history?names=" + ",".join(["offset_m"] * 9), "history?names=" + "x" * 600, "envelope?at=", "envelope?at=nan", "envelope?x=1"):
    ask(view.address, bad, 400)
ask(view.address, "histories", 404)
for attack in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
    try:
        urllib.request.urlopen(urllib.request.Request(view.address + "history?names=offset_m", headers=attack), timeout=PATIENCE_S)
        check(False, "the past is given to another site", attack)
    except urllib.error.HTTPError as error:
        check(error.code == 403, "another site", error.code)

browser = Browser()
browser.launch(WITHOUT_WEBGL)
browser.open(view.address, 1600, 1000)
TIMES = "[...document.querySelectorAll('.trend')].map((one) => one.dataset.cursor)"


def outputs(selector="[data-panel=trends] output"):
    return dict(browser.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => [one.dataset.quantity, one.textContent])"))


def hover(panel, share):
    browser.value(f"""(() => {{ const over = document.querySelector('[data-panel={panel}] .u-over'), box = over.getBoundingClientRect();
                      over.dispatchEvent(new MouseEvent("mousemove", {{clientX: box.left + box.width * {share}, clientY: box.top + 9, bubbles: true}})); return 1; }})()""")


until(lambda: browser.count("[data-panel=trends] canvas") == 3 and all(re.match(r"-?\d", text) for text in outputs().values()), "no trends", outputs)
hover("trends", 0.02)
until(lambda: len(set(browser.value(TIMES))) == 1 and browser.value(TIMES)[0] != "", "one cursor for all plots", lambda: browser.value(TIMES))
early = float(browser.value(TIMES)[0])
history = ask(view.address, "history?names=offset_m,hangoff_tension_n,max_curvature_1pm")
at = min(range(len(history["times"])), key=lambda i: abs(history["times"][i] - early))
check(abs(history["times"][at] - early) < 0.11 and early < 8, "the page shows what was before it was opened", early)


def are_shown(at):
    values = {name: column[at] for name, column in history["values"].items()}
    shown = {name: float(outputs()[f"trend.{name}"]) for name in values}
    return all(abs(shown[name] - values[name] * (1e-3 if name.endswith("_n") else 1)) <= 1e-5 + 1e-3 * abs(shown[name]) for name in values)


until(lambda: are_shown(at), "the values under the cursor", lambda: (outputs(), early))

# Another quantity by the search field, two in a plot; the choice stays.
browser.click("[data-panel=trends] .trend button")
browser.fill(".trend-choice input[type=search]", "wind speed")
until(lambda: browser.value("[...document.querySelectorAll('.choice li')].map((one) => one.dataset.name)") [:1] == ["wind_speed_mps"], "the search", lambda: browser.text(".choice"))
browser.click(".choice li[data-name=wind_speed_mps] input")
until(lambda: "trend.wind_speed_mps" in outputs() and "trend.offset_m" in outputs(), "two quantities in a plot", outputs)
browser.fill(".trend-choice input[type=search]", "no such thing")
until(lambda: browser.count(".choice li") == 0 and browser.text(".trend-choice [role=status]").startswith("0 of "), "nothing found")
browser.value("document.querySelector('dialog.trend-choice').close()")
browser.reload()
until(lambda: re.match(r"\d", outputs().get("trend.wind_speed_mps", "")), "the choice stays in the browser", outputs)
browser.value("document.querySelector('[data-panel=trends] .body').focus()")
browser.value("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))")
until(lambda: browser.value(TIMES)[0] != "", "the keyboard moves the cursor")

# ---- along the pipe ----
browser.click("[data-panel=elevation] header button:last-of-type")
until(lambda: browser.count(".trend.range canvas") == 4, "four graphs without a code check")
hover("range", 0.5)
until(lambda: len(set(browser.value("[...document.querySelectorAll('.range')].map((one) => one.dataset.cursor)"))) == 1 and re.match(r"\d", outputs(".range output")["range.tension_n.now"]),
      "no value under the cursor", lambda: outputs(".range output"))
shown = {name: float(text) for name, text in outputs(".range output").items()}
for name in ("tension_n", "moment_nm", "curvature_1pm", "clearance_m"):
    now, low, high = (shown[f"range.{name}.{which}"] for which in ("now", "min", "max"))
    check(low - 1e-6 <= now <= high + 1e-6, f"{name} outside its extremes", shown)
until(lambda: ask(view.address, "envelope")["time_s"] > 5, "no extremes")
envelope = ask(view.address, "envelope")
check(all(a < b for a, b in zip(envelope["arc_length_m"], envelope["arc_length_m"][1:])) and min(envelope["clearance_m"]["min"]) < 0, "arc lengths rise; the pipe lies on the seabed")
check(browser.errors == [], "an error on the page", browser.errors)

for program in (simulator, dp):
    program.signal()
    program.end()
view.signal()
view.end()

# ---- a log: the whole of it, after a seek too; the extremes up to the moment that is played ----
view = View(LOG)
truth = record_of(LOG, ["position_north_m", "pipe.max_moment_nm"])
history = ask(view.address, "history?names=north_m,max_moment_nm,offset_m")
end_s = max(truth)
check(history["times"][0] < 1 and history["times"][-1] > end_s - 2, "the whole log", history["times"][:2], history["times"][-2:], end_s)
for time_s, north_m, moment_nm in list(zip(history["times"], history["values"]["north_m"], history["values"]["max_moment_nm"]))[::7]:
    check(math.isclose(truth[round(time_s, 6)][0], north_m, rel_tol=1e-6) and math.isclose(truth[round(time_s, 6)][1], moment_nm, rel_tol=1e-6), "the past is that of the log", time_s)
early, late = ask(view.address, "envelope?at=2"), ask(view.address, "envelope")
check(early["time_s"] <= 2 < late["time_s"] and all(a <= b + 1e-9 for a, b in zip(late["tension_n"]["min"], early["tension_n"]["min"])) and
      sum(late["tension_n"]["max"]) > sum(early["tension_n"]["max"]), "the extremes grow", early["time_s"], late["time_s"])
browser.open(view.address, 1600, 1000)
until(lambda: re.match(r"-?\d", outputs().get("trend.offset_m", "")), "no trends of the log", outputs)
for seek_s in (0.8 * end_s, 0.4 * end_s):
    browser.value(f"(() => {{ const one = document.querySelector('.playback input'); one.value = {seek_s}; one.dispatchEvent(new Event('input')); one.dispatchEvent(new Event('change')); }})()")
    until(lambda: abs(float(browser.value("document.querySelector('.playback input').value")) - seek_s) < 0.2 * end_s, "no seek")
    hover("trends", 0.02)
    until(lambda: browser.value(TIMES)[0] not in ("", None) and float(browser.value(TIMES)[0]) < 0.1 * end_s, "no trend from the start of the log after a seek", lambda: browser.value(TIMES))
errors = [error for error in browser.errors if "CONNECTION_REFUSED" not in error]  # the first page outlives its server
check(errors == [], "an error on the page of a log", errors)
view.signal()
check(view.end() == 0, "the end of the view", view.stderr())
