"""A client renews a connection that is open and silent, and the connection ends at that very moment: libzmq reports it while the client
closes what listens to reports. The client comes back all the same."""
from disturb import Proxy
from harness import *

if os.environ.get("SAGBEND_TEST_KIND") == "sanitize":
    sys.exit(0)  # no library can be preloaded before the sanitizer's
simulator = Simulator(JLAY, "--mode", "realtime", "--duration", "0", "--set", "network.command_max_age_s=20")
for turn in range(3):
    proxy, closed = Proxy(simulator.commands), path(f"closed-{turn}")
    environment = {"LD_PRELOAD": os.path.join(BUILD, "tests/program/libslow_monitor.so"), "SAGBEND_TEST_CLOSED": closed}
    dp = Program(SAGBEND_DP, JLAY_DP, "--connect", proxy.endpoint, "--name", f"renews-{turn}", environment=environment)
    dp.wait_for("welcomed")
    proxy.cut = True
    until(lambda: os.path.exists(closed), "a silent connection is not renewed", dp.stderr)
    proxy.drop()
    proxy.cut = False
    newest = simulator.wait_for_telemetry("sensors", lambda m: True).header.step
    simulator.wait_for_telemetry("sensors", lambda m: m.command_based_on_step > newest)
    dp.signal()
    check(dp.end() == 0, "sagbend-dp", dp.stderr())
simulator.signal()
check(simulator.end() == 0, "the simulator", simulator.stderr())
