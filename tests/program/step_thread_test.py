"""What the real-time thread does in every kind of run. RealtimeSanitizer, in a build with it, ends a program whose step allocates,
locks or waits. Page faults and context switches are counted; with locked memory no page fault occurs after the start."""
from realtime_cases import *

SANITIZED = os.environ.get("SAGBEND_TEST_KIND") == "sanitize"  # a sanitizer's own memory is not locked


def judge(name, summary):
    r = summary["real_time"]
    faults = r["minor_page_faults"] + r["major_page_faults"]
    if summary["realtime"]["mlock"] and not SANITIZED:
        check(faults == 0, f"{name}: page faults of the step thread, though memory is locked", r)
    names = [event["name"] for event in summary["events"]["first"]]
    check(faults == 0 or "page_fault" in names or summary["events"]["count"] > len(names), f"{name}: no event of page faults", r)
    check(r["waits"] > 0, f"{name}: a thread that never waits", r)

    check(r["late_steps"] == summary["late_steps"], f"{name}: late steps", r, summary["late_steps"])
    check(len(r["newest_late_steps"]) == min(16, r["late_steps"]), f"{name}: late steps kept", r)
    for late in r["newest_late_steps"]:
        stages = late["stages_us"]
        check(stages[late["cause"]] == max(stages.values()), f"{name}: cause of a late step", late)
    print(f"{name}: {faults} page faults, {r['preemptions']} preemptions, {r['late_steps']} late steps")


run_cases(judge)

# The gate must be able to fail: this program is sagbend with one allocation in the step.
ALLOCATES = os.path.join(BUILD, "tests/program/sagbend_allocates")
if os.path.exists(ALLOCATES):
    status, out, err = run("run", JLAY, *ANY_PORT, "--mode", "realtime", "--duration", "1", program=ALLOCATES)
    check(status == 43, "a step that allocates goes unnoticed", status, err)
    check("RealtimeSanitizer" in err and "malloc" in err, "the report does not name the call", err)
