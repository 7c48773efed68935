"""Chromium for the tests of the page: its own protocol (DevTools) over a pipe, no other program in between."""
import base64
import select
import harness
from npm import *
from phone import CHROMIUM, QUIET

# SwiftShader draws WebGL without a graphics card: several times the processor time, for tests of the 3-D view alone.
WITH_WEBGL = QUIET + ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"]
WITHOUT_WEBGL = QUIET + ["--disable-gpu", "--disable-3d-apis"]
# Without a graphics card a picture costs a tenth of a second of processor: the page gets two of them in a second, until a test sets window.pictureMs.
SLOW_PICTURES = """{
  window.pictureMs = 500;
  const draw = window.requestAnimationFrame.bind(window);
  let next = 0;
  window.requestAnimationFrame = (act) => {
    const now = performance.now(), at = Math.max(now, next);
    next = at;
    return setTimeout(() => draw((time) => { next = performance.now() + window.pictureMs; act(time); }), at - now);
  };
}"""
# The first element of a selector, in sight and at rest, and where to point at it; or else why not.
AIM = """(async () => {
  const found = FOUND, one = found[0];
  if (!one) return "there is none";
  const box = () => { const b = one.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; };
  one.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
  const before = box();
  await new Promise((done) => setTimeout(done, 40));
  const [left, top, width, height] = box();
  if (!one.isConnected || !one.checkVisibility() || !width || !height) return "not in sight";
  if (String(before) !== String([left, top, width, height])) return "it moves";
  if (one.disabled) return "disabled";
  const [x, y] = [left + width / 2, top + height / 2], hit = document.elementFromPoint(x, y);
  if (!one.contains(hit)) return `below ${hit?.outerHTML.slice(0, 200)}`;
  return [x, y];
})()"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = """window.axe.run(document, {runOnly: RULES, resultTypes: ["violations"]}).then(({violations}) => violations.map(({id, impact, help, nodes}) => ({
  id, impact, help, nodes: nodes.map((node) => `${node.target.join(" ")}: ${[...node.any, ...node.all, ...node.none].map((one) => one.message).join("; ")}`)})))"""
KEYS = {"Tab": {"code": "Tab", "windowsVirtualKeyCode": 9}, "Enter": {"code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}}


def found(selector):
    """The elements of a selector of CSS, or of an XPath that begins with //, as an expression of JavaScript."""
    if not selector.startswith("//"):
        return f"document.querySelectorAll({json.dumps(selector)})"
    return f"((all) => Array.from({{length: all.snapshotLength}}, (_, i) => all.snapshotItem(i)))(document.evaluate({json.dumps(selector)}, document, null, 7))"


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
    """A browser with one page. errors: what the page has written to its console as an error or a warning, and what it threw. requests:
    what it asked for, if this is wanted (each telegram of a WebSocket is then reported too, which costs)."""

    def __init__(self, requests=False):
        self.pid, self.session, self.context, self.page, self.errors, self.wants_requests, self.requests = 0, None, None, None, [], requests, []
        atexit.register(self.close)

    def launch(self, arguments):
        self.close()
        (theirs, self.orders), (self.answers, other) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs, other)]
        null, self.folder = os.open(os.devnull, os.O_RDWR), tempfile.mkdtemp(dir=FOLDER)
        self.pid = os.posix_spawn(CHROMIUM, [CHROMIUM, *arguments, "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-startup-window"], os.environ,
                                  file_actions=[(os.POSIX_SPAWN_DUP2, one, at) for at, one in enumerate([null, null, null, *ends])])
        for end in (theirs, other, null, *ends):
            os.close(end)
        self.number, self.read, self.session, self.context = 0, b"", None, None

    def call(self, method, session=None, **parameters):
        """The result of an order of the protocol. Events that come before it are kept."""
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.orders, json.dumps(order).encode() + b"\0")
        number = self.number
        return self.receive(lambda one: one.get("id") == number, method, parameters)

    def receive(self, is_wanted, what, *shown):
        deadline = time.monotonic() + 5 * PATIENCE_S
        while True:
            one, found, rest = self.read.partition(b"\0")
            if found:
                self.read = rest
                message = {} if one.startswith(b'{"method":"Network.webSocketFrame') else json.loads(one)
                if is_wanted(message):
                    check("error" not in message, f"the browser at {what}", message.get("error"), *shown)
                    return message.get("result")
                if message.get("sessionId", 0) == self.session:
                    self.hear(message["method"], message["params"])
                continue
            check(select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0], f"no answer of the browser to {what}", *shown)
            more = os.read(self.answers, 1 << 20)
            check(more, f"the browser has ended at {what}", *shown)
            self.read += more

    def hear(self, event, of):
        if event == "Page.loadEventFired":
            self.is_loaded = True
        elif event == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{of['entry']['level']}: {of['entry']['text']} {of['entry'].get('url', '')}")
        elif event == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.errors.append(f"{of['type']}: " + " ".join(str(one.get("value", one.get("description"))) for one in of["args"]))
        elif event == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        elif event == "Network.webSocketCreated":
            self.requests.append(of["url"])

    def ask(self, method, **parameters):
        return self.call(method, self.session, **parameters)

    def open(self, url, width=900, height=700):
        """A page that knows nothing of those before; these are closed, as hidden ones are drawn too."""
        before, self.context = self.context, self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        if before:
            self.call("Target.disposeBrowserContext", browserContextId=before)
        self.session = session
        for domain in ["Page", "Runtime", "Log"] + ["Network"] * self.wants_requests:
            self.ask(domain + ".enable")
        self.size(width, height)
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}])
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=SLOW_PICTURES)
        self.load("Page.navigate", url=url)

    def load(self, method, **parameters):
        self.is_loaded = False
        answer = self.ask(method, **parameters)
        check("errorText" not in answer, "the page cannot be opened", parameters, answer)
        until(lambda: self.call("Browser.getVersion") and self.is_loaded, "the page is not loaded", parameters)  # events come before its answer

    def reload(self):
        """The same page again, with what the browser has stored for it."""
        self.load("Page.reload")

    def size(self, width, height):
        """Of the window."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def check_widths(self, drawing, least, *panels):
        """No panel is wider than its place in windows of four widths, where its drawing (a selector) has the least width in px. Drawings follow
        a window a frame later."""
        width_of = f"document.querySelector({json.dumps(drawing)}).getBoundingClientRect().width"
        for width in (700, 1000, 1280, 1900):
            self.size(width, 900)
            until(lambda: self.value(width_of) > least, f"the drawing {drawing} at this width", width)
            for panel in panels:
                body = f"document.querySelector('[data-panel={panel}] .body')"
                over = lambda: self.value(f"{body}.scrollWidth - {body}.clientWidth")
                until(lambda: over() <= 1, "wider than its panel", panel, width, over)

    def value(self, expression):
        """Of JavaScript in the page; a promise's when it is kept."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        check("exceptionDetails" not in answer, "the page cannot evaluate", expression, answer.get("exceptionDetails"))
        return answer["result"].get("value")

    def text(self, selector):
        """The text of the first such element; None without one."""
        return self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def count(self, selector):
        return self.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector):
        """With the mouse, when the element is in sight, enabled, at rest and not below another one."""
        aimed = None

        def aim():
            nonlocal aimed
            aimed = self.value(AIM.replace("FOUND", found(selector)))
            return isinstance(aimed, list)

        until(aim, f"a click at {selector}", lambda: aimed)
        for kind, more in (("mouseMoved", {}), ("mousePressed", {"button": "left", "buttons": 1, "clickCount": 1}), ("mouseReleased", {"button": "left", "clickCount": 1})):
            self.ask("Input.dispatchMouseEvent", type=kind, x=aimed[0], y=aimed[1], **more)

    def fill(self, selector, text):
        """The text of an input, as typed in place of the old one."""
        self.click(selector)
        self.value(found(selector) + "[0].select()")
        self.ask("Input.insertText", text=text)

    def press(self, key):
        self.ask("Input.dispatchKeyEvent", type="keyDown" if "text" in KEYS[key] else "rawKeyDown", key=key, **KEYS[key])
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, **KEYS[key])

    def picture(self, file):
        with open(file, "wb") as png:
            png.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def axe(self):
        """Violations of WCAG 2.2 AA: id, impact, help, nodes of each."""
        if not self.value("!!window.axe"):
            with open(os.path.join(npm_folder("browser"), "node_modules/axe-core/axe.min.js")) as source:
                self.value(source.read() + "; 0")
        return self.value(AXE.replace("RULES", json.dumps(RULES)))

    def memory(self):
        """Bytes of the page's objects after a collection."""
        self.ask("HeapProfiler.collectGarbage")
        return self.ask("Runtime.getHeapUsage")["usedSize"]

    def until_text(self, selector, holds, what):
        until(lambda: (text := self.text(selector)) is not None and holds(text), what, selector, lambda: self.value("document.body.innerText"))

    def close(self):
        if self.pid:
            pid, self.pid = self.pid, 0
            try:
                self.call("Browser.close")
            except (OSError, SystemExit):  # it has ended by itself, or does not answer
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(self.orders)
            os.close(self.answers)
            shutil.rmtree(self.folder, ignore_errors=True)


class Published:
    """What the simulator publishes of these topics from now on, by the step that the page names."""

    def __init__(self, endpoint, *topics):
        self.raw, self.messages = {topic: [] for topic in topics}, {topic: {} for topic in topics}
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVHWM, 0)
        for topic in topics:
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
                message = telemetry_kinds()[topic].FromString(raw)
                known[message.header.step] = message
            self.raw[topic] = []
            check(step in known or not known or next(reversed(known)) < step or step < next(iter(known)), f"{topic} has no step {step}", list(known)[-3:])
        return known.get(step)

    def close(self):
        self.socket.close(linger=0)
