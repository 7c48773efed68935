"""sagbend-view --operate: an operator enters by a one-time token and keeps the seat by a cookie; orders as those of sagbend ctl, in the
log with their operator. Attacks: other sites, names that resolve here, replayed and guessed tokens, stolen places of cookies, two
browsers, large and malformed orders, publishing; and addresses beyond this machine."""
import hashlib
import shutil
import socket

from harness import *
import view_client
from view_client import Client, get

LOG = path("operated.mcap")
TOKEN = r"/operate\?token=([0-9a-f]{32})\n"


class OperatorView(View):
    def __init__(self, *args):
        super().__init__(*args)
        self.own = f"http://127.0.0.1:{self.port}"

    def token(self, number=1):
        """The so-many-th token that the console has printed."""
        until(lambda: len(re.findall(TOKEN, self.stderr())) >= number, "no token", self.stderr())
        return re.findall(TOKEN, self.stderr())[number - 1]

    def enter(self, number=1):
        status, head, _ = get(self.port, "/operate?token=" + self.token(number))
        check(status == 303 and "Location: /\r\n" in head, "the token does not let in", head)
        cookie = re.search(r"Set-Cookie: (sagbend-operator-[0-9a-f]{8})=([0-9a-f]{32}); HttpOnly; SameSite=Strict; Path=/$", head)
        check(cookie, "the cookie", head)
        self.cookie_name = cookie.group(1)
        return cookie.group(2)

    def client(self, *fields):
        return Client(self.port, fields=fields).greet()

    def operator(self, cookie):
        client = self.client(f"Cookie: {self.cookie_name}={cookie}", "Origin: " + self.own)
        check(client.op("sagbendOperator")["is_operator"], "the cookie does not operate")
        return client


def order(client, *words):
    """Gives an order; returns whether it was accepted, and the answer."""
    before = getattr(client, "number", 0)
    client.ask(op="sagbendOrder", words=list(words))
    while True:
        answer = client.op("sagbendOperator", "status")
        if answer["op"] == "sagbendOperator" and answer.get("number", 0) > before:
            client.number = answer["number"]
            return answer["is_accepted"], answer["answer"]


def is_observer(client, why):
    client.ask(op="sagbendOrder", words=["pause"])
    while True:
        answer = client.op("status", "sagbendOperator")
        check(answer["op"] == "status" or not answer["is_operator"], "it operates: " + why, answer)
        if answer["op"] == "status":
            check("observes only" in answer["message"], why, answer)
            return client.close()


simulator = Simulator(JLAY, "--duration", "0", "--log", LOG)
view = OperatorView("--connect", simulator.telemetry, "--operate", simulator.commands)
port = view.port
NAME = "sagbend-operator-" + hashlib.blake2b(f"{socket.gethostname()} 127.0.0.1:{port}".encode(), digest_size=16).hexdigest()[:8]

# ---- without --operate there is nothing to take ----
observer = OperatorView("--connect", simulator.telemetry)
for name in ("/operate", "/operate?token=" + "0" * 32, "/orders"):
    check(get(observer.port, name)[0] == 404, f"{name} of an observer")
is_observer(observer.client(f"Origin: {observer.own}", "Cookie: sagbend-operator=" + "0" * 32), "no --operate")
observer.signal()
check(observer.end() == 0 and "token" not in observer.stderr(), "an observer prints a token")

# ---- what costs a processor is for the page alone: no picture on a page of another site has it computed ----
priced = OperatorView("--connect", simulator.telemetry, "--config", JLAY)
question = "/capability?current=1,2&external=none"
children = lambda: open(f"/proc/{priced.process.pid}/task/{priced.process.pid}/children").read().split()
for fields in ((), ("Referer: http://evil.example/",), ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"), ("Accept: image/*",)):
    check(get(priced.port, question, fields=fields)[0] == 403 and not children(), "a picture costs a processor", fields)
check(get(priced.port, question, fields=("Origin: http://evil.example", "X-Sagbend: 1"))[0] == 403 and not children(), "another site")
check(get(priced.port, question, method="OPTIONS", fields=("Origin: http://evil.example", "Access-Control-Request-Headers: x-sagbend"))[0] in (403, 405), "its preflight")
check(get(priced.port, question, fields=("X-Sagbend: 1",))[0] == 200 and children(), "the page itself")
priced.signal()
check(priced.end() == 0, "the end", priced.stderr())

# ---- tokens: guessed, replayed, from other sites, by other names ----
token = view.token()
for query, fields, host in (("", (), None), ("?token=", (), None), ("?token=" + "0" * 32, (), None), ("?token=" + token[:-1], (), None), ("?token=" + token + "0", (), None),
                            ("?token=" + token.upper() + "x", (), None), ("?token=" + "a" * 600, (), None), ("?other=" + token, (), None), (f"?token={token}&x=1", (), None),
                            (f"?token={token}", ("Origin: http://evil.example",), None), (f"?token={token}", (f"Origin: {view.own}",), None), (f"?token={token}", (), "evil.example"),
                            (f"?token={token}", (), f"evil.example:{port}")):
    status, head, _ = get(port, "/operate" + query, fields=fields, host=host)
    check(status == 403 and "Set-Cookie" not in head, f"{query} {fields} {host}: {status}", head)
for method in "POST", "PUT", "HEAD":
    status, head, _ = get(port, "/operate?token=" + token, method=method)
    check(status in (403, 405) and "Set-Cookie" not in head, f"{method}: {status}", head)
is_observer(view.client(), "nobody has entered")
is_observer(view.client("Origin: " + view.own, f"Cookie: {NAME}="), "the cookie of nobody")
cookie = view.enter()
check(view.cookie_name == NAME, "the name of the cookie", view.cookie_name, NAME)
check(get(port, "/operate?token=" + token)[0] == 403, "a replayed token lets in")
check(view.token(2) != token, "the next token is another one")

# ---- cookies: without the page's own origin, of another site, twice, another one ----
mine = f"Cookie: {NAME}={cookie}"
is_observer(view.client(mine), "a cookie without an origin, as of a program")
is_observer(view.client("Origin: " + view.own, mine[:-1]), "a part of the cookie")
is_observer(view.client("Origin: " + view.own, f"Cookie: {NAME}=" + "0" * 32), "another cookie")
is_observer(view.client("Origin: " + view.own, f"Cookie: {NAME}={'0' * 32}; {NAME}={cookie}"), "two cookies")
is_observer(view.client("Origin: " + view.own, mine, f"Cookie: {NAME}=" + "0" * 32), "two fields with cookies")
for fields, host in ((("Origin: http://evil.example", mine), None), (("Origin: null", mine), None), ((f"Origin: http://evil.example:{port}", mine), f"evil.example:{port}")):
    status, head, _ = view_client.http(port, view_client.handshake(port, host=host, fields=fields))
    check(status == 403, f"a page of another site: {status}", fields, host)
friend = OperatorView("--connect", simulator.telemetry, "--operate", simulator.commands, "--allow-origin", "http://viewer.example")
his = friend.enter()
check(friend.cookie_name != NAME, "two views share a cookie", NAME)
is_observer(friend.client("Origin: http://viewer.example", f"Cookie: {friend.cookie_name}={his}"), "a page that may look does not operate")
both = f"Cookie: {NAME}={cookie}; {friend.cookie_name}={his}"  # a browser sends the cookies of a host to each of its ports
for one in view, friend:
    both_seats = one.client(both, "Origin: " + one.own)
    check(both_seats.op("sagbendOperator")["is_operator"], "an operator of two views of a host", one.own)
    both_seats.close()
friend.signal()
check(friend.end() == 0, "the end", friend.stderr())

# ---- orders, and refusals, as those of sagbend ctl ----
client = view.operator(cookie)
menu = json.loads(get(port, "/orders")[2])
help_text = run("ctl", "--help")[1]
check({one["word"] for one in menu["orders"]} >= {"pause", "resume", "rate", "set-point", "tensioner", "fault", "clear", "mark", "stop"} and
      not {"cases", "load", "fetch", "status", "list"} & {one["word"] for one in menu["orders"]}, "the menu", menu["orders"])
check(all(one["word"] in help_text for one in menu["orders"]) and all(one["kind"] in help_text and all("--" + p["name"] in help_text for p in one["parameters"]) for one in menu["faults"]),
      "the menu is that of sagbend ctl")
for words in (["rate", "100"], ["rate", "x"], ["set-point"], ["set-point", "--north", "x"], ["set-point", "--up", "1"], ["fault", "no-such"], ["fault", "loss"],
              ["fault", "loss", "--probability", "2"], ["tensioner", "tension", "1e6"], ["clear", "nothing"], ["mark", ""], ["take-over", "nobody"], ["track", "go"]):
    status, out, err = run("ctl", simulator.commands, *words)
    accepted, answer = order(client, *words)
    said = err.strip().removeprefix("sagbend ctl: ")
    check(status != 0 and not accepted and answer and answer in said, f"{words} is refused otherwise", answer, said)
for words in (["status"], ["list"], ["cases"], ["load", "x"], ["fetch", "a", "b"], ["watch"], ["no-such"], ["--help"]):
    accepted, answer = order(client, *words)
    check(not accepted and "menu" in answer, f"{words} is no order of the page", answer)
for words in (["pause"], ["resume"], ["rate", "2"], ["set-point", "--north", "975"], ["fault", "loss", "--probability", "0.5", "--name", "lossy", "--for", "1000"], ["clear", "lossy"], ["mark", "by the page"]):
    accepted, answer = order(client, *words)
    check(accepted, f"{words} is refused", answer)
check("order 'pause': accepted" in view.stderr(), "the console says nothing of the order", view.stderr())

# ---- a text that is cut where a letter has several bytes: the page goes on ----
for letter, refusal in (("é", "printable ASCII"), ("海", "printable ASCII"), ("🚢", "printable ASCII")):
    for before in range(5):
        text = "x" * before + letter * 60  # a word has at most 191 bytes, what is shown of an order as well
        while len(text.encode()) > 191:
            text = text[:-1]
        accepted, answer = order(client, "mark", text)
        check(not accepted and answer, "a mark that is no ASCII", text, answer)
        accepted, answer = order(client, text, text)
        check(not accepted and "menu" in answer, "an order that is none", text, answer)
check(order(client, "mark", "still here")[0], "the page is locked out")

# ---- all places taken by observers: the operator gets one, who came last makes way; an observer more does not get in ----
crowd = []
until(lambda: crowd.append(Client(port)) or crowd[-1].status == 503, "16 clients")
crowd.pop().close()
again = view.operator(cookie)
check(order(again, "mark", "in a crowd")[0], "the operator in a crowd")
check(crowd[-1].wait_close() is None and view_client.http(port, view_client.handshake(port))[0] == 503, "who makes way, and the next observer")
crowd[0].greet()
for one in [again, *crowd[:-1]]:
    one.close()

# ---- malformed and large orders: an error, or the end of the connection ----
for bad in ({}, {"words": "pause"}, {"words": []}, {"words": [1]}, {"words": [["pause"]]}, {"words": ["x"] * 17}, {"words": ["mark", "x" * 192]}, {"words": None}):
    other = view.operator(cookie)
    other.ask(op="sagbendOrder", **bad)
    check("sagbendOrder" in other.op("status")["message"], "a malformed order", bad)
    other.close()
large = view.operator(cookie)
large.send(b'{"op":"sagbendOrder","words":["mark","' + b"x" * 70000 + b'"]}')
check(large.wait_close() == 1009, "a body of 70 kB", large.code)
status, head, _ = view_client.http(port, f"POST /orders HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99999999\r\n{mine}\r\n\r\n".encode() + b"x" * 5000)
check(status == 405, "an order by POST", head)
for publishing in ({"op": "advertise", "channels": [{"id": 1, "topic": "/x"}]}, {"op": "unadvertise", "channelIds": [1]}):
    other = view.operator(cookie)
    other.ask(**publishing)
    check(other.op("status")["level"] == 2, "publishing is permitted", publishing)
    other.close()

# ---- two browsers: who enters later has the seat ----
second = view.operator(view.enter(2))
until(lambda: client.op("sagbendOperator")["is_operator"] is False, "the first browser still operates")
is_observer(client, "its seat is taken")
is_observer(view.client("Origin: " + view.own, mine), "an old cookie")
check(order(second, "mark", "by the second")[0], "the second browser")

# ---- beyond this machine, and with keys of others ----
for args, expected in ([["--listen", "0.0.0.0:0", "--allow-host", "x.example"], "an address of this machine expected"], [["--operate", "nonsense"], "--operate: "]):
    status, out, err = run("--connect", simulator.telemetry, "--operate", simulator.commands, *args, program=SAGBEND_VIEW)
    check(status == 2 and expected in err and err.count("\n") == 1, f"{args}: {status}", err)
status, out, err = run(LOG, "--operate", simulator.commands, program=SAGBEND_VIEW)
check(status == 2 and "--operate is for --connect" in err, "a log that is operated", err)

# ---- an order while the one before waits for its answer: not sent, and said ----
simulator.process.send_signal(signal.SIGSTOP)
second.ask(op="sagbendOrder", words=["mark", "first"])
second.ask(op="sagbendOrder", words=["mark", "second"])
answer = second.op("status", "sagbendOperator")
check(answer["op"] == "status" and "not sent, the order before has no answer yet" in answer["message"], "an order is lost in silence", answer)
simulator.process.send_signal(signal.SIGCONT)
answer = second.op("sagbendOperator")
check(answer["is_accepted"] and answer["order"] == "mark first", "the order before", answer)
second.number = answer["number"]

# ---- the log names each order with its operator, and replays ----
check(order(second, "stop")[0], "stop")
check(simulator.end() == 0, "the end of the session", simulator.stderr())
accepted, answer = order(second, "pause")
check(not accepted and answer, "an order to a simulator that has gone")
events = run("log", "cat", LOG, "--topic", "/event")[1]
user = os.environ.get("USER") or "sagbend ctl"
check(all(word in events for word in ("pause", "975", "lossy", "by the page", "by the second")) and user in events, "orders with their operator in the log", events[-2000:])
status, out, err = run("replay", LOG, "--verify")
check(status == 0, "the session with orders does not replay", out, err)
view.signal()
check(view.end() == 0, "the end of the view", view.stderr())

# ---- with keys: that of an operator gives the name, that of an observer is refused ----
for role, name in ("server", "sim"), ("operator", "bridge"), ("observer", "screen"):
    status, out, err = run("keygen", "--role", role, path(name + ".key"))
    check(status == 0, "keygen", err)
with open(path("admitted"), "w") as file:
    for name in "bridge", "screen":
        with open(path(name + ".key.pub")) as public:
            file.write(public.read())
simulator = Simulator(JLAY, "--duration", "0", "--log", path("keys.mcap"), "--set", "network.server_key=" + path("sim.key"), "--set", "network.admitted_keys=" + path("admitted"))
CONNECT = ["--connect", simulator.telemetry, "--operate", simulator.commands, "--server-key", path("sim.key.pub")]
status, out, err = run(*CONNECT, "--key", path("screen.key"), program=SAGBEND_VIEW)
check(status == 2 and "--operate needs the key of an operator" in err, "the key of an observer", err)
view = OperatorView(*CONNECT, "--key", path("bridge.key"))
client = view.operator(view.enter())
check(order(client, "mark", "by key")[0] and order(client, "stop")[0], "orders with a key", view.stderr())
simulator.end()
check("bridge" in run("log", "cat", path("keys.mcap"), "--topic", "/event")[1], "the name of the key")
view.signal()
check(view.end() == 0, "the end of the view", view.stderr())
