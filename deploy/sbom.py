#!/usr/bin/python3
"""The bill of materials of what the build links and ships, as CycloneDX 1.6 (ECMA-424):

    sbom.py --version V --source FOLDER --date DATE --output FILE --page FOLDER --lock package-lock.json PROGRAM...

Of each program and of libsagbend the shared libraries that the dynamic linker finds on this machine, with the Debian package, its version and the
licences that its copyright file names; what the compiler links statically; what it loads on demand, by the notes that it keeps of that
(LIBRARY_ON_DEMAND in src/os/process/process.h): required with what that brings, or optional; of the page of sagbend-view the npm packages of the lock file, those in the page as required, those that only build it as excluded. Equal inputs, equal bytes."""
import argparse
import base64
import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from urllib.parse import quote

# Debian's short names of licences that are not SPDX's (machine-readable copyright format 1.0, section 7.1).
SHORT_NAMES = {"expat": "MIT", "mit": "MIT", "isc": "ISC", "zlib": "Zlib", "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0", "cc0-1.0": "CC0-1.0",
               "beerware": "Beerware", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC",
               "bsd-2-clause-netbsd": "BSD-2-Clause", "artistic": "Artistic-1.0", "openssl": "OpenSSL"}
# Copyright files in prose: the licence of the libraries, and words that the file must have for this to be said of it.
IN_PROSE = {"glibc": ("LGPL-2.1-or-later", "GNU Lesser General Public"),
            "gcc-12": ("GPL-3.0-or-later WITH GCC-exception-3.1", "GCC Runtime Library Exception")}
ARCHIVES = ("crt1.o", "Scrt1.o", "crti.o", "crtn.o", "crtbegin.o", "crtbeginS.o", "crtend.o", "crtendS.o", "libgcc.a", "libc_nonshared.a")


def printed(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "LC_ALL": "C"})
    return done.stdout


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def spdx(name):
    """The SPDX expression of one of Debian's short names; one that SPDX does not know becomes a LicenseRef of the same name."""
    parts = re.split(r",?\s+(and|or)\s+", name.strip())
    if len(parts) > 1:
        return " ".join(part.upper() if part in ("and", "or") else spdx(part) for part in parts)
    gnu = re.fullmatch(r"(A?GPL|LGPL|GFDL)-(\d)(?:\.(\d))?(\+?)", name)
    if gnu:
        kind, major, minor, later = gnu.groups()
        return f"{kind}-{major}.{minor or 0}-{'or-later' if later else 'only'}"
    return SHORT_NAMES.get(name.lower(), "LicenseRef-debian-" + re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-"))


def licence_of(package, source):
    """The licences that the copyright file names for the sources of a package, as an expression."""
    try:
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    if not re.match(r"Format(-Specification)?:", text):
        licence, words = IN_PROSE.get(source, (None, ""))
        return licence if licence and words in text else f"LicenseRef-debian-{source}"
    names = []
    for paragraph in re.split(r"\n\s*\n", text):
        files = re.search(r"^Files:((?:.*\n?)(?:[ \t].*\n?)*)", paragraph, re.M)
        named = re.search(r"^License:[ \t]*(\S.*)$", paragraph, re.M)
        patterns = files.group(1).split() if files else []
        if named and patterns and not all(pattern.startswith("debian/") for pattern in patterns):
            expression = spdx(named.group(1))
            names += [expression] if expression not in names else []
    if not names:  # a file whose paragraphs are not separated: every name that it has
        names = sorted({spdx(name) for name in re.findall(r"^License:[ \t]*(\S.*)$", text, re.M)})
    return " AND ".join(f"({name})" if " OR " in name and len(names) > 1 else name for name in names) or f"LicenseRef-debian-{source}"


def libraries(program):
    """soname: file of all that the dynamic linker loads with a program."""
    out = {}
    for line in printed("ldd", program).splitlines():
        found = re.match(r"\s*(\S+) => (/\S+) \(|\s*(/\S+) \(", line)
        if found:
            path = found.group(2) or found.group(3)
            out[os.path.basename(found.group(1) or path)] = path
    return out


def on_demand(path):
    """soname: whether a program requires it, of the libraries that it loads on demand."""
    notes = re.findall(r"\[\{.*\}\]", printed("readelf", "-p", ".note.dlopen", path))
    return {soname: note["priority"] == "required" for text in notes for note in json.loads(text) for soname in note["soname"]}


@functools.cache
def cached_libraries():
    return dict(re.findall(r"^\s*(\S+) .*=> (\S+)$", printed("/sbin/ldconfig", "-p"), re.M))


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", printed("readelf", "-d", path))


class Bill:
    def __init__(self):
        self.components = {}  # by reference
        self.edges = {}
        self.owners = {}  # reference of the component that a file belongs to

    def add(self, reference, component):
        self.components.setdefault(reference, {"bom-ref": reference, **component})
        self.edges.setdefault(reference, set())
        return reference

    def own(self, paths, scope="required"):
        """Asks dpkg once which packages have the files. A file that none has stands for itself."""
        paths = [path for path in paths if path not in self.owners]
        names = {}
        for path in paths:
            real = os.path.realpath(path)
            names.update({name: path for name in (path, real, "/usr" + real, real.removeprefix("/usr"))})
        packages = {}
        for line in printed("dpkg-query", "-S", *names).splitlines() if names else []:
            package, _, name = line.partition(": ")
            if name in names and not package.startswith("diversion"):
                packages[names[name]] = package.split(",")[0]
        form = "${binary:Package}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Maintainer}\n"
        told = printed("dpkg-query", "-W", "-f", form, *sorted(set(packages.values()))) if packages else ""
        about = {}
        for line in told.splitlines():
            fields = line.split("\t")
            about[fields[0]] = about[fields[1]] = fields[1:]
        for path in sorted(paths):
            part = {"type": "file", "name": os.path.basename(path), "hashes": [{"alg": "SHA-256", "content": digest(path)}]}
            if packages.get(path) not in about:
                print(f"sbom.py: no package of this machine has {path}: it is listed without version and licence", file=sys.stderr)
                self.owners[path] = self.add("file:" + os.path.basename(path), {**part, "type": "library", "scope": scope})
                continue
            package, version, architecture, source, source_version, maintainer = about[packages[path]]
            reference = f"pkg:deb/debian/{quote(package, safe='')}@{quote(version, safe='')}?arch={architecture}"
            licence = licence_of(package, source)
            self.owners[path] = self.add(reference, {
                "type": "library", "supplier": {"name": maintainer}, "name": package, "version": version, "scope": scope,
                **({"licenses": [{"expression": licence}]} if licence else {}), "purl": reference, "components": [],
                "properties": [{"name": "sagbend:source", "value": f"{source} {source_version}"},
                               {"name": "sagbend:licences", "value": f"those that /usr/share/doc/{package}/copyright names for the sources"}]})
            self.components[reference]["components"].append({"bom-ref": f"{reference}#{part['name']}", **part})

    def add_program(self, path, version):
        name = os.path.basename(path)
        build = re.search(r"Build ID: (\w+)", printed("readelf", "-n", path))
        reference = self.add("sagbend:" + name, {
            "type": "library" if name.startswith("lib") else "application", "name": name, "version": version, "scope": "required", "licenses": [{"license": {"id": "Apache-2.0"}}],
            "properties": [{"name": "sagbend:build_id", "value": build.group(1) if build else "none"}]})
        self.add_libraries(reference, path)
        for soname, is_required in on_demand(path).items():
            self.edges[reference].add(self.add_on_demand(soname, "required" if is_required else "optional"))
        return reference

    def add_libraries(self, reference, path):
        """What the dynamic linker loads with the program or library of this path, and what of it needs what."""
        files = libraries(path)
        self.own(files.values())
        for user, file in [(reference, path), *((self.owners[file], file) for file in files.values())]:
            self.edges[user] |= {self.owners[files[soname]] for soname in needed(file) if soname in files and self.owners[files[soname]] != user}

    def add_on_demand(self, soname, scope):
        path = cached_libraries().get(soname)
        if not path:
            return self.add("file:" + soname, {"type": "library", "name": soname, "scope": scope})
        self.own([path], scope)
        if scope == "required":
            self.add_libraries(self.owners[path], path)
        return self.owners[path]

    def add_npm(self, lock, in_page):
        """The packages of a lock file; returns those that the page contains."""
        kept = []
        for path, entry in sorted(lock["packages"].items()):
            if not path:
                continue
            name = path.rpartition("node_modules/")[2]
            group, _, short = name.rpartition("/")
            reference = f"pkg:npm/{quote(name, safe='/')}@{entry['version']}"
            algorithm, _, content = entry["integrity"].partition("-")
            licence = entry.get("license")
            if licence and (" " in licence or "(" in licence):
                licences = [{"expression": licence.strip("()") if licence.count("(") == 1 else licence}]
            else:
                licences = [{"license": {"id": licence} if licence else {"name": "not stated by the package"}}]
            self.add(reference, {
                "type": "library", **({"group": group} if group else {}), "name": short, "version": entry["version"],
                "scope": "required" if path in in_page else "excluded",
                "hashes": [{"alg": algorithm.upper().replace("SHA", "SHA-"), "content": base64.b64decode(content).hex()}],
                "licenses": licences, "purl": reference})
            if path in in_page:
                kept.append(reference)
                self.components[reference]["scope"] = "required"
        return kept


def tool(name, *command):
    version = re.search(r"\d+\.\d[\w.]*", printed(*command))
    return {"type": "application", "name": name, **({"version": version.group(0)} if version else {})}


def main():
    parser = argparse.ArgumentParser(prog="sbom.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--version", "--output", "--page", "--lock"):
        parser.add_argument(option, required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--source", required=True, help="folder of the sources; the bill has the time of their commit, unless SOURCE_DATE_EPOCH is set")
    parser.add_argument("--date", required=True, help="of the release, YYYY-MM-DD, for sources without a commit")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()

    bill = Bill()
    programs = {os.path.basename(path): bill.add_program(path, options.version) for path in options.programs}
    paths = [printed(options.compiler, "-print-file-name=" + name).strip() for name in ARCHIVES]
    paths = [os.path.realpath(path) for path in paths if os.path.isabs(path)]
    bill.own(paths)
    for reference in programs.values():
        bill.edges[reference] |= {bill.owners[path] for path in paths}
    page = os.path.join(options.page, "packages.json")
    if os.path.exists(page):
        with open(page) as file, open(options.lock) as lock:
            bill.edges[programs["sagbend-view"]] |= set(bill.add_npm(json.load(lock), set(json.load(file))))
    for name, licence, text in (("foxglove-schemas", "MIT", "messages of the live view, written after Foxglove's published schemas: proto/foxglove"),
                                ("protobuf-well-known-types", "BSD-3-Clause", "Timestamp and Duration, written after protobuf's: proto/google")):
        bill.edges[programs["sagbend-view"]].add(bill.add("sagbend:" + name, {
            "type": "library", "name": name, "description": text, "scope": "required", "licenses": [{"license": {"id": licence}}]}))

    root = "sagbend:product"
    release = datetime.datetime.fromisoformat(options.date).replace(tzinfo=datetime.timezone.utc)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or printed("git", "-C", options.source, "log", "-1", "--format=%ct") or release.timestamp())
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": "", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lifecycles": [{"phase": "build"}],
            "tools": {"components": [tool(os.path.basename(options.compiler), options.compiler, "-dumpfullversion"), tool("binutils", "ld", "--version"),
                                     tool("protobuf-c-compiler", "protoc-c", "--version"), tool("node", "node", "--version")]},
            "component": {"bom-ref": root, "type": "application", "name": "sagbend", "version": options.version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [bill.components[reference] for reference in sorted(bill.components)],
        "dependencies": [{"ref": root, "dependsOn": sorted(programs.values())}]
        + [{"ref": reference, "dependsOn": sorted(bill.edges[reference])} for reference in sorted(bill.edges)]}
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True)))
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    with open(options.output + ".new", "w") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(options.output + ".new", options.output)


main()
