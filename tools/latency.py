"""Histograms of latencies, and cyclictest, which measures those of the machine itself: for tools/rt-report and tools/hour."""
import math
import re
import shutil
import subprocess

FRACTIONS = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
MISSING = "cyclictest is missing (Debian package rt-tests): no comparison of wake-ups"


class Histogram:
    """Pairs of a time in us and its count, ascending."""

    def __init__(self, pairs=()):
        self.counts = {}
        self.add(pairs)

    def add(self, pairs):
        for time_us, count in pairs:
            self.counts[time_us] = self.counts.get(time_us, 0) + count

    def pairs(self):
        return sorted(self.counts.items())

    def count(self):
        return sum(self.counts.values())

    def above(self, time_us):
        return sum(count for t, count in self.counts.items() if t > time_us)

    def percentile(self, fraction):
        rank, seen = fraction * self.count(), 0
        for time_us, count in self.pairs():
            seen += count
            if seen >= rank:
                return time_us
        return math.nan

    def summary(self):
        out = {"count": self.count(), **{name: self.percentile(f) for name, f in FRACTIONS.items()}}
        return {**out, "max": max(self.counts, default=math.nan), "histogram_us": self.pairs()}


class Cyclictest:
    """A run of cyclictest in the background: one thread, for so many seconds. cpu: its processor; None: any."""

    def __init__(self, priority, interval_us, seconds, cpu=None, span_us=20000):
        self.refused, self.process = [], None
        if not shutil.which("cyclictest"):
            self.refused.append(MISSING)
            return
        where = [] if cpu is None else ["-a", str(cpu)]
        self.process = subprocess.Popen(["cyclictest", "-m", "-q", "-t", "1", "-p", str(priority), *where, "-i", str(interval_us),
                                         "-l", str(round(1e6 * seconds / interval_us)), "-h", str(span_us)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def pairs(self):
        """Waits for its end; returns its histogram. A latency beyond the span counts with the longest one."""
        if not self.process:
            return []
        out, err = self.process.communicate()
        self.refused += ["cyclictest: " + line.strip() for line in err.splitlines()]
        pairs = [(int(t), int(c)) for t, c in re.findall(r"^(\d{6,}) (\d+)$", out, re.M) if int(c)]
        beyond = re.search(r"Histogram Overflows: 0*(\d+)", out)
        longest = re.search(r"Max Latencies: 0*(\d+)", out)
        if beyond and int(beyond.group(1)):
            pairs.append((int(longest.group(1)), int(beyond.group(1))))
        if self.process.returncode or not pairs:
            self.refused.append(f"cyclictest ends with status {self.process.returncode}")
        return pairs

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
