"""tools/demo trials: every kind of failure of the DP system of an 83 m vessel, one run each, judged against the run without a failure; at the
end a report as class reads it. Some minutes on two processors. Stopped, it goes on where it was when it is called again."""
import argparse
import os
import signal
import subprocess
import sys

from demo import ROOT, Failure, build
from ready import ends_with_its_starter

PLAN = "configs/trials/osv-83m-short.yaml"


def main():
    parser = argparse.ArgumentParser(prog="tools/demo trials", description=__doc__, epilog="Exit status: 0 the report is written, whatever "
                                     "the trials found, 1 it is not, 2 wrong usage or a folder of another build.")
    parser.add_argument("--out", default="demo-trials", metavar="DIR", help="folder of the results (%(default)s)")
    parser.add_argument("--build", metavar="DIR", help="use the programs in this build directory; default: build them first")
    parser.add_argument("--jobs", type=int, metavar="N", help="runs at a time; default: one for each processor")
    parser.add_argument("--plan", default=os.path.join(ROOT, PLAN), metavar="FILE", help=f"another plan of trials ({PLAN})")
    o = parser.parse_args()
    try:
        programs = os.path.abspath(o.build or build())
        command = [os.path.join(programs, "sagbend"), "trials", o.plan, "--out", o.out, *(["--jobs", str(o.jobs)] if o.jobs else [])]
        print("tools/demo: sagbend " + " ".join(command[1:]), file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the trials, which end in order

        def prepare():
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            ends_with_its_starter()

        status = subprocess.run(command, preexec_fn=prepare).returncode
    except (Failure, OSError) as failure:
        print(f"tools/demo: {failure}", file=sys.stderr)
        return 1
    report = os.path.join(o.out, "report.html")
    if status not in (0, 1) or not os.path.exists(report):
        return status if status in (1, 2) else 1
    print(f"\nThe verdict stands on the first page of {report}. The findings in section 5 are real: this controller has them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
