#!/usr/bin/python3
"""Prints docs/events.md: what each event and refusal means, and what to do. All of it stands in the tables of the source: sagbend/sim/events.inc,
sagbend/rig/host_events.inc, NOTICE_TABLE, REFUSAL_TABLE, DENIAL_TABLE. A row of sagbend/rig/host_events.inc that nothing raises is an error; a name that the
table lacks does not compile."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BY_ANOTHER_WAY = {"mark"}  # its name is the word of the order
TEXTS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace('\\"', '"')


def rows(header, table):
    """(name, what it means, what to do) of the X rows of a table in a header."""
    body = re.search(rf"#define {table}\(X\)(.*?[^\\])\n", read(header).replace("\\\n", " ") + "\n", re.S).group(1)
    found = re.findall(r'X\(\w+,\s*"?(\w+)"?,\s*' + TEXTS + r",\s*" + TEXTS + r"\)", body)
    return [(name, sentence(joined(text)), joined(advice)) for name, text, advice in found]


def model():
    found = re.findall(r'SIM_EVENT\(\w+, "(\w+)", \w+,\s*' + TEXTS + r",\s*" + TEXTS + r"\)", read("src/sagbend/sim/events.inc"))
    return [(name, sentence(joined(text)), joined(advice)) for name, text, advice in found]


def of_runs():
    """Heading to (name, what it means, what to do)."""
    groups = {}
    for name, group, text, advice in re.findall(r'HOST_EVENT\((\w+), "([^"]*)",\s*' + TEXTS + r",\s*" + TEXTS + r"\)", read("src/sagbend/rig/host_events.inc")):
        groups.setdefault(group, []).append((name, joined(text), joined(advice)))
    return groups


def raised():
    names = set(BY_ANOTHER_WAY)
    for path in glob.glob(os.path.join(ROOT, "src/**/*.c"), recursive=True):
        names |= set(re.findall(r"EVENT_NAME\((\w+)\)", read(path)))
    return names


def sentence(text):
    return (text if "." in text.split()[0] else text[0].upper() + text[1:]).rstrip(".") + "."  # a key keeps its letters


def table(title, lines, intro=""):
    print(f"\n## {title}\n{intro}| name | what it means | what to do |\n|---|---|---|")
    for name, means, do in lines:
        print(f"| `{name}` | {means} | {do} |")


def main():
    groups = of_runs()
    for name in sorted({row[0] for group in groups.values() for row in group} - raised()):
        sys.exit(f"tools/events.py: src/sagbend/rig/host_events.inc: nothing raises {name!r} any more: delete its row")
    print("""# Events and refusals
Look up the name of a line `t = TIME: NAME: TEXT` of the console, of `sagbend ctl ENDPOINT watch`, the page or the log. `simulation.on_event`
chooses what an event of the model does to a run ([scenarios.md](scenarios.md#when-a-run-fails)). Made by `tools/events.py`.""")
    table("Model", model())
    # The text of a notice asks; here the first sentence of its advice says what was seen, the rest what to do.
    table("Mistakes of a controller", [(name, *re.match(r"(.*?\.) (.*)", advice).groups())
                                       for name, _, advice in rows("src/sagbend/rig/rig.h", "NOTICE_TABLE")],
          "Seen in what the commands do to the vessel ([protocol.md](protocol.md#mistakes-that-are-named)).\n\n")
    for title, group in groups.items():
        table(title, group)
    table("Refusals", [row for kind in ("MESSAGE", "NMEA", "MODBUS") for row in rows("src/sagbend/rig/rig.h", kind + "_REFUSAL_TABLE")],
          "A refused message does not act. The event is `refused_` and the name; the first is stated in full, then they are counted.\n\n")
    table("Denied connections", rows("src/sagbend/rig/rig.h", "DENIAL_TABLE"),
          "The event is `denied_` and the name ([security.md](security.md)).\n\n")


if __name__ == "__main__":
    main()
