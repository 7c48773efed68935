"""What a controller says of each failure when it would come: {name: {"margin", "alarm"}}. A margin or an alarm of which it says nothing is None."""

FRESH_S = 2  # a ControllerView of that age in simulated time counts


def from_summary(consequence, names):
    """sagbend-dp inside, by the object "consequence" of the summary. It lists failures as soon as it knows them, but those that take nothing away."""
    if "failures" not in consequence:
        return {}
    listed = {f["name"]: f for f in consequence["failures"]}
    return {name: {"margin": listed.get(name, {}).get("margin"), "alarm": bool(listed.get(name, {}).get("alarm"))} for name in names}


def from_messages(command, view, at_s, names):
    """A controller beside the simulator, by its newest command and its newest view as "sagbend log cat" prints them, None: there is none.

    Without its alarm no failure has one. With it, the failure that the command names has it; of the others a view must tell that is fresh."""
    said = _consequence(command, at_s)
    if not said.get("known"):
        return {}
    listed = {f["name"]: f for f in _consequence(view, at_s).get("failures", [])}
    told = {}
    for name in names:
        is_named = name == said.get("failure")
        alarm = False if not said.get("alarm") else bool(listed[name].get("alarm")) if name in listed else True if is_named else None
        margin = listed[name].get("margin", 0) if name in listed else said.get("margin", 0) if is_named else None
        told[name] = {"margin": margin, "alarm": alarm}
    return told


def _consequence(line, at_s):
    """Of a message that is fresh; numbers and flags that are 0 are absent in it."""
    if not line or line["time_s"] < at_s - FRESH_S:
        return {}
    return line["message"].get("consequence") or {}
