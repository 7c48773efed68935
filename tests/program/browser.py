"""Chromium for the tests of the page (tests/browser, from npm with a lock file)."""
import harness
from npm import *
from phone import CHROMIUM

# SwiftShader draws WebGL without a graphics card: several times the processor time, for tests of the 3-D view alone.
WITH_WEBGL = ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"]
WITHOUT_WEBGL = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-3d-apis"]


def until(holds, what, *shown):
    """As harness.until; asks the browser less often, and has patience with pictures that are drawn without a graphics card."""
    harness.until(holds, what, *shown, timeout=5 * PATIENCE_S, every=0.2)


def require_page():
    """The page belongs to each build with npm; without the registry there is none."""
    check(shutil.which("npm") and shutil.which("node"), "npm is not installed: the page is neither built nor tested (tools/deps installs it)")
    if not os.path.exists(os.path.join(BUILD, "view_page/dist/app.js")):
        log = os.path.join(BUILD, "view_page/npm.log")
        text = open(log).read() if os.path.exists(log) else "no npm.log"
        skip_without_registry(text)
        sys.exit("FAILED: the page was not built\n" + text)


def require_chromium():
    """Chromium's shell belongs to tools/packages.txt: a machine that lacks it fails here."""
    check(CHROMIUM, "chromium-headless-shell is not installed: the page is not tested (tools/deps installs it)")
    require_page()


class Browser:
    """A browser with one page."""

    def __init__(self):
        folder = npm_folder("browser", "bridge.mjs")
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
        until(lambda: (text := self.text(selector)) is not None and holds(text), what, selector, lambda: self.value("document.body.innerText"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE_S)


class Published:
    """What the simulator publishes of these topics from now on, by the step that the page names."""

    def __init__(self, endpoint, **kinds):
        self.kinds, self.raw, self.messages = kinds, {topic: [] for topic in kinds}, {topic: {} for topic in kinds}
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVHWM, 0)
        for topic in kinds:
            self.socket.subscribe(topic)
        connect_and_wait(self.socket, endpoint)

    def at(self, topic, step):
        """The message of this step; None if it was before the first one. Waits until the step has been published."""
        known = self.messages[topic]
        while step not in known and not (known and step < next(iter(known))):
            if not self.raw[topic]:
                check(self.socket.poll(1000 * PATIENCE_S), f"no {topic} of step {step}")
                while self.socket.poll(0):
                    name, raw = self.socket.recv_multipart()
                    self.raw[name.decode()].append(raw)
            for raw in self.raw[topic]:
                message = self.kinds[topic].FromString(raw)
                known[message.header.step] = message
            self.raw[topic] = []
            check(step in known or not known or next(reversed(known)) < step or step < next(iter(known)), f"{topic} has no step {step}", list(known)[-3:])
        return known.get(step)

    def close(self):
        self.socket.close(linger=0)
