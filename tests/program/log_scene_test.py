"""sagbend log scene: the copy of a log with /tf, /scene and /log for viewers."""
import datetime
import math
import shutil
from harness import *
import mcap_forger


def log(*args, status=0):
    code, out, err = run("log", *args)
    check(code == status, f"sagbend log {' '.join(args)}: exit status {code}, not {status}", out[-2000:], err)
    check(status == 0 or err.count("\n") == 1, f"sagbend log {' '.join(args)}: one line expected", err)
    return out if status == 0 else err


def messages(name):
    """Topic -> [(log time in ns, message)], decoded with the schemas in the file only."""
    found, taken = {}, mcap_forger.Log(path(name))
    types = {topic: message_class(*schema) for topic, schema in taken.topics.items()}
    for m in (m for chunk in taken.chunks for m in chunk):
        found.setdefault(m.topic, []).append((m.log_ns, types[m.topic].FromString(m.data)))
    return found


def turned(q, v):
    """v turned by a quaternion."""
    u = (q.x, q.y, q.z)
    cross = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    t = [2 * x for x in cross(u, v)]
    return [v[i] + q.w * t[i] + cross(u, t)[i] for i in range(3)]


code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "20", "--log", path("a.mcap"))
check(code == 0, "a run with a log", err)
said = log("scene", path("a.mcap"), path("b.mcap"))
check(re.search(r"of these /tf \d+, /scene \d+, /log \d+; \d+\.\d % (?:smaller|larger) than the log", said), "what it says", said)
plain, copied = messages("a.mcap"), messages("b.mcap")
check(set(copied) == set(plain) - {"/chain"} | {"/tf", "/scene", "/log"}, "topics of the copy", sorted(copied))
for topic in set(plain) - {"/chain"}:
    check([(t, m.SerializeToString(deterministic=True)) for t, m in plain[topic]] ==
          [(t, m.SerializeToString(deterministic=True)) for t, m in copied[topic]], f"{topic} differs in the copy")
check(os.path.getsize(path("b.mcap")) < 1.04 * os.path.getsize(path("a.mcap")), "size of the copy", said)
check(set(os.listdir(FOLDER)) >= {"a.mcap", "b.mcap"} and not [n for n in os.listdir(FOLDER) if n.startswith("b.mcap.")], "files")

# The frames against the logged state: the reference point and the bow, with x east, y north, z up.
truth = {t: m for t, m in copied["/truth"]}
compared = 0
for t, tf in copied["/tf"]:
    if t not in truth:
        continue
    m, (ned, vessel) = truth[t], tf.transforms
    check([ned.parent_frame_id, ned.child_frame_id, vessel.parent_frame_id, vessel.child_frame_id] == ["world", "ned", "ned", "vessel"],
          "names of the frames", tf)
    check(vessel.timestamp.seconds * 10**9 + vessel.timestamp.nanos == t, "time of a transform", t, vessel.timestamp)
    w, x, y, z = m.quaternion_w, m.quaternion_x, m.quaternion_y, m.quaternion_z
    bow = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]  # first column of the rotation matrix
    for arm in (0, 100):
        expected = [p + arm * b for p, b in zip((m.position_north_m, m.position_east_m, m.position_down_m), bow)]
        place = [a + b for a, b in zip(turned(vessel.rotation, (arm, 0, 0)), (vessel.translation.x, vessel.translation.y, vessel.translation.z))]
        world = turned(ned.rotation, place)
        check(math.dist(world, (expected[1], expected[0], -expected[2])) < 1e-3, "a point of the vessel in the world", t, world, expected)
    compared += 1
check(compared > 100, "transforms that were compared", compared)

# The pipe against the logged nodes, and the entities of each scene.
nodes = dict(copied["/nodes"])
for t, scene in copied["/scene"]:
    parts = {e.id: e for e in scene.entities}
    if t in nodes and "pipe" in parts:
        line, n = parts["pipe"].lines[0], nodes[t]
        check(len(line.points) == len(line.colors) == len(n.north_m), "points of the pipe", len(line.points))
        check(max(math.dist((p.x, p.y, p.z), q) for p, q in zip(line.points, zip(n.north_m, n.east_m, n.down_m))) < 0.01, "the pipe", t)
check({"pipe", "vessel", "touchdown"} <= set(parts), "the last scene", sorted(parts))
check(copied["/log"] and all(m.level in (2, 3, 4) and m.message for _, m in copied["/log"]), "/log", copied["/log"])

# Marked as derived: no verification, and log info says so. A copy of a copy is refused.
code, out, err = run("replay", path("b.mcap"), "--verify")
check(code == 2 and err.count("\n") == 1 and "derived copy ('sagbend log scene')" in err, "replay --verify of the copy", code, out, err)
code, out, err = run("keygen", "--log", path("key"))
check(code == 0, "keygen", err)
check("derived copy" in log("info", path("b.mcap"), "--key", path("key.pub"), status=1), "log info --key of the copy")
check(re.search(r"^derived +a copy", log("info", path("b.mcap")), re.M), "log info of the copy")
check("derived copy" in log("scene", path("b.mcap"), path("c.mcap"), status=2), "a copy of the copy")
log("recover", path("b.mcap"), path("mended.mcap"))
code, out, err = run("replay", path("mended.mcap"), "--verify")
check(code == 2 and "derived copy" in err, "replay --verify of the recovered copy", code, err)
check(len(log("cat", path("b.mcap")).splitlines()) == sum(len(plain[t]) for t in plain if t != "/chain"), "log cat of the copy")
check(run("replay", path("a.mcap"), "--verify")[0] == 0, "the log itself is as it was")

# Without topics, with the wall clock.
log("scene", path("a.mcap"), path("w.mcap"), "--wall-clock", "--without", "/state_hash,truth,/log", "--colour", "curvature")
walled = messages("w.mcap")
check(set(walled) == set(copied) - {"/state_hash", "/truth", "/log"}, "topics", sorted(walled))
start = datetime.datetime.strptime(copied["/session"][0][1].started_at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
start_ns = round(start.timestamp() * 1000) * 10**6
check([t for t, _ in walled["/sensors"]] == [t + start_ns for t, _ in copied["/sensors"]], "times of the wall clock", start_ns, walled["/sensors"][0][0])
rows = log("export-csv", path("w.mcap"), "--topic", "/sensors", "--fields", "heading_rad").splitlines()[1:]
check([int(s) * 10**9 + int((f + "0" * 9)[:9]) for s, _, f in (row.split(",")[0].partition(".") for row in rows)] == [t for t, _ in walled["/sensors"]],
      "all digits of the times in CSV", rows[:3])
check(f'"time_s":{rows[-1].split(",")[0]},' in log("cat", path("w.mcap"), "--topic", "/sensors").splitlines()[-1], "and in JSON")
check(log("export-csv", path("w.mcap"), "--topic", "/sensors", "--fields", "heading_rad", "--from", "0", "--to", "1000").splitlines()[1:] == rows,
      "--from and --to are simulated times")
some = [log("export-csv", path(name), "--topic", "/sensors", "--fields", "heading_rad", "--from", "0", "--to", "2").splitlines()[1:] for name in ("a.mcap", "w.mcap")]
check(0 < len(some[0]) <= len(rows) and [r.split(",")[1] for r in some[0]] == [r.split(",")[1] for r in some[1]], "the same part of both", some)
check([t for t, _ in walled["/tf"]] == [t + start_ns for t, _ in copied["/tf"]], "times of the frames")
check("curvature" in [e for e in walled["/scene"][-1][1].entities if e.id == "pipe"][0].texts[0].text, "the colour of the pipe")

# Damaged and impossible input: what log info says; nothing appears.
with open(path("a.mcap"), "rb") as file:
    good = file.read()
damages = {"cut": good[:len(good) * 2 // 3], "flipped": good[:len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1:],
           "empty": b"", "text": b"not a log\n" * 100}
for name, content in damages.items():
    with open(path(name), "wb") as file:
        file.write(content)
    said, informed = log("scene", path(name), path("never.mcap"), status=1), log("info", path(name), status=1)
    check(said == informed, f"{name}: other words than those of log info", said, informed)
log("scene", path("absent"), path("never.mcap"), status=1)
log("scene", path("a.mcap"), path("no/such/folder.mcap"), status=1)
for arguments in (["a.mcap"], ["a.mcap", "a.mcap"], ["a.mcap", "/dev/null"]):
    log("scene", *[path(a) if a[0] != "/" else a for a in arguments], status=2)
for option in (["--without", "/nothing"], ["--without", ","], ["--colour", "mood"]):
    log("scene", path("a.mcap"), path("never.mcap"), *option, status=2)
check(not [n for n in os.listdir(FOLDER) if n.startswith("never")], "a copy that is not complete", os.listdir(FOLDER))
with open(path("a.mcap"), "rb") as file:
    check(file.read() == good, "the log was changed")

# An existing file is replaced only by a complete copy.
shutil.copy(path("b.mcap"), path("old.mcap"))
log("scene", "--overwrite", path("cut"), path("old.mcap"), status=1)
check(open(path("old.mcap"), "rb").read() == open(path("b.mcap"), "rb").read(), "a failed copy replaced a file")
log("scene", "--overwrite", path("a.mcap"), path("old.mcap"))
print(f"{compared} transforms and {len(copied['/scene'])} scenes compared")
