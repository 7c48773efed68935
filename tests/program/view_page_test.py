"""The page of sagbend-view in Debian's Chromium, on a session with a fault and verdicts: numbers equal to the telemetry, pictures,
palettes, another session, no WebGL, no request to another host, no error on the console, flat memory."""
import math
from browser import *

require_chromium()
CASE = """
extends: %s
name: page-live
simulation: {mode: realtime, duration_s: 600}
vessel:
  outline_m:
    - {forward: 41.5, starboard: 0}
    - {forward: 30, starboard: 9}
    - {forward: -41.5, starboard: 9}
    - {forward: -41.5, starboard: -9}
    - {forward: 30, starboard: -9}
view:
  watch_circles_m: [0.001, 50]
  limits: {curvature_1pm: 0.02}
events:
  - {name: tunnel out, at_s: 2, fault: tripped, target: bow_tunnel_1}
verdicts:
  - {name: hopeless, quantity: offset_m, below: 0.0001, from_s: 1}
  - {name: easy, quantity: offset_m, below: 500}
""" % os.path.join(SOURCE, "configs/osv-83m-weather.yaml")
with open(path("live.yaml"), "w") as file:
    file.write(CASE)


def degrees(rad):
    return math.degrees(rad)


def heading(truth):
    w, x, y, z = truth.quaternion_w, truth.quaternion_x, truth.quaternion_y, truth.quaternion_z
    return degrees(math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))) % 360


def thruster(truth, name):
    return next(one for one in truth.thruster if one.name == name)


# Where a number on the page comes from: the topic, and its value in the unit that the page states.
SOURCES = {
    "offset_m": ("status", lambda m: m.station.offset_m),
    "heading_error_deg": ("status", lambda m: degrees(m.station.heading_error_rad)),
    "fault_count": ("status", lambda m: m.fault_count),
    "hangoff_tension_n": ("truth", lambda m: m.pipe.hangoff_tension_n / 1e3),
    "max_curvature_1pm": ("truth", lambda m: m.pipe.max_curvature_1pm),
    "layback_m": ("sensors", lambda m: m.pipe.touchdown.layback_m),
    "max_moment_nm": ("truth", lambda m: m.pipe.max_moment_nm / 1e3),
    "heading_deg": ("truth", heading),
    "wind_speed_mps": ("truth", lambda m: m.weather.wind_speed_mps),
    "thruster.bow_tunnel_2.thrust": ("truth", lambda m: thruster(m, "bow_tunnel_2").thrust_n),
    "thruster.stern_azimuth_port.thrust": ("truth", lambda m: thruster(m, "stern_azimuth_port").thrust_n),
    "bus.port": ("truth", lambda m: next(bus for bus in m.bus if bus.name == "port").used_w),
    "residual_j": ("ledger", lambda m: m.total_residual_j),
    "energy_j": ("ledger", lambda m: m.energy_j),
    "turnover_j": ("ledger", lambda m: m.turnover_j),
    "late_steps_and_lost_periods": ("timing", lambda m: m.late_steps + m.lost_periods),
    "lag_s": ("timing", lambda m: m.lag_s),
}
NUMBERS = """[...document.querySelectorAll("output[data-quantity][data-step]")]
             .map((one) => [one.dataset.quantity, Number(one.dataset.step), one.textContent])"""


def read_number(text):
    """Value and half a unit of the last digit of '299.4', '1.25 MW of 5.00 MW' or '-8.91e-7 J'."""
    match = re.match(r"(-?\d+(?:\.(\d+))?)(?:e([+-]\d+))?\s*([kMG]?)", text)
    check(match, "no number", text)
    scale = 10.0 ** (int(match.group(3) or 0) + {"": 0, "k": 3, "M": 6, "G": 9}[match.group(4)])
    return float(match.group(1)) * scale, 0.5001 * 10.0 ** -len(match.group(2) or "") * scale


def numbers_are_those_of(recorder, browser, wanted):
    """Each wanted number was on the page, and equals the telemetry of the step that the page names."""
    left = set(wanted)

    def look():
        for name, step, text in browser.value(NUMBERS):
            if name not in left or not re.match(r"-?\d", text):
                continue
            topic, value_of = SOURCES[name]
            message = recorder.at(topic, step)
            if not message:
                continue
            value, half = read_number(text)
            expected = value_of(message)
            apart = value - expected if name != "heading_deg" else (value - expected + 180) % 360 - 180
            check(abs(apart) <= half + 1e-12 * abs(expected), f"{name} at step {step}", text, expected)
            left.discard(name)
        return not left

    until(look, "numbers missing on the page", left)


def fingerprint(browser, name):
    """Of a canvas: another picture has another one."""
    return browser.value(f"""(() => {{ const text = document.querySelector('canvas[data-canvas="{name}"]').toDataURL();
                             let hash = 0; for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0; return hash; }})()""")


TINTS = """(() => { const canvas = document.querySelector('canvas[data-canvas="scene"]'); if (!canvas) return 0;
           const gl = canvas.getContext("webgl2"), bytes = new Uint8Array(4 * canvas.width * canvas.height);
           gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
           return new Set(new Uint32Array(bytes.buffer)).size; })()"""


def no_trouble(port, begin, but):
    """No request to another host; on the console, from its line begin on, only what a browser itself writes about a connection that was
    gone and what is like but."""
    foreign = [url for url in browser.requests if not re.match(rf"(http|ws)://127\.0\.0\.1:{port}/|data:", url)]
    check(not foreign, "requests to other hosts", foreign)
    errors = [error for error in browser.errors[begin:] if not re.search("ERR_CONNECTION_(REFUSED|RESET)", error) and but not in error]
    check(not errors, "errors on the console", *errors)
    return len(browser.errors)


browser = Browser(requests=True)
simulator = Simulator(path("live.yaml"))
recorder = Published(simulator.telemetry, "truth", "sensors", "ledger", "timing", "status")
dp = controller(simulator, config=os.path.join(SOURCE, "configs/osv-83m-dp.yaml"))
view = View("--connect", simulator.telemetry)
browser.launch(WITHOUT_WEBGL)  # the 3-D view comes later: it costs several times the processor time of the rest
browser.open(view.address)
browser.until_text('[data-panel="scene"] .body', lambda text: "no WebGL" in text, "the page does not say that there is no WebGL")
browser.until_text("[data-role=case]", lambda text: text == "page-live", "the page does not show the case")
browser.until_text("[data-role=source]", lambda text: "live" in text, "the page is not live")
check("Not for navigation; observes only." in browser.value("document.body.innerText"), "the notice is missing")
print("live", flush=True)

# The fault, the verdict, the circle; and each number.
browser.until_text('[data-fault="tunnel out"]', lambda text: "bow tunnel 1" in text, "the fault does not appear")
browser.until_text('[data-thruster="bow_tunnel_1"] .state', lambda text: "not ready" in text or "stopped" in text, "the thruster does not fail")
browser.until_text('[data-verdict="hopeless"] .state', lambda text: "▲ violated" in text, "the verdict is not violated")
browser.until_text('[data-verdict="easy"] .state', lambda text: "✓ within" in text, "the other verdict is not within")
until(lambda: browser.count('[data-event="fault_began"]') == 1, "no event of the fault", browser.text(".events"))
code, out, err = run("ctl", simulator.commands, "mark", "seen by the page")
check(code == 0, "ctl mark", err)
browser.until_text('[data-event="mark"]', lambda text: "seen by the page" in text, "the note does not appear")
browser.until_text(".tiles", lambda text: "● beyond warning circle" in text, "the offset does not pass the warning circle")
numbers_are_those_of(recorder, browser, SOURCES)
browser.until_text('[data-quantity="timing.clock"]', lambda text: re.match(r"monotonic: -?\d+\sµs, worst -?\d+\sµs$", text), "the clock that the steps follow")
browser.until_text('[data-quantity="timing.kernel"]', lambda text: re.match(r"(not )?synchronised, error \d+\.\d{3}\sms", text), "what the kernel knows of UTC")
print("numbers", flush=True)

# Pictures change.
before = {name: fingerprint(browser, name) for name in ["plan", "elevation", "timeline"]}
for name, was in before.items():
    until(lambda: fingerprint(browser, name) != was, f"the canvas {name} does not change")
until(lambda: browser.value("document.querySelectorAll('.trend canvas').length") == 3, "three trends expected")

# Palettes, heading up.
backgrounds = set()
for palette in ["day", "dusk", "night"]:
    browser.click(f"button[title='Palette {palette}']")
    until(lambda: browser.value("document.documentElement.dataset.obcTheme") == palette, "the palette is not chosen", palette)
    backgrounds.add(browser.value("getComputedStyle(document.querySelector('.panel')).backgroundColor"))
check(len(backgrounds) == 3, "three palettes expected", backgrounds)
browser.click("button[title^='Heading up']")
browser.until_text('[data-panel="plan"] .note', lambda text: text == "heading up", "not heading up")
print("pictures", flush=True)

# The simulator goes: the page says since when. Another one comes at the same address: the old series and events are gone.
# A controller that has stopped: what its panel says is old, and nothing in it is normal, until it goes on.
PANEL = '[data-panel="controller"]'
browser.until_text(PANEL, lambda text: "✓ in command" in text, "the controller is in command")
os.kill(dp.process.pid, signal.SIGSTOP)
browser.until_text(PANEL, lambda text: "stopped: " in text and "✓" not in text, "a controller that has stopped is shown as sound")
check(browser.value(f"document.querySelector('{PANEL}').dataset.old") == "true", "its panel is not old")
os.kill(dp.process.pid, signal.SIGCONT)
browser.until_text(PANEL, lambda text: "stopped: " not in text and "✓ in command" in text, "it goes on")
dp.kill()
simulator.kill()
recorder.close()
browser.until_text(".banner", lambda text: "No data since" in text, "the page does not say that data are missing")
again = Program(SAGBEND, "run", JLAY, "--mode", "realtime", "--duration", "0", "--set", "simulation.step_s=0.1", "--bind-command", "tcp://127.0.0.1:*",
                "--bind-telemetry", simulator.telemetry)
again.wait_for("telemetry at")
browser.until_text("[data-role=case]", lambda text: text == "jlay-900m", "the page does not show the new session")
browser.until_text("[data-role=source]", lambda text: "live" in text, "the page is not live again")
until(lambda: browser.count('[data-event="fault_began"]') == 0 and browser.count("[data-fault]") == 0, "events of the old session remain")
browser.until_text('[data-panel="verdicts"] .note', lambda text: text == "this case has none", "verdicts of the old session remain")

# The view itself restarts: the page connects again.
port = view.port
view.kill()
browser.until_text(".banner", lambda text: "No connection" in text, "the page does not say that the view has gone")
view = View("--connect", simulator.telemetry, port=port)
browser.until_text("[data-role=source]", lambda text: "live" in text, "the page does not connect again")
print("again", flush=True)

lines = no_trouble(port, 0, "WebGL")

# With WebGL: the 3-D view has more than one colour; it goes off and on.
browser.launch(WITH_WEBGL)
browser.open(view.address, 600, 450)  # each pixel costs: none is judged by its place
browser.until_text("[data-role=case]", lambda text: text == "jlay-900m", "the page does not show the case")
until(lambda: browser.value(TINTS) > 20, "the 3-D view is empty")
browser.click("button[title^='Draw the 3-D view']")
until(lambda: browser.count('canvas[data-canvas="scene"]') == 0, "the 3-D view is not switched off")
browser.click("button[title^='Draw the 3-D view']")
until(lambda: browser.value(TINTS) > 20, "the 3-D view is not switched on again")
print("3-D", flush=True)

# Twenty times as fast: memory stays flat. What grows until its limit is small (series) or not counted (the list of events).
code, out, err = run("ctl", again.wait_for(r"commands at (\S+)").group(1), "rate", "20")
check(code == 0, "ctl rate", err)
browser.value("window.pictureMs = 100")


def pictures(count):
    browser.value("window.seen = 0; window.watcher?.disconnect(); (window.watcher = new MutationObserver(() => window.seen++))"
                  ".observe(document.querySelector('[data-quantity=time_s]'), {characterData: true, childList: true, subtree: true}); 0")
    until(lambda: browser.value("window.seen") >= count, "the page is not drawn any more")


def memory():
    return browser.memory(), browser.count("*") - browser.count(".events *")


pictures(5)
seen = [memory()]
while len(seen) < 2 or seen[-1][0] - seen[-2][0] >= 4e6 or seen[-1][1] - seen[-2][1] >= 300:
    check(len(seen) < 8, "memory grows", *seen)  # a busy machine has more simulated time between its pictures: the series are filled later
    pictures(20)
    seen.append(memory())
print("memory", *seen, flush=True)

no_trouble(port, lines, "GPU stall due to ReadPixels")
browser.launch(WITHOUT_WEBGL)

# A log: the slider to a fault shows the fault and the values of that time; back, they are gone.
with open(path("logged.yaml"), "w") as file:
    file.write(CASE.replace("at_s: 2", "at_s: 6"))
code, out, err = run("run", path("logged.yaml"), "--mode", "fast", "--duration", "12", "--log", path("live.mcap"),
                     "--set", "controller.dp_file=" + os.path.join(SOURCE, "configs/osv-83m-dp.yaml"))
check(code in (0, 1), "a run with a log", err)  # 1: the verdict
code, out, err = run("log", "export-csv", path("live.mcap"), "--topic", "/truth", "--fields", "pipe.max_moment_nm")
check(code == 0, "log export-csv", err)
moments = {round(float(time_s) * 100): float(moment) / 1e3 for time_s, moment in (line.split(",")[:2] for line in out.split("\n")[1:] if line)}
view.kill()
view = View(path("live.mcap"))
browser.open(view.address)
browser.until_text("[data-role=source]", lambda text: text == "✓ log", "the page does not know that it shows a log")
if browser.value("document.querySelector('.playback button').ariaPressed") == "true":
    browser.click(".playback button")
browser.until_text(".playback button", lambda text: "play" in text, "the player does not pause")


def seek(time_s):
    browser.value(f"""(() => {{ const slider = document.querySelector('.playback input'); slider.value = {time_s};
                      slider.dispatchEvent(new Event("input")); slider.dispatchEvent(new Event("change")); }})()""")
    until(lambda: abs(browser.value("Number(document.querySelector('.playback input').value)") - time_s) < 0.1, "the slider does not stay", time_s)
    until(lambda: abs(int(browser.value("document.querySelector('[data-quantity=max_moment_nm]').dataset.step || -1000")) / 100 - time_s) < 1.2,
          "no values of that time", time_s)
    step, text = browser.value("""(() => { const shown = document.querySelector('[data-quantity=max_moment_nm]');
                                  return [Number(shown.dataset.step), shown.textContent]; })()""")  # at one moment
    check(step in moments, "a step that is not in the log", step)
    value, half = read_number(text)
    check(abs(value - moments[step]) <= half, "the largest moment at this time", step, value, moments[step])


seek(9)
browser.until_text('[data-fault="tunnel out"]', lambda text: "bow tunnel 1" in text, "the fault does not appear in the log")
seek(3)
until(lambda: browser.count("[data-fault]") == 0 and browser.count('[data-event="fault_began"]') == 0, "the fault remains after the way back")
