"""FMUs in tests: export, unpack, variables of the model description, and the importer fmu_import (a script of commands -> what each
returned)."""
import xml.etree.ElementTree
import zipfile

from harness import *

IMPORT = os.path.join(BUILD, "tests/program/fmu_import")
LIBRARY_SUFFIX = {2: "binaries/linux64/sagbend.so", 3: "binaries/x86_64-linux/sagbend.so"}


class Fmu:
    """An exported FMU, unpacked into a folder whose name has a space in it."""

    count = 0

    def __init__(self, case, fmi, *options, dp_file=None):
        """dp_file: for a case that needs one; `options` then tells that it did."""
        Fmu.count += 1
        self.fmi, self.options = fmi, options
        self.file = path(f"{Fmu.count}.fmu")
        status, self.out, err = run("fmu", case, "-o", self.file, "--fmi", str(fmi), *options)
        if dp_file and status == 2 and "needs controller.dp_file" in err:
            self.options = (*options, "--set", "controller.dp_file=" + dp_file)
            status, self.out, err = run("fmu", case, "-o", self.file, "--fmi", str(fmi), *self.options)
        check(status == 0 and not err, f"export of {case}", status, err)
        self.folder = path(f"un packed {Fmu.count}")
        try:  # which compares the checksum of each file
            with zipfile.ZipFile(self.file) as archive:
                archive.extractall(self.folder)
        except zipfile.BadZipFile as error:
            check(False, "a damaged archive", self.file, error)
        self.xml = xml.etree.ElementTree.parse(os.path.join(self.folder, "modelDescription.xml")).getroot()
        self.token = self.xml.get("guid") or self.xml.get("instantiationToken")
        self.binary = os.path.join(self.folder, LIBRARY_SUFFIX[fmi])
        self.variables = {}
        for element in self.xml.find("ModelVariables"):
            typed = element[0] if fmi == 2 else element
            self.variables[element.get("name")] = {**element.attrib, **typed.attrib, "type": typed.tag, "name": element.get("name")}
        check(len({v["valueReference"] for v in self.variables.values()}) == len(self.variables), "two variables with one reference", self.file)

    def vr(self, name):
        return self.variables[name]["valueReference"]

    def resources(self):
        folder = os.path.join(self.folder, "resources")
        return "file://" + folder.replace(" ", "%20") if self.fmi == 2 else folder + "/"

    def script(self, *lines, token=None, resources=None, name="one", prefix=(), environment=None, ends=True):
        """Runs the commands; returns for each a list of the lines that it printed. NAME in braces: the reference of that variable."""
        text = "\n".join(re.sub(r"\{([^}]*)\}", lambda m: self.vr(m.group(1)), line) for line in lines) + "\n"
        done = subprocess.run([*prefix, IMPORT, self.binary, str(self.fmi), name, token or self.token, resources or self.resources()], input=text,
                              capture_output=True, text=True, timeout=600, env={**os.environ, **(environment or {})})
        check(not ends or done.returncode == 0, f"the importer ended with {done.returncode}", done.stdout[-2000:], done.stderr[-2000:])
        answers = []
        for line in done.stdout.splitlines():
            if line.startswith("> "):
                answers.append([])
            elif answers:
                answers[-1].append(line)
        return answers if ends else (done, answers)

    def hashes(self, steps, step_s, *before):
        """Hash of the state at the start and after each of so many steps."""
        answers = self.script("make-loud", *before, "begin 0 -", "enter", "exit", "text {state_hash}", f"steps 0 {step_s!r} {steps} " + self.vr("state_hash"))
        check(answers[-1][-1] == "ok", "steps", self.file, answers)
        return [answers[-2][-1], *(line for line in answers[-1][:-1] if not line.startswith("log "))]


def wanted_hashes(case, steps, step_s, *options):
    """Those of `run --mode fast --hashes`."""
    status, out, err = run("run", case, "--mode", "fast", "--hashes", path("hashes"), "--overwrite", "--duration", repr((steps + 1) * step_s), *options)
    check(status in (0, 1), f"{case} does not run", status, err)
    return [hash for _, hash in hashes("hashes")[:steps + 1]]


class Live:
    """The importer, a command after the other: for what depends on the answer before."""

    def __init__(self, fmu):
        self.fmu = fmu
        self.process = subprocess.Popen([IMPORT, fmu.binary, str(fmu.fmi), "live", fmu.token, fmu.resources()], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)

    def tell(self, line, values=0):
        """Returns so many values behind the status ok."""
        self.process.stdin.write(re.sub(r"\{([^}]*)\}", lambda m: self.fmu.vr(m.group(1)), line) + "\n")
        self.process.stdin.flush()
        seen = []
        while True:
            seen.append(self.process.stdout.readline().rstrip("\n"))
            check(seen[-1] or self.process.poll() is None, "the importer has ended", line, seen)
            if seen[-1] in ("ok", "made"):
                return [self.process.stdout.readline().rstrip("\n") for _ in range(values)]
            check(seen[-1] not in ("error", "none", "discard", "warning"), "refused", line, seen)

    def end(self):
        self.process.stdin.close()
        check(self.process.wait(PATIENCE_S) == 0, "the end of the importer")
