"""The layouts for Lichtblick and PlotJuggler, and the dashboard for Grafana, name topics, fields and metrics that exist."""
import xml.etree.ElementTree as xml
from harness import *

KINDS = {"/" + topic: kind for topic, kind in telemetry_kinds().items()}
PICTURES = {"/tf", "/scene", "/log"}
found = {"Lichtblick": 0, "PlotJuggler": 0}


def check_path(viewer, topic, fields):
    """fields: names; a list has an index or a slice behind its name."""
    check(topic in KINDS or (topic in PICTURES and not fields), f"{viewer}: a topic that does not exist", topic)
    kind = KINDS[topic].DESCRIPTOR if topic in KINDS else None
    for field in fields:
        name, index = re.fullmatch(r"(\w+)((?:\[[\d:]+\])?)", field).groups()
        check(kind is not None and name in kind.fields_by_name, f"{viewer}: a field that does not exist", topic, fields, field)
        part = kind.fields_by_name[name]
        check((part.label == part.LABEL_REPEATED) == bool(index), f"{viewer}: a list without an index, or an index without a list", topic, field)
        kind = part.message_type
    check(topic in PICTURES or kind is None or not fields, f"{viewer}: a field that is no number", topic, fields)
    found[viewer] += 1


layout = open(os.path.join(SOURCE, "docs/view/lichtblick.json")).read()
check("@" not in layout, "a modifier such as .@div() in the layout: PlotJuggler and older viewers do not know it")
layout = json.loads(layout)
for name, panel in layout["configById"].items():
    paths = [p["value"] for p in panel.get("paths", [])] + [panel[k] for k in ("topicPath", "topicToRender") if k in panel]
    paths += list(panel.get("topics", {}))
    check(paths, "a panel without topics", name)
    for path_ in paths:
        topic, *fields = path_.split(".")
        check_path("Lichtblick", topic, fields)


def leaves(node):
    return [node] if isinstance(node, str) else leaves(node["first"]) + leaves(node["second"])


check(sorted(leaves(layout["layout"])) == sorted(layout["configById"]), "the panels of the layout", leaves(layout["layout"]))
frame = layout["configById"]["3D!scene"]["followTf"]
check(frame == "world", "the frame of the 3-D panel", frame)

for curve in xml.parse(os.path.join(SOURCE, "docs/view/plotjuggler.xml")).iter("curve"):
    _, topic, *fields = curve.get("name").split("/")
    check(fields, "PlotJuggler: a curve without a field", curve.get("name"))
    check_path("PlotJuggler", "/" + topic, fields)
check(all(count > 8 for count in found.values()), "the search for paths", found)
print(found)
