"""Chromium for the tests of the page (tests/browser, from npm with a lock file)."""
import json
import shutil
from harness import *

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# SwiftShader draws WebGL without a graphics card.
WITH_WEBGL = ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
WITHOUT_WEBGL = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-3d-apis"]


UNREACHABLE = re.compile(r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E40[137]|E5\d\d)\b")


def skip_without_registry(text):
    """Ends the test as skipped if npm failed because its registry cannot be reached."""
    unreachable = UNREACHABLE.search(text)
    if unreachable:
        print(f"SKIPPED: the npm registry cannot be reached ({unreachable.group(1)})")
        sys.exit(SKIPPED)


def require_page():
    """The page belongs to each build with npm; without the registry there is none."""
    check(shutil.which("npm") and shutil.which("node"), "npm is not installed: the page is neither built nor tested (tools/deps installs it)")
    if not os.path.exists(os.path.join(BUILD, "view_page/dist/app.js")):
        log = os.path.join(BUILD, "view_page/npm.log")
        text = open(log).read() if os.path.exists(log) else "no npm.log"
        skip_without_registry(text)
        sys.exit("FAILED: the page was not built\n" + text)


def require_chromium():
    """Chromium belongs to tools/packages.txt: a machine that lacks it fails here."""
    check(CHROMIUM, "chromium is not installed: the page is not tested (tools/deps installs it)")
    require_page()


class Browser:
    """A browser with one page."""

    def __init__(self):
        folder = os.path.join(BUILD, "tests/browser")
        os.makedirs(folder, exist_ok=True)
        for name in ["package.json", "package-lock.json", ".npmrc", "bridge.mjs"]:
            shutil.copy(os.path.join(SOURCE, "tests/browser", name), folder)
        done = subprocess.run(["npm", "ci", "--no-progress", "--fetch-retries=1", "--fetch-timeout=60000"], cwd=folder,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            skip_without_registry(done.stderr)
        check(done.returncode == 0, "npm ci in tests/browser", done.stdout, done.stderr)
        self.process = subprocess.Popen(["node", "bridge.mjs"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.close)

    def order(self, do, **rest):
        self.process.stdin.write(json.dumps({"do": do, **rest}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        check(line, f"the browser has ended at {do}", rest)
        answer = json.loads(line)
        check("error" not in answer, f"{do} {rest}", answer.get("error"))
        return answer["value"]

    def launch(self, arguments):
        self.order("launch", program=CHROMIUM, arguments=arguments)

    def open(self, url, width=900, height=700):
        self.order("open", url=url, width=width, height=height)

    def value(self, expression):
        return self.order("value", of=expression)

    def text(self, selector):
        """The text of the first such element; None without one."""
        return self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def count(self, selector):
        return self.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector):
        self.order("click", selector=selector)

    def until_text(self, selector, holds, what):
        until(lambda: (text := self.text(selector)) is not None and holds(text), what, selector, self.value("document.body.innerText"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
