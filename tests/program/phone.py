"""A report in Chromium as wide as a phone: what does not fit into it. The page stands in a frame of that width, and a script around
it measures; no driver is needed."""
import html
import json
import re
import shutil
import subprocess
import tempfile

# The shell without a window of its own draws the same page for half the processor time. The program itself: Debian's script before it asks
# for pictures by a graphics card, and without one SwiftShader draws the whole page.
CHROMIUM = next(filter(None, map(shutil.which, ("/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium", "chromium", "chromium-browser"))), None)
# As few processes as possible: each start costs some ten thousand touched pages. What a browser of a person does beside its page is off.
QUIET = ["--headless", "--no-sandbox", "--no-zygote", "--in-process-gpu", "--enable-features=NetworkServiceInProcess2", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
         "--disable-renderer-backgrounding", "--disable-back-forward-cache", "--disable-breakpad", "--disable-component-update", "--disable-default-apps",
         "--disable-extensions", "--disable-field-trial-config", "--disable-hang-monitor", "--disable-sync", "--disable-features=HttpsUpgrades,"
         "MediaRouter,OptimizationHints,PaintHolding,Translate", "--force-color-profile=srgb", "--hide-scrollbars", "--metrics-recording-only", "--mute-audio",
         "--no-first-run", "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"]
WIDTH = 360  # px, of a small phone
MEASURE = """const frame = document.querySelector("iframe"), say = document.querySelector("output");
frame.addEventListener("load", () => {
  const page = frame.contentDocument, wide = new Set();
  const scrolls = (e) => e && (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  for (const e of page.body.querySelectorAll("*"))
    if (e.getBoundingClientRect().right > WIDTH + 1 && !scrolls(e)) wide.add(`${e.tagName}.${e.getAttribute("class") ?? ""} ${e.textContent.trim().slice(0, 40)}`);
  const table = [...page.querySelectorAll("table")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className);
  say.textContent = JSON.stringify({width: page.documentElement.scrollWidth, wide: [...wide].slice(0, 8), tables: page.querySelectorAll("table").length, scrolled: table,
    pictures: [...page.querySelectorAll("svg")].map((e) => e.getBoundingClientRect().width).filter((w) => w > 20)});
});"""


def measure(path):
    """The width that the page takes, what reaches beyond the screen, which tables are scrolled sideways, and the widths of its plots."""
    with open(path) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        page = f"{folder}/frame.html"
        with open(page, "w") as file:
            file.write(f"<!doctype html><meta charset=utf-8><iframe style='width:{WIDTH}px;height:700px;border:0' srcdoc=\"{html.escape(text)}\"></iframe>"
                       f"<output></output><script>{MEASURE.replace('WIDTH', str(WIDTH))}</script>")
        done = subprocess.run([CHROMIUM, *QUIET, "--disable-gpu", f"--user-data-dir={folder}/profile", "--dump-dom", "file://" + page],
                              capture_output=True, text=True, timeout=300)
    found = re.search(r"<output>(\{.*?\})</output>", done.stdout, re.S)
    if not found:
        raise SystemExit(f"FAILED: Chromium measured nothing: {done.returncode} {done.stderr[-1500:]} {done.stdout[-500:]}")
    return json.loads(html.unescape(found.group(1)))
