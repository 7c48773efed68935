"""Forged and incomplete logs. Each forgery is tried with the original chain, without a chain, and with a chain rebuilt by the
forger, unsigned or signed with the forger's key. A verification never overstates a log, and ends within seconds whatever
the log contains."""
import resource

from harness import *
from mcap_forger import *

CASE = path("case.yaml")
with open(CASE, "w") as file:
    file.write(f"""extends: {JLAY}
name: watched
simulation: {{event_time_scale: 0.1}}
events:
  - {{name: deaf, at_s: 5, duration_s: 20, fault: sensors_loss, probability: 1}}
verdicts:
  - {{name: stays, quantity: drift_m, below: 0.001}}
""")


def cpu_s():
    """Time on a processor of the programs that have ended: no other program on the machine lengthens it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verify(log, *options):
    """(exit status, report, stderr)"""
    began_s = cpu_s()
    status, out, err = run("replay", log, "--verify", "--json", *options)
    check(cpu_s() - began_s < 30, f"{log}: verification takes long")
    check(status in (0, 1, 2, 3), f"{log}: status {status}", err)
    report = json.loads(out) if out else None
    if report:
        words = {0: ("equal",), 1: ("different",), 3: ("incomplete",)}
        check(report["result"] in words[status], f"{log}: word and exit status", status, report["result"])
        check(report["complete"] == (not report["incomplete_reasons"]), "complete", report)
    return status, report, err


def expect_each(wanted, *options):
    """The same of several logs of one session (log: name, status), from one start: each result means an exit status."""
    began_s = cpu_s()
    status, out, err = run("replay", *wanted, "--verify", "--json", *options)
    check(cpu_s() - began_s < 30, f"{list(wanted)}: verification takes long")
    check(status == 1, f"{list(wanted)}: several logs of one session, each of it all: status {status}", err)
    reports = {r["log"]: r for r in json.loads(out)["logs"]}
    check(sorted(reports) == sorted(wanted), "each log is reported", out, err)
    for log, (name, status) in wanted.items():
        report = reports[log]
        if "not_usable_because" in report:  # its exit status
            expect(name, log, status, *options)
        else:
            check(report["complete"] == (not report["incomplete_reasons"]), "complete", report)
            judge(name, status, {"equal": 0, "different": 1, "incomplete": 3}[report["result"]], report, err)


def expect(name, log, status, *options, word=None):
    return judge(name, status, *verify(log, *options), word)


def judge(name, status, got, report, err, word=None):
    check(got == status, f"{name}: status {got}, not {status}", json.dumps(report, indent=1), err)
    check(word is None or word in json.dumps(report) + err, f"{name}: '{word}' is not reported", json.dumps(report, indent=1), err)
    return report


# --- the originals ---
for name in "ship", "other":
    status, out, err = run("keygen", "--log", path(name))
    check(status == 0 and oct(os.stat(path(name)).st_mode & 0o777) == "0o600", "keygen", err)
    public = open(path(name + ".pub")).read().split()[1]
    check(public in out and Key(path(name)).public.raw.hex() == public, "the pair", out)
before = open(path("ship")).read(), open(path("ship.pub")).read()
status, out, err = run("keygen", "--log", path("ship"))
check(status == 2 and err.count("\n") == 1 and before == (open(path("ship")).read(), open(path("ship.pub")).read()), "a key was replaced", err)
os.rename(path("other.pub"), path("kept.pub"))
status, out, err = run("keygen", "--log", path("other"))
check(status == 2 and "other: exists already" in err and not os.path.exists(path("other.pub")), "a secret key was replaced", err)
os.rename(path("kept.pub"), path("other.pub"))
check(run("keygen")[0] == 2 and run("keygen", "--log", "/nowhere/key")[0] == 1, "keygen, usage")

RUN = ["run", CASE, "--mode", "fast", "--duration", "4", "--set", "pipe.elements=8",
       *(word for topic in ("nodes", "sensors", "truth") for word in ("--set", f"log.{topic}_period_s=0"))]  # some chunks, from few steps
for name, options in {"open": [], "signed": ["--log-key", path("ship")]}.items():
    status, out, err = run(*RUN, "--log", path(name), "--overwrite", *options)
    check(status == 1 and "verdict_violated" in err, "a run whose verdict fails", status, err)
    report = expect(name, path(name), 0)
    check(report["chain"]["state"] == "holds" and report["compared"]["event"] >= 4, "events are compared", report)
    check(len(Log(path(name)).chunks) >= 4, "some chunks", len(Log(path(name)).chunks))
KEY, OTHER, SHIP = ["--key", path("ship.pub")], ["--key", path("other.pub")], Key(path("ship"))
check(expect("signed", path("signed"), 0, *KEY)["chain"]["signed_by"] == SHIP.public.raw.hex(), "whose it is")
expect("by another", path("signed"), 1, *OTHER, word="signed with another key")
expect("not signed", path("open"), 1, *KEY, word="not signed")
for log, options, wanted, word in [("signed", KEY, 0, SHIP.public.raw.hex()), ("signed", OTHER, 1, "another key"), ("open", [], 0, "nobody"),
                                   ("open", KEY, 1, "not signed"), ("open", ["--key", path("ship")], 2, "public key of a pair expected")]:
    status, out, err = run("log", "info", path(log), *options)
    check(status == wanted and word in out + err and err.count("\n") == (status > 0), f"log info {log} {options}", status, out, err)
os.chmod(path("other"), 0o640)
for options, wanted in [(["--log", path("x"), "--log-key", path("ship.pub")], "secret key of a pair expected"), (["--log-key", path("ship")], "--log FILE"),
                        (["--log", path("x"), "--log-key", path("other")], "0600"), (["--log", path("x"), "--log-key", CASE], "64 hexadecimal digits")]:
    status, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "1", *options)
    check(status == 2 and wanted in err and err.count("\n") == 1, f"{options}", status, err)
ORIGINALS = {name: Log(path(name)) for name in ("open", "signed")}
SCHEMA_OF_CHAIN = ORIGINALS["open"].topics["/chain"]

# A log rewritten without a change: the forger's tools work, and the program's chain is as documented.
for name in "open", "signed":
    log = ORIGINALS[name].copy()
    log.write(path("same"))
    expect("unchanged", path("same"), 0, *(KEY if name == "signed" else []))
    log.rebuild(SHIP if name == "signed" else None)
    log.write(path("same"))
    expect("the chain by another hand", path("same"), 0, *(KEY if name == "signed" else []))
    log.strip()
    log.write(path("same"))
    expect("no chain", path("same"), 3, word="no chain")
    check(expect("no chain", path("same"), 3)["chain"]["state"] == "none", "no chain")
    got, out, err = run("replay", path("same"), "--verify", "--allow-incomplete")
    check(got == 0 and re.search("result +incomplete", out), "--allow-incomplete", out)

FORGERIES = []


def forgery(kept, stripped, rebuilt):
    """Exit statuses with the original chain, without a chain, and with a chain rebuilt without a key."""
    return lambda f: FORGERIES.append((f.__name__, f, kept, stripped, rebuilt))


def change(log, topic, number, alter, metadata=False):
    message = log.messages(topic)[number]
    content = message.get()
    alter(content)
    message.set(content)
    if metadata:  # also the copy of the record in the metadata
        log.before[0] = [(kind, b"") for kind, _ in log.before[0]]
        r, pairs = content, b""
        mode = session_pb2.RunMode.Name(r.mode)
        for key, value in [("session", r.session), ("name", r.name), ("started_at", r.started_at), ("version", r.version), ("build", r.build),
                           ("mode", mode), ("step_s", "%.17g" % r.step_s), ("config_hash", "%016x" % r.config_hash), ("config_path", r.config_path),
                           ("config_text", r.config_text), ("dp_text", r.dp_text),
                           ("time_base", "log times are simulated time since the start of the session")]:
            pairs += put_text(key.encode()) + put_text(value.encode())
        log.before[0] = [(METADATA, put_text(b"sagbend") + put_text(pairs))]


def count_again(log, error=lambda topic: 0):
    """Puts the numbers of messages into the end, as a careful forger does."""
    def alter(end):
        for topic in end.written:
            topic.messages = len(log.messages(topic.topic)) + error(topic.topic)
    change(log, "/end", 0, alter)


def step_of(m):
    content = m.get()
    return content.header.step if "header" in content.DESCRIPTOR.fields_by_name else getattr(content, "step", 0)


def late(m, step=300):
    return m.topic in ("/state_hash", "/sensors", "/truth", "/nodes", "/ledger", "/timing", "/session_info", "/status", "/dp", "/alarm") and step_of(m) > step


@forgery(1, 1, 1)
def commands_altered_and_what_shows_it_dropped(log):
    for i, m in enumerate(log.messages("/command")):
        if step_of(m) > 300:
            change(log, "/command", i, lambda c: setattr(c.wrench, "surge_n", c.wrench.surge_n + 1e5))
    log.drop(late)
    log.renumber()


@forgery(1, 3, 3)
def all_after_a_step_dropped_but_the_end(log):
    log.drop(late)


@forgery(1, 1, 1)
def fields_dropped_with_their_declaration(log):
    for topic, fields in {"/truth": ["pipe", "applied_wrench"], "/ledger": ["total_work"], "/sensors": ["instruments"]}.items():
        schema, data = log.topics[topic]
        for field in fields:
            name = bytes([len(field)]) + field.encode()
            check(name in data, f"{field} in the schema of {topic}")
            data = data.replace(name, name[:-1] + b"_")
            for i in range(len(log.messages(topic))):
                change(log, topic, i, lambda m: m.ClearField(field))
        log.topics[topic] = schema, data


@forgery(1, 1, 1)
def end_earlier(log):
    change(log, "/end", 0, lambda e: setattr(e, "step", 350))


@forgery(1, 1, 1)
def end_later(log):
    change(log, "/end", 0, lambda e: setattr(e, "step", 12000))


@forgery(1, 1, 1)
def end_at_2_to_the_62(log):
    change(log, "/end", 0, lambda e: setattr(e, "step", 2**62))


@forgery(1, 1, 1)
def end_with_another_hash(log):
    change(log, "/end", 0, lambda e: setattr(e, "state_hash", e.state_hash ^ 1))


@forgery(1, 1, 1)
def end_with_another_reason(log):
    change(log, "/end", 0, lambda e: setattr(e, "why", "fault"))


@forgery(1, 1, 1)
def end_tells_of_losses_that_never_were(log):
    change(log, "/end", 0, lambda e: e.dropped.append(log_pb2.Dropped(topic="/state_hash", messages=5)))


@forgery(1, 1, 1)
def end_with_another_verdict(log):
    change(log, "/end", 0, lambda e: setattr(e.verdict[0], "result", log_pb2.VERDICT_RESULT_PASSED))


@forgery(1, 1, 1)
def end_without_verdicts(log):
    change(log, "/end", 0, lambda e: e.ClearField("verdict"))


@forgery(1, 1, 1)
def end_without_counts(log):
    change(log, "/end", 0, lambda e: e.ClearField("written"))


@forgery(1, 3, 3)
def end_that_counts_an_event_more(log):
    count_again(log, lambda topic: topic == "/event")


@forgery(1, 1, 1)
def end_that_counts_a_command_less(log):
    count_again(log, lambda topic: -(topic == "/command"))


@forgery(1, 1, 1)
def a_second_end(log):
    log.chunks[-1].insert(0, log.messages("/end")[0].copy())


@forgery(3, 3, 3)
def last_chunks_dropped(log):
    del log.chunks[-2:], log.before[-2:]


@forgery(3, 1, 1)
def chunks_before_the_end_dropped(log):
    del log.chunks[2:-1], log.before[2:-1]


@forgery(1, 3, 3)
def all_hashes_dropped(log):
    log.drop(lambda m: m.topic == "/state_hash")


@forgery(1, 3, 3)
def one_hash_dropped(log):
    log.drop(lambda m: m.topic == "/state_hash" and step_of(m) == 250)
    log.renumber()


@forgery(1, 3, 3)
def all_telemetry_dropped(log):
    log.drop(lambda m: m.topic in ("/sensors", "/truth", "/nodes", "/ledger"))


@forgery(1, 1, 1)
def hash_of_step_2_to_the_62(log):
    change(log, "/state_hash", 350, lambda h: setattr(h, "step", 2**62))


@forgery(1, 1, 1)
def first_hash_of_step_2_to_the_62(log):
    change(log, "/state_hash", 1, lambda h: setattr(h, "step", 2**62))
    log.drop(lambda m: m.topic == "/end")


@forgery(1, 3, 3)
def a_hash_at_a_step_years_away(log):
    log.drop(lambda m: m.topic == "/end")
    last = log.messages("/state_hash")[-1]
    far = 5 * 10**10
    last.log_ns = last.publish_ns = far * 10**7
    change(log, "/state_hash", -1, lambda h: setattr(h, "step", far))


@forgery(1, 1, 1)
def a_hash_twice(log):
    log.chunks[1].insert(5, log.messages("/state_hash")[1].copy())
    log.renumber()


@forgery(1, 1, 1)
def a_number_of_telemetry(log):
    change(log, "/truth", 250, lambda t: setattr(t, "position_north_m", t.position_north_m + 1e-9))


@forgery(1, 1, 1)
def telemetry_of_another_session(log):
    change(log, "/timing", 3, lambda t: setattr(t.header, "session", "0123456789abcdef"))


@forgery(1, 3, 0)  # times of the machine cannot be recomputed: only a signature reveals it
def fewer_missed_deadlines(log):
    change(log, "/timing", 3, lambda t: setattr(t, "late_steps", 7))


@forgery(1, 1, 1)
def two_commands_exchanged(log):
    a, b = log.messages("/command")[10:12]
    x, y = a.get(), b.get()
    x.wrench.CopyFrom(b.get().wrench)
    y.wrench.CopyFrom(a.get().wrench)
    a.set(x), b.set(y)


@forgery(1, 1, 1)
def two_commands_in_another_order(log):
    a, b = log.messages("/command")[10:12]
    a.data, b.data, a.log_ns, b.log_ns = b.data, a.data, b.log_ns, a.log_ns
    a.publish_ns, b.publish_ns = a.log_ns, b.log_ns


@forgery(1, 1, 1)
def a_command_twice(log):
    for chunk in log.chunks:
        commands = [i for i, m in enumerate(chunk) if m.topic == "/command"]
        if commands:
            chunk.insert(commands[0], chunk[commands[0]].copy())
            break
    log.renumber()


@forgery(1, 3, 3)
def a_command_dropped(log):
    gone = log.messages("/command")[14]
    log.drop(lambda m: m is gone)
    log.renumber()


@forgery(1, 1, 1)
def a_command_dropped_and_the_others_renumbered(log):
    gone = log.messages("/command")[14]
    log.drop(lambda m: m is gone)
    for i in range(14, len(log.messages("/command"))):
        change(log, "/command", i, lambda c: setattr(c, "number", c.number - 1))
    log.renumber()


@forgery(1, 1, 1)
def a_command_that_is_not_finite(log):
    change(log, "/command", 14, lambda c: setattr(c.wrench, "sway_n", float("nan")))


@forgery(1, 1, 1)
def a_command_behind_the_end(log):
    change(log, "/command", -1, lambda c: setattr(c, "step", 1300))


@forgery(1, 1, 1)  # the end counts no order
def an_order_that_never_was(log):
    order = log_pb2.OrderUsed(step=100, number=1)
    fault = order.order.fault
    fault.kind, fault.name, fault.duration_s = "sensors_loss", "mine", 1
    p = fault.parameter.add()
    p.name, p.number = "probability", 1
    log.topics["/operator"] = ("sagbend.v1.OrderUsed", SCHEMA_OF_CHAIN[1])
    log.chunks[1].insert(0, Message("/operator", "sagbend.v1.OrderUsed", 1, 10**9, 10**9, order.SerializeToString()))


@forgery(1, 3, 0)
def dp_text(log):
    change(log, "/session", 0, lambda r: setattr(r, "dp_text", r.dp_text.replace("pid", "qid")), metadata=True)


@forgery(1, 1, 1)
def dp_text_in_the_record_only(log):
    change(log, "/session", 0, lambda r: setattr(r, "dp_text", r.dp_text.replace("pid", "qid")))


@forgery(1, 3, 0)
def started_at(log):
    change(log, "/session", 0, lambda r: setattr(r, "started_at", "2020-01-01T00:00:00.000Z"), metadata=True)


@forgery(1, 1, 1)
def setpoint(log):
    change(log, "/session", 0, lambda r: setattr(r.setpoint, "north_m", r.setpoint.north_m + 100), metadata=True)


@forgery(1, 1, 1)
def session_id(log):
    change(log, "/session", 0, lambda r: setattr(r, "session", "0123456789abcdef"), metadata=True)


@forgery(1, 1, 1)
def mode(log):
    change(log, "/session", 0, lambda r: setattr(r, "mode", session_pb2.RUN_MODE_REALTIME), metadata=True)


@forgery(1, 1, 1)
def timeouts(log):
    change(log, "/session", 0, lambda r: setattr(r, "command_timeout_steps", 7), metadata=True)


@forgery(1, 1, 1)
def control_period(log):
    change(log, "/session", 0, lambda r: setattr(r, "control_period_steps", 7), metadata=True)


@forgery(1, 1, 1)
def node_count(log):
    change(log, "/session", 0, lambda r: setattr(r, "node_count", 7), metadata=True)


@forgery(1, 1, 1)
def initial_hash(log):
    change(log, "/session", 0, lambda r: setattr(r, "initial_state_hash", r.initial_state_hash ^ 1), metadata=True)


@forgery(1, 3, 0)  # equal bits are equal whoever computed them; the report names the other build
def another_build(log):
    change(log, "/session", 0, lambda r: setattr(r, "build", "0" * 40), metadata=True)


def rehash(record):
    data, hash_ = record.config_text.encode() + b"".join(f.path.encode() + b"\0" + f.text + b"\0" for f in record.files), 0xCBF29CE484222325
    for byte in data:
        hash_ = (hash_ ^ byte) * 0x100000001B3 % 2**64
    record.config_hash = hash_


@forgery(1, 1, 1)
def a_verdict_that_is_easier(log):
    def alter(record):
        before_it = record.config_hash
        rehash(record)
        check(record.config_hash == before_it, "the hash of the configuration is not as log.proto describes", record.config_hash, before_it)
        record.config_text = record.config_text.replace("below: 0.001", "below: 1000.")
        rehash(record)
    change(log, "/session", 0, alter, metadata=True)


@forgery(1, 1, 1)
def metadata(log):
    kind, content = log.before[0][0]
    log.before[0][0] = (kind, content.replace(b"RUN_MODE_FAST", b"RUN_MODE_SLOW"))


@forgery(1, 3, 0)
def an_attachment_added(log):
    log.before[1].append((ATTACHMENT, bytes(16) + put_text(b"proof.txt") + put_text(b"text/plain") + struct.pack("<Q", 3) + b"yes" + bytes(4)))


@forgery(1, 3, 0)
def the_header(log):
    log.header = put_text(b"") + put_text(b"sagbend 9.9.9")


@forgery(1, 3, 0)
def a_schema(log):
    name, data = log.topics["/sensors"]
    log.topics["/sensors"] = (name, data.replace(b"position_north_m", b"position_east__m"))


@forgery(1, 3, 1)
def a_topic_of_the_summary_only(log):
    log.extra_topics["/operator"] = ("sagbend.v1.OrderUsed", b"")


@forgery(1, 3, 3)
def a_verdict_event_dropped(log):
    log.drop(lambda m: m.topic == "/event" and m.get().name == "verdict_violated")
    log.renumber()


@forgery(1, 1, 1)
def an_event_altered(log):
    number = [m.get().name for m in log.messages("/event")].index("fault_began")
    change(log, "/event", number, lambda e: setattr(e, "text", "harmless: sensors_loss on all"))


@forgery(1, 1, 1)
def an_event_added(log):
    event = log.messages("/event")[0].copy()
    content = event.get()
    content.name, content.text = "command_lost", "no command within the timeout, the last was based on step 0"
    event.set(content)
    log.chunks[-1].insert(0, event)
    log.renumber()


@forgery(1, 1, 1)  # the end counts one event less
def an_event_of_people_added(log):
    add_event(log)


@forgery(1, 3, 0)
def an_event_of_people_added_and_counted(log):
    add_event(log)
    count_again(log)


def add_event(log):
    event = log.messages("/event")[-1].copy()
    content = event.get()
    content.name, content.text = "controller_joined", "the good one"
    event.set(content)
    place = max(i for i, chunk in enumerate(log.chunks) if any(m.topic == "/event" for m in chunk))
    log.chunks[place].insert(0, event)
    log.renumber()


@forgery(1, 1, 1)
def chunks_in_another_order(log):
    log.chunks[1], log.chunks[2] = log.chunks[2], log.chunks[1]


@forgery(1, 1, 1)
def a_chunk_twice(log):
    log.chunks.insert(2, [m.copy() for m in log.chunks[1]])
    log.before.insert(2, [])


@forgery(1, 1, 1)  # the duration has another last step
def cut_and_a_new_end(log):
    log.drop(lambda m: late(m, 250) or (m.topic == "/command" and step_of(m) >= 250) or (m.topic == "/event" and step_of(m) > 250))
    last, end = log.messages("/state_hash")[-1], log.messages("/end")[0]
    change(log, "/end", 0, lambda e: (setattr(e, "step", 250), setattr(e, "state_hash", last.get().hash)))
    end.log_ns = end.publish_ns = last.log_ns
    log.chunks = [[m for m in chunk if m.topic != "/chain" or i < 2] for i, chunk in enumerate(log.chunks)]


@forgery(1, 3, 3)  # the end counts more messages
def cut_and_a_new_end_of_a_stopped_session(log):
    cut_and_end(log)


@forgery(1, 3, 0)  # a session stopped at that step would look the same
def cut_and_a_new_end_that_counts_again(log):
    cut_and_end(log)
    count_again(log)


def cut_and_end(log):
    log.drop(lambda m: late(m, 250) or (m.topic == "/command" and step_of(m) >= 250) or (m.topic == "/event" and step_of(m) > 250))
    last, end = log.messages("/state_hash")[-1], log.messages("/end")[0]
    change(log, "/end", 0, lambda e: (setattr(e, "step", 250), setattr(e, "state_hash", last.get().hash), setattr(e, "why", "stopped")))
    end.log_ns = end.publish_ns = last.log_ns


@forgery(1, 3, 0)
def the_last_link_dropped(log):
    log.chunks[-1] = [m for m in log.chunks[-1] if m.topic != "/chain"]


@forgery(3, 3, 3)
def called_recovered(log):
    log.before[-1].append((METADATA, put_text(b"sagbend recovered") + put_text(b"")))


for name, alter, kept, stripped, rebuilt in FORGERIES:
    wanted = {}
    for chain, status in ("kept", kept), ("stripped", stripped), ("rebuilt", rebuilt):
        log = ORIGINALS["open"].copy()
        alter(log)
        if chain == "stripped":
            log.strip()
        if chain == "rebuilt":
            log.rebuild(schema=SCHEMA_OF_CHAIN)
        log.write(path("forged-" + chain))
        wanted[path("forged-" + chain)] = f"{name}, chain {chain}", status
    expect_each(wanted)
    # When a key is required nothing passes: no remains of the chain, no unsigned chain, no chain signed with another key.
    wanted = {}
    for chain in "kept", "not signed", "another key":
        log = ORIGINALS["signed"].copy()
        alter(log)
        if chain != "kept":
            log.rebuild(Key() if chain == "another key" else None, SCHEMA_OF_CHAIN)
        forged = path("forged-" + chain.replace(" ", "-"))
        log.write(forged)
        # an incomplete log is still signed by its owner as far as it goes
        wanted[forged] = f"{name}, signed, chain {chain}", kept if chain == "kept" else 1
        status, out, err = run("log", "info", forged, *KEY)
        check(status == (0 if chain == "kept" and kept == 3 else 1), f"{name}, signed, chain {chain}: log info", status, out, err)
    expect_each(wanted, *KEY)
print(f"{len(FORGERIES)} forgeries, six ways each")

# Position of the first broken link.
log = ORIGINALS["signed"].copy()
change(log, "/command", 17, lambda c: setattr(c.wrench, "surge_n", c.wrench.surge_n + 1))
log.write(path("forged"))
report = expect("a command", path("forged"), 1, *KEY)
check((report["chain"]["state"], report["chain"]["broken_topic"]) == ("broken", "/command"), "where the chain breaks", report["chain"])
check(abs(report["chain"]["broken_time_s"] - 0.01 * step_of(log.messages("/command")[17])) < 1e-6, "when the chain breaks", report["chain"])
check(report["first_difference"]["topic"] == "/state_hash", "what the replay finds", report)

# Signatures: removed from some links, copied from another chunk, or from another session with the same key.
for name, alter in {
    "one link not signed": lambda l: (l.ClearField("signature"), l.ClearField("public_key")),
    "one signature wrong": lambda l: setattr(l, "signature", bytes(64)),
    "one key wrong": lambda l: setattr(l, "public_key", Key().public.raw),
    "half a signature": lambda l: setattr(l, "signature", l.signature[:32]),
    "a digest of another length": lambda l: setattr(l, "digest", l.digest[:31]),
    "a link of another session": lambda l: setattr(l, "session", "0123456789abcdef"),
}.items():
    log = ORIGINALS["signed"].copy()
    change(log, "/chain", 2, alter)
    log.write(path("forged"))
    for options in [], KEY:
        expect(name, path("forged"), 1, *options, word="broken")
log = ORIGINALS["signed"].copy()
status, out, err = run(*RUN, "--log", path("signed-2"), "--log-key", path("ship"))
log.chunks[2:] = Log(path("signed-2")).chunks[2:]
log.before = [log.before[0]] + [[] for _ in log.chunks]
log.write(path("forged"))
expect("chunks of another session", path("forged"), 1, *KEY, word="broken")

# Truncated, recovered, killed: what remains is equal, and the report claims no more than that.
whole = open(path("signed"), "rb").read()
for share in 0.95, 0.7, 0.4, 0.15:
    with open(path("cut"), "wb") as file:
        file.write(whole[: int(share * len(whole))])
    report = expect(f"cut at {share}", path("cut"), 3, *KEY)
    check(report["chain"]["state"] == "holds", "the chain as far as it goes", report["chain"])
    status, out, err = run("log", "recover", "--overwrite", path("cut"), path("mended"))
    recovered = expect(f"recovered from {share}", path("mended"), 3, *KEY, word="recovered")
    check(status == 0 and recovered["last_step"] == report["last_step"] and recovered["chain"]["state"] == "holds", "recovered", out, err)
    check(run("log", "recover", "--overwrite", path("mended"), path("again"))[0] == 0, "recovered twice")
    expect("recovered twice", path("again"), 3, *KEY)
damaged = bytearray(whole)
damaged[chunk_middles(whole)[2]] ^= 1
with open(path("damaged"), "wb") as file:
    file.write(damaged)
expect("damaged in the middle", path("damaged"), 3)
status, out, err = run("log", "recover", "--overwrite", path("damaged"), path("mended"))
report = expect("recovered from a damaged one", path("mended"), 3, *KEY)
check(status == 0 and report["chain"]["state"] == "gaps" and report["chain"]["missing_records"] > 0, "a chunk is missing", report["chain"])
status, out, err = run("replay", path("mended"), "--verify", *KEY, "--allow-incomplete")
check(status == 0 and "records are missing between the links" in out, "--allow-incomplete", out, err)
status, out, err = run("log", "recover", "--overwrite", path("signed"), path("mended"))
expect("recovered, though in order", path("mended"), 3, *KEY, word="recovered")
