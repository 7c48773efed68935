"""What the real-time thread does in every kind of run: RealtimeSanitizer, in a build with it, ends a program whose step allocates,
locks or waits."""
from realtime_cases import *


def judge(name, summary):
    check(summary["deadline_misses"] < summary["steps"] or summary["skipped_periods"] > 0, f"{name}: deadlines", summary)


run_cases(judge)

# The gate must be able to fail: this program is sagbend with one allocation in the step.
ALLOCATES = os.path.join(BUILD, "tests/program/sagbend_allocates")
if os.path.exists(ALLOCATES):
    status, out, err = run("run", JLAY, *ANY_PORT, "--mode", "realtime", "--duration", "1", program=ALLOCATES)
    check(status == 43, "a step that allocates goes unnoticed", status, err)
    check("RealtimeSanitizer" in err and "malloc" in err, "the report does not name the call", err)
