#!/usr/bin/python3
"""Two sagbend-dp as a pair, for trials, and others without a link, such as a backup: pair.py [--link FAILURE] PROGRAM ENDPOINT DP_FILE DP_FILE [DP_FILE...].
The link of the pair has a folder of its own in each run. Ends with the worst exit status when all have ended.

--link cut, late or altered: from message 1500 on the states of the first one do not come, come 50 messages late, or with an altered byte. It needs pyzmq."""
import subprocess
import sys
import tempfile
import threading

FAILS_FROM, LATE = 1500, 50  # messages: one for each sample


def relay(failure, source, listen):
    """Carries the states from one end of the link to the other."""
    context = zmq.Context.instance()
    ingoing, outgoing = context.socket(zmq.SUB), context.socket(zmq.PUB)
    outgoing.bind(listen)
    ingoing.subscribe(b"")
    ingoing.connect(source)
    count, held = 0, []
    while True:
        topic, message = ingoing.recv_multipart()
        count += 1
        held.append(message)
        if count > FAILS_FROM and (failure == "cut" or (failure == "late" and len(held) <= LATE)):
            held = held if failure == "late" else []
            continue
        message = held.pop(0)
        if count > FAILS_FROM and failure == "altered":
            message = message[:-100] + bytes([message[-100] ^ 1]) + message[-99:]
        outgoing.send_multipart([topic, message])


arguments = sys.argv[1:]
failure = arguments[1] if arguments[0] == "--link" else ""
if failure:
    import zmq
program, endpoint, *files = arguments[2 if failure else 0:]
with tempfile.TemporaryDirectory() as folder:
    own, other = f"ipc://{folder}/1", f"ipc://{folder}/2"
    first = f"ipc://{folder}/relay" if failure else own
    if failure:
        threading.Thread(target=relay, args=(failure, own, first), daemon=True).start()
    ends = [["--set", "pair.listen=" + listen, "--set", "pair.other=" + to] for listen, to in ((own, other), (other, first))]
    controllers = [subprocess.Popen([program, file, "--connect", endpoint, *(ends[i] if i < 2 else [])]) for i, file in enumerate(files)]
    sys.exit(max(abs(controller.wait()) for controller in controllers))
