#!/usr/bin/python3
"""Two sagbend-dp as a pair, for trials: pair.py PROGRAM ENDPOINT DP_FILE DP_FILE. Their link has a folder of its own in each run. Ends with
the worse exit status when both have ended."""
import subprocess
import sys
import tempfile

program, endpoint, *files = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    own, other = f"ipc://{folder}/1", f"ipc://{folder}/2"
    ends = [(own, other), (other, own)]
    pair = [subprocess.Popen([program, file, "--connect", endpoint, "--set", "pair.listen=" + listen, "--set", "pair.other=" + to])
            for file, (listen, to) in zip(files, ends)]
    sys.exit(max(abs(controller.wait()) for controller in pair))
