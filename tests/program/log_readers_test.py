"""Session logs read by independent readers (tests/mcap, from npm with a lock file); see read.mjs there."""
from npm import *

if not shutil.which("npm"):
    print("SKIPPED: npm is not installed (apt-get install npm)")
    sys.exit(SKIPPED)
folder = npm_folder("mcap", "read.mjs", "rewrite.mjs")


def read(log):
    code, out, err = run(os.path.join(folder, "read.mjs"), SAGBEND, log, program="node", timeout=120)
    check(code == 0, f"{log} was not read by others", out, err)
    print(out.strip())


code, out, err = run("run", JLAY, "--mode", "fast", "--duration", "10", "--log", path("fast.mcap"), "--set", "log.nodes_period_s=0.1")
check(code == 0, "fast run", err)
read(path("fast.mcap"))

code, out, err = run("run", VESSEL, "--mode", "fast", "--duration", "3", "--log", path("vessel.mcap"))
check(code == 0, "fast run without pipe", err)
read(path("vessel.mcap"))

# In real time, with events and superseded commands; then killed and recovered.
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--log", path("killed.mcap"))
dp = controller(simulator, "--set", "pid.start_s=0.5")
simulator.wait_for("command_first")
simulator.wait_for_step(200)
simulator.kill()
dp.signal()
dp.end()
code, out, err = run("log", "recover", "--overwrite", path("killed.mcap"), path("mended.mcap"))
check(code == 0, "recovery", err)
read(path("mended.mcap"))

# Logs that another program has written, without what MCAP leaves to the writer, and with an attachment: read whole and by a range of times,
# as ours. In a log that says that this program wrote it nothing may be missing.

whole, part = run("log", "cat", path("vessel.mcap"))[1], run("log", "cat", path("vessel.mcap"), "--from", "1", "--to", "2")[1]
messages, some = len(whole.splitlines()), len(part.splitlines())  # not bytes: the times of a fast machine have fewer digits
check(messages > 300 and 50 < some < messages / 2, "the log to be written again", messages, some)
OPTIONS = ["useStatistics", "useSummaryOffsets", "repeatSchemas", "repeatChannels", "useAttachmentIndex", "useMetadataIndex", "useMessageIndex", "useChunkIndex",
           "noCrc"]
VARIANTS = [[], *([option] for option in OPTIONS), OPTIONS[2:4], OPTIONS[:-1], ["useChunks", "useAttachmentIndex", "useMetadataIndex"],
            ["useChunks", *OPTIONS[:-1]]]  # without chunks the indexes of that writer lead to the record before
code, out, err = run(os.path.join(folder, "rewrite.mjs"), path("vessel.mcap"), path(""), *map(",".join, VARIANTS), program="node", timeout=300)
check(code == 0, "rewrite.mjs", out, err)
for number, off in enumerate(VARIANTS):
    for words, wanted in (([], whole), (["--from", "1", "--to", "2"], part)):
        code, out, err = run("log", "cat", path(f"other-{number}.mcap"), *words)
        check(code == 0 and out == wanted, f"log cat {words} of a log of another program without {off}: {code}", err, len(out), len(wanted))
    code, out, err = run("log", "info", path(f"other-{number}.mcap"))
    check("every checksum is right" in out and "chain          broken" in out, f"log info without {off}: {code}", out, err)
    code, out, err = run("log", "cat", path(f"own-{number}.mcap"))
    required = set(off) - {"useSummaryOffsets", "useMessageIndex"}
    check(code == (1 if required else 0), f"a log of this program without {required}: {code}", err)
