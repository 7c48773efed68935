#!/usr/bin/python3
"""Two sagbend-dp as a pair, for trials, and others without a link, such as a backup: pair.py PROGRAM ENDPOINT DP_FILE DP_FILE [DP_FILE...].
The link of the pair has a folder of its own in each run. Ends with the worst exit status when all have ended."""
import subprocess
import sys
import tempfile

program, endpoint, *files = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    own, other = f"ipc://{folder}/1", f"ipc://{folder}/2"
    ends = [["--set", "pair.listen=" + listen, "--set", "pair.other=" + to] for listen, to in ((own, other), (other, own))]
    controllers = [subprocess.Popen([program, file, "--connect", endpoint, *(ends[i] if i < 2 else [])]) for i, file in enumerate(files)]
    sys.exit(max(abs(controller.wait()) for controller in controllers))
