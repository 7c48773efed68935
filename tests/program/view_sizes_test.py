"""The page of sagbend-view at the sizes of its users' screens, in every state, for a vessel, J-lay, S-lay and a lay: no text is cut, no unit
breaks from its number, no panel needs scrolling for its main figures; what an operator reads stands above what only an engineer reads.
axe-core finds nothing serious by WCAG 2.2 AA. The keyboard reaches everything."""
from browser import *

require_chromium()
SIZES = [(1920, 1080), (1600, 1000), (1280, 800), (1000, 700), (600, 900)]
PICTURES = os.environ.get("SAGBEND_PICTURES")  # a folder: each state is kept there as a picture
LISTS = ["timeline", "ledger", "alarms", "verdicts"]  # whose later lines may be scrolled to
CUT = """(() => {
  const found = new Set(), name = (e) => `${e.closest("[data-panel]")?.dataset.panel ?? e.closest("section, header")?.className ?? ""}: ${e.tagName}.${e.className}`;
  const isSpoken = (e) => e.closest(".spoken, .uplot");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim(), parent = node.parentElement;
    if (!text || isSpoken(parent) || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    for (let e = parent; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e), outer = e.getBoundingClientRect();
      if (style.overflowX !== "visible" && (box.right > outer.right + 1 || box.left < outer.left - 1)) found.add(`${name(e)} cuts '${text}'`);
      if (style.overflowY === "hidden" && (box.bottom > outer.bottom + 1.5 || box.top < outer.top - 1.5)) {
        const scrolls = parent.closest(".body, ol, ul");
        if (!scrolls || scrolls.contains(e) || e === scrolls) found.add(`${name(e)} cuts '${text}' in height`);
      }
    }
    for (const match of node.textContent.matchAll(/[0-9](\\s)(N|kN|MN|W|kW|MW|GW|J|kJ|MJ|GJ|m|s|ms|µs|m\\/s|kN m|rpm|°|%)(?![\\w])/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      if (new Set([...range.getClientRects()].map((rect) => Math.round(rect.top / 4))).size > 1) found.add(`${name(parent)} breaks '${match[0]}' of '${text}'`);
    }
  }
  for (const one of document.querySelectorAll(".readout")) {
    const [value, unit] = [one.querySelector("output"), one.querySelector(".unit")].map((e) => e.getBoundingClientRect());
    if (one.checkVisibility() && unit.height && (unit.top > value.bottom - 2 || unit.bottom < value.top + 2)) found.add(`${name(one)} breaks the unit off '${one.textContent}'`);
  }
  for (const body of document.querySelectorAll(".panel .body")) {
    if (!body.checkVisibility() || LISTS.includes(body.parentElement.dataset.panel)) continue;
    if (body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1)
      found.add(`${name(body)} must be scrolled: ${body.scrollWidth} x ${body.scrollHeight} in ${body.clientWidth} x ${body.clientHeight}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.add(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
  return [...found];
})()""".replace("LISTS", json.dumps(LISTS))
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 250))))"
ORDER = """(() => { const at = (name) => { const panel = document.querySelector(`[data-panel="${name}"]`);
             return panel && panel.checkVisibility() ? panel.getBoundingClientRect().top + scrollY : null; };
           const known = (list) => list.map(at).filter((top) => top !== null);
           return [Math.max(...known(["alarms", "verdicts"])), Math.min(...known(["timing", "ledger", "timeline", "scene"]))]; })()"""
problems = []
axe_counts = {}


def look(state, sizes=SIZES):
    """Checks the page as it is, at each size."""
    for width, height in sizes:
        browser.size(width, height)
        browser.value(FRAMES)
        problems.extend(f"{state} at {width}x{height}: {problem}" for problem in browser.value(CUT))
        if width == 1000:
            read, engineer = browser.value(ORDER)
            if read >= engineer:
                problems.append(f"{state} at {width}x{height}: alarms and verdicts end at {read}, below what an engineer reads at {engineer}")
        if PICTURES:
            browser.picture(f"{PICTURES}/{state.replace(' ', '-')}-{width}x{height}.png")
    browser.size(1600, 1000)
    axe(state)


def axe(state):
    found = browser.axe()
    axe_counts[state] = [sum(len(one["nodes"]) for one in found if one["impact"] == impact) for impact in ["critical", "serious", "moderate", "minor"]]
    problems.extend(f"{state}: axe-core: {one['impact']} {one['id']}: {node}" for one in found if one["impact"] in ("critical", "serious") for node in one["nodes"][:6])


def hidden(name):
    return browser.value(f"""!document.querySelector('[data-panel="{name}"]').checkVisibility()""")


browser = Browser()
browser.launch(WITHOUT_WEBGL)
config = lambda name: os.path.join(SOURCE, "configs", name)

# Live: a page before there is a simulator; a vessel; the same without data.
simulator = Simulator(VESSEL, "--mode", "realtime", "--duration", "0")
view = View("--connect", simulator.telemetry)
browser.open(view.address, 1600, 1000)
browser.until_text("[data-role=case]", lambda text: text == "vessel-only", "the page does not show the case")
until(lambda: (browser.text("[data-quantity=heading_deg]") or "") != "", "no heading")
for name in ["thrusters", "power", "verdicts", "elevation", "lay"]:
    until(lambda: hidden(name), f"an empty panel: {name}")
look("vessel")
simulator.kill()
browser.until_text(".banner", lambda text: "No data since" in text, "the page does not say that data are missing")
look("no data", [(1600, 1000), (1000, 700)])
view.kill()
print("vessel", flush=True)

# A controller of somebody else: what it commands beside what acts; a second one that is refused.
os.environ["PYTHONPATH"] = os.path.join(BUILD, "proto/python")
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0")
client = Program("/usr/bin/python3", os.path.join(SOURCE, "docs/examples/minimal_client.py"), simulator.commands)
view = View("--connect", simulator.telemetry)
browser.open(view.address, 1600, 1000)
browser.until_text('[data-panel="controller"] .note', lambda text: text == "minimal in command", "the page does not name who is in command")
KILONEWTONS = r"-?\d[\d.]* [kM]?N"
for name in ["command.surge", "hold.surge", "acts.surge"]:
    browser.until_text(f"[data-quantity='{name}']", lambda text: re.fullmatch(KILONEWTONS, text.replace("\u00a0", " ")), f"the page does not show {name}")
peer = CommandPeer(simulator, "stranger")
envelope = envelope_pb2.Envelope()
envelope.command.header.protocol = envelope.command.header.sequence = 1
envelope.command.controller_id = "stranger"  # without a Hello
envelope.command.wrench.surge_n = 1
peer.socket.send(envelope.SerializeToString())
browser.until_text("[data-panel='controller'] [aria-label='Refusals']", lambda text: "refused: " in text, "the page does not show the refusal")
look("foreign", [(1600, 1000), (1280, 800)])
client.kill()
simulator.kill()
view.kill()
print("foreign", flush=True)

# Logs of the others. J-lay exceeds a limit of its tension for some seconds, and a verdict.
CASES = {
    "J-lay": ["jlay-900m.yaml", 70, "--set", "view={limits: {tension_n: 1.52e6}, watch_circles_m: [5, 20]}",
              "--set", "verdicts=[{name: hopeless, quantity: offset_m, below: 0.001}, {name: offset within the field, quantity: offset_m, below: 5000}]"],
    "S-lay": ["slay-100m.yaml", 5, "--set", "simulation.step_s=0.1"],
    "lay": ["osv-83m-lay.yaml", 15, "--set", "controller.dp_file=" + config("osv-83m-lay-dp.yaml"),
            "--set", "events=[{name: tunnel out, at_s: 2, fault: tripped, target: bow_tunnel_1}]"],
}
for state, (case, duration_s, *args) in CASES.items():
    log = path(state + ".mcap")
    code, out, err = run("run", config(case), "--mode", "fast", "--duration", str(duration_s), "--log", log, *args)
    check(code in (0, 1), f"a log of {state}", out, err)
    view = View(log)
    browser.open(view.address, 1600, 1000)
    browser.until_text("[data-role=source]", lambda text: text == "✓ log", "the page does not know that it shows a log")
    browser.click(".playback button:last-of-type")  # 50 times as fast
    until(lambda: "play" in (browser.text(".playback button") or ""), "the player does not come to the end")
    look(state)
    if state == "J-lay":
        # Over its limit between 48 and 58 s: the tile says so until the alarm is acknowledged; before it there is none.
        code, out, err = run("log", "export-csv", log, "--topic", "/truth", "--fields", "pipe.hangoff_tension_n")
        worst = f"{max(float(line.split(',')[1]) for line in out.splitlines()[1:]) / 1e3:.1f}"
        browser.until_text('[data-tile="hangoff_tension_n"] .state', lambda text: text == f"▲ was over: {worst}", "the tile forgets")
        row = '[data-alarm="hangoff_tension_n"]'
        check(f"{worst} kN" in browser.text(row) and "limit 1520.0" in browser.text(row), "value and limit", browser.text(row))
        check(browser.value(f"document.querySelector('{row}').dataset.active") == "false", "the cause has gone", browser.text(row))
        browser.value(f"document.querySelector('{row} button').focus()")
        browser.press("Enter")
        browser.until_text('[data-tile="hangoff_tension_n"] .state', lambda text: "% of limit" in text, "the tile keeps an acknowledged alarm")
        until(lambda: browser.value(f"document.querySelector('{row}').dataset.acknowledged") == "true", "not acknowledged")
        check(browser.count('[data-alarm="hopeless"]') == 1, "no alarm of the verdict", browser.text(".alarms"))
        for palette in ["dusk", "night"]:
            browser.click(f"button[title='Palette {palette}']")
            until(lambda: browser.value("document.documentElement.dataset.obcTheme") == palette, "the palette is not chosen", palette)
            axe(f"J-lay, {palette}")
        browser.click("button[title='Palette day']")
        # Each canvas and list has the focus once, while Tab goes through the page.
        seen = set()
        browser.value("document.activeElement.blur()")
        for _ in range(80):
            browser.press("Tab")
            seen.add(browser.value("document.activeElement.dataset.canvas ?? document.activeElement.className"))
        for wanted in ["plan", "elevation", "alarms", "verdicts", "events"]:
            check(wanted in seen, f"the keyboard does not reach {wanted}", seen)
    view.kill()
    print(state, flush=True)
print("axe-core (critical, serious, moderate, minor):", axe_counts)
check(not problems, f"{len(problems)} problems", *problems)
