#!/usr/bin/python3
"""Prints docs/events.md: what each event and refusal means, and what to do. Names and meanings of the tables of the source
(EVENT_TABLE, NOTICE_TABLE, REFUSAL_TABLE, DENIAL_TABLE) are read there; ADVICE below has the rest. An event without advice, or advice without an
event, is an error."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# name: what to do. Of an event that no table of the source describes: (what it means, what to do).
MODEL = {
    "step_divided": "Nothing, if it is rare. If it is frequent, shorten `simulation.step_s`.",
    "newton_cap": "Results of this step are passive but inaccurate. Shorten `simulation.step_s`; look for a load or a contact that jumps.",
    "large_bend": "Use shorter elements there, or find what folds the pipe: too little tension, or a lower end that is pushed.",
    "element_folded": "Results since then are not those of a pipe, whatever the ledger says. Use shorter elements where it bends or twists, or `pipe.element_kind: wire` for a rope.",
    "not_finite": "The state is lost from here on. Look at the last seconds of the log: a command, a load or a stiffness is out of all proportion.",
    "strain_limit": "Compare with what the case permits. Raise the tension, reduce the motion, or correct `pipe.strain_limit`.",
    "contact_unresolved": "Shorten the step, or soften `environment.seabed_stiffness_npm3` or its damping, if the force of the impact matters.",
    "damping_gained": "Shorten the step, or choose `vessel.integrator: sp2`.",
    "beyond_yield": "Give the pipe a `yield_moment_nm` or `pipe.steel`, so that bending beyond yield is computed.",
    "overload": "The pipe does not pass its code. See which utilisation exceeds 1 ([code-check.md](code-check.md)).",
    "check_limit": "Read which check is undefined, and why ([code-check.md](code-check.md)); the other checks still hold.",
    "feed_full": "Lengthen `pipe.feed`, raise `pipe.tensioner.elements_max`, or let laid pipe retire (`pipe.retire`).",
    "store_empty": "Raise `pipe.retire.stored_max`.",
    "laid_slip": "Lengthen `pipe.retire.anchor_m`.",
    "flooded": "Expected if the case floods the pipe. The tension rises by the weight of the water.",
    "tension_alternates": "Shorten `simulation.step_s`. Numbers of tension since then are not reliable.",
    "buckle_propagation": "Set `pipe.code_check.arrestor_spacing_m`, or arrestors in the feed, if a running buckle must be stopped.",
    "large_angle": "Find the moment that heels the vessel. Results beyond this angle do not describe a real hull.",
    "hangoff_outside": "Check the position of the hang-off and the vertical load of the pipe.",
    "large_strain": "Results beyond this strain do not describe a real pipe. Find the cause: tension, motion, stinger.",
    "beyond_hydro": "Results beyond this motion are not covered by the hydro file. Reduce speed or sea, or import a wider file.",
    "set_tripped": "Expected if a fault causes it. Otherwise look at load, frequency and voltage before it ([power.md](power.md)).",
    "bus_dark": "Expected if a fault causes it. Otherwise the sets on line are too few for the load, or their protection is too tight.",
    "fatigue_allowance": "The pipe has used what the operation allows: lay down or recover. Check pipe.fatigue.allowance, the curve and scf.",
    "touchdown_left": "Tension and moment near the touchdown err as with a coarse mesh. Give more `pipe.elements`, a `pipe.mesh` that is short there too, or `pipe.spacing: equal`.",
    "standby_short": "At this rate the allowance ends soon: move the touchdown, change the heading, or lay down in time.",
    "soil_broke_out": "Check the lateral hold on curves with the residual friction: it has fallen from the peak for good.",
    "pipe_sinks": "Raise the stiffness of the seabed, or accept it by `validity.sinking_diameters`.",
}
REFUSALS = {
    "malformed": "Regenerate the messages from the .proto files of this version; send one Envelope per message.",
    "protocol": "Set `Header.protocol` to the version that the refusal names.",
    "session": "Send Hello, and use the session of the Welcome. The simulator has begun another session or was restarted.",
    "not_finite": "Find NaN or infinity in the controller: often a division by zero before its first measurement.",
    "range": "The refusal names field, value and limit. Check the unit (N, not kN; rad, not degrees) and the limit in the Welcome.",
    "stale": "Answer the newest Sensors: copy its step to `based_on_step`. If that is done, the controller is slower than `network.command_max_age_s`.",
    "sequence": "Count `Header.sequence` up with each command. After a restart of the controller send Hello first.",
    "not_controller": "Another controller is in command. Stop it, wait until it times out, or order `sagbend ctl ... take-over NAME`.",
    "role": "Use a key of the right role ([security.md](security.md)).",
    "rate": "Send one command for each Sensors, not in a loop without a wait.",
    "nmea_form": "Send whole sentences: `$`, address, fields, `*`, checksum, CR LF.",
    "nmea_length": "Shorten the sentence, or end each one with CR LF.",
    "nmea_checksum": "Compute the exclusive or of the characters between `$` and `*`, as two hexadecimal digits.",
    "nmea_formatter": "Send TRC to the input; other sentences belong elsewhere ([nmea.md](nmea.md)).",
    "nmea_fields": "The refusal names the field. Compare with the layout of TRC ([field-buses.md](field-buses.md)).",
    "nmea_status": "Set field 8 to C. R marks a report, and is not obeyed.",
    "nmea_thruster": "Number thrusters from 1, in the order of `vessel.thrusters`.",
    "nmea_alarm": "Name the source in the title, end alarms that are over, and send both sentences of an alarm (docs/nmea.md).",
    "nmea_sender": "Add the address of the sender to `nmea.inputs[].senders`.",
    "modbus_function": "Use function 1 to 6, 15, 16 or 23.",
    "modbus_address": "Compare with `sagbend modbus-map CASE`; write whole values only.",
    "modbus_value": "Check count, word order and limits of the value; NaN is refused.",
    "modbus_busy": "Another controller is in command, or no steps are made. Read `session.state` and try again.",
    "modbus_target": "Use the unit identifier of `modbus.unit_id`.",
}
DENIALS = {
    "unknown_key": "Add the public key to the list of admitted keys and start the simulator again.",
    "role": "Make a key of the right role: `sagbend keygen --role ROLE FILE`.",
    "mechanism": "Give the client a key (`--key`, `--server-key`).",
    "handshake": "Check the server's public key at the client. If it is right, look who else connects.",
    "unfinished": "Nothing, if it is rare: a client has given up. Many of them: a port scan, or a client with a wrong server key.",
    "message": "Use a client of ZeroMQ 4 with CURVE; look for a device that alters traffic.",
    "too_many": "Close clients that are not needed.",
    "rate": "Let the client send less often.",
    "unread": "Let the client read what it has subscribed to.",
}
NOTICES = {  # hil/notice.h: a mistake of the controller that shows in what it does to the vessel
    "command_weak": "The force is far too small while the vessel drifts away. Send newtons and newton metres, not kilo.",
    "thrusters_weak": "As command_weak, of thrusters: revolutions in rpm, pitch as a share from -1 to 1.",
    "azimuth_units": "Send the azimuth in rad.",
    "positive_feedback": "The force drives the vessel on instead of back. Compare the sign of error and force.",
    "command_frame": "The force is right in size and wrong in direction. Turn it into body axes by the heading.",
    "yaw_feedback": "The moment drives the heading on. Positive turns the bow to starboard.",
}
OTHER = {
    "Commands and controllers": {
        "command_first": ("A controller's first command acts.", "Nothing."),
        "command_lost": ("No command has come for `network.command_timeout_s`; the configured reaction acts.", "See whether the controller runs, is connected, and whether its commands are refused (`sagbend ctl ENDPOINT status`)."),
        "command_back": ("Commands arrive again.", "Nothing."),
        "command_dropped": ("A command found no room on its way to the step.", "Let the controller send one command for each Sensors."),
        "command_ignored": ("A command came that this mode or state does not take.", "See the text."),
        "controller_joined": ("A controller has sent Hello.", "Nothing."),
        "controller_in_command": ("Another controller is in command; the text names both.", "If you did not expect it: two controllers run, or one has timed out."),
        "controller_gone": ("A controller has left or is silent.", "Start it again; it may keep its name."),
        "controller_made_way": ("An idle controller has made way for another one.", "If it is needed, let it send Hello again."),
        "controllers_made_way": ("Idle controllers have made way for others.", "Close controllers that are not needed."),
        "refused": ("A count of refusals, by reason.", "See the reasons below."),
        "never_commanded": ("A controller is connected and has not commanded for `network.command_timeout_s`.", "See whether it waits for something, or whether its commands are refused."),
        "command_limits": ("A hundred commands in a row were beyond the limits.", "Look for a wrong unit, or an unstable law."),
        "waiting_for_answer": ("Lockstep: the controller has not answered for 2, 4, 8 ... s.", "See whether the controller waits for something else."),
        "answer_came": ("Lockstep: the answer has come after a wait.", "Nothing."),
        "lockstep_timeout": ("Lockstep: no answer within `--lockstep-timeout`; the run ends.", "As waiting_for_answer."),
        "tensioner_order": ("Another order for the tensioner is in force.", "Nothing."),
        "tensioner_silence": ("The controller that gave the tensioner its orders is silent; the tensioner brakes.", "Bring the controller back, or order the tensioner by `sagbend ctl`."),
        "modbus_cut_off": ("A Modbus connection was closed: the text says why.", "Correct the client ([field-buses.md](field-buses.md#requests))."),
        "modbus_not_admitted": ("A Modbus client's address is not in the list.", "Add it to `modbus.clients`."),
    },
    "Scenario and operators": {
        "fault_began": ("A fault of the scenario or of an operator acts.", "Nothing: the test wants it."),
        "fault_ended": ("It has ended.", "Nothing."),
        "faults_unseen": ("Faults began and ended between two looks at them.", "Nothing; they acted."),
        "verdict_violated": ("A verdict is violated: quantity, value and bound are in the text.", "Look at the trend of the quantity before that time; the run ends with status 1."),
        "verdict_met": ("What a verdict expects has come: an alarm, or with `expect: violated` a value beyond its bound.", "Nothing."),
        "operation": ("An operation of the lay begins, ends, is held or takes longer than its limit.", "If it is overdue: see what it waits for ([laying-operations.md](laying-operations.md))."),
        "order_refused": ("An operator's order found no room for another fault.", "Clear faults that are not needed."),
        "mark": ("An operator's note.", "Read it."),
        "paused": ("An operator has stopped the steps.", "`sagbend ctl ENDPOINT resume`."),
        "halted": ("The simulator stopped the steps by itself: the machine was too late for too long.", "Find the load on the machine ([real-time.md](real-time.md)), then `resume`."),
        "resumed": ("Steps are made again.", "Nothing."),
        "session_begun": ("A reset or restore has begun another session.", "Controllers send Hello."),
        "reset_failed": ("A reset was not possible; the session goes on.", "See the text: mostly no room for the log."),
        "restore_failed": ("A restore was not possible; the session goes on.", "See the text."),
        "snapshot_written": ("A snapshot is on the disk.", "Nothing."),
        "snapshot_failed": ("A snapshot could not be written.", "See the text: disk full, or no right to write."),
    },
    "Machine and outputs": {
        "late_step": ("A step began or ended too late; the text has its stages.", "One: nothing. Many: see [real-time.md](real-time.md), and `tools/rt-report`."),
        "deadline_miss": ("Late steps so far.", "As late_step."),
        "periods_lost": ("The clock has passed periods in which no step was made; simulated time lags.", "As late_step."),
        "frames_dropped": ("Step records did not reach the telemetry; the steps are not affected.", "Give the process a second processor."),
        "page_fault": ("The step thread had to wait for memory.", "Permit locked memory (`ulimit -l`, [deploy/README.md](../deploy/README.md))."),
        "priority_lost": ("The step thread has lost its real-time priority.", "See who changed it; start again."),
        "telemetry_limited": ("Subscriptions or connections beyond the limit were dropped, ignored or closed.", "Subscribe to fewer topics, close views that are not needed."),
        "log_stalled": ("The disk takes nothing at present; messages wait in memory.", "Free the disk, or use a faster one."),
        "log_resumed": ("The disk takes data again.", "Nothing."),
        "log_dropped": ("Messages are missing in the log.", "A faster disk, or longer periods in `log`."),
        "log_commands_missing": ("Commands are missing in the log: it can be replayed up to that step only.", "As log_dropped."),
        "log_part_failed": ("The next part of the log could not be opened.", "See the text: disk full, or no right to write."),
        "log_part_not_deleted": ("An old part of the log could not be deleted.", "Check the rights of the folder."),
        "log_parts_deleted": ("Old parts of the log were deleted, as configured.", "Nothing."),
        "record_dropped": ("Rows of the record are missing.", "A faster disk, or `--record-every`."),
        "checkpoint_skipped": ("A checkpoint was left out, because the disk was too slow.", "A longer period of checkpoints."),
        "checkpoint_failed": ("A checkpoint could not be written.", "See the text."),
        "steps_lost": ("After a restart: steps between the checkpoint and the end of the killed process are gone.", "A shorter period of checkpoints loses fewer."),
        "nmea_failed": ("An NMEA port no longer works.", "Check device or address; the run goes on without it."),
        "nmea_lost": ("Sentences were not sent.", "See whether someone reads the port."),
        "console_dropped": ("Nobody reads standard error; lines are missing there.", "Read the pipe, or send it to a file."),
        "denied": ("A connection was denied for security; the text has the reason.", "See the reasons below."),
    },
}
# Events whose names are no literal in the call that raises them.
BY_OTHER_WAYS = {"refused", "mark"}


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def rows(header, table, with_reaction=False):
    """(name, text) of the X rows of a table in a header."""
    body = re.search(rf"#define {table}\(X\)(.*?[^\\])\n", read(header).replace("\\\n", " ") + "\n", re.S).group(1)
    found = re.findall(r'X\(\w+,\s*"?(\w+)"?,' + (r"\s*\w+," if with_reaction else "") + r'\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', body)
    return [(name, joined(text)) for name, text in found]


def raised():
    """Names of the events that the source raises."""
    names = set()
    for path in glob.glob(os.path.join(ROOT, "src/**/*.c"), recursive=True):
        with open(path) as file:
            for call in re.finditer(r'\b(?:event_watch_log(?:_unpublished)?|finder_report|server_report|on_event)\([^;"]*"([a-z_]+)"(?: : "([a-z_]+)")?', file.read()):
                names |= {name for name in call.groups() if name}
    return names


def sentence(text):
    return (text if "." in text.split()[0] else text[0].upper() + text[1:]).rstrip(".") + "."  # a key keeps its letters


def compare(what, have, need):
    for name in sorted(need - have):
        sys.exit(f"tools/events.py: {what} {name!r} has no advice: add its row")
    for name in sorted(have - need):
        sys.exit(f"tools/events.py: {what} {name!r} is no longer raised: delete its row")


def table(title, lines, intro=""):
    print(f"\n## {title}\n{intro}| name | what it means | what to do |\n|---|---|---|")
    for name, means, do in lines:
        print(f"| `{name}` | {means} | {do} |")


def main():
    model = rows("src/core/sim/sim.h", "EVENT_TABLE", with_reaction=True)
    refusals = [row for name in ("MESSAGE", "NMEA", "MODBUS") for row in rows("src/hil/refusal.h", name + "_REFUSAL_TABLE")]
    notices = rows("src/hil/notice.h", "NOTICE_TABLE")
    denials = rows("src/hil/denial.h", "DENIAL_TABLE")
    compare("event", set(MODEL), {name for name, _ in model})
    compare("refusal", set(REFUSALS), {name for name, _ in refusals})
    compare("notice", set(NOTICES), {name for name, _ in notices})
    compare("denial", set(DENIALS), {name for name, _ in denials})
    compare("event", {name for group in OTHER.values() for name in group}, raised() | BY_OTHER_WAYS)
    print("""# Events and refusals
Made by `tools/events.py`. A line of the console, of `sagbend ctl ENDPOINT watch`, of the page and of the log has the form
`t = TIME: NAME: TEXT`. Look up its name here. `simulation.on_event` chooses what an event of the model does to a run
([scenarios.md](scenarios.md)).""")
    table("Model", [(name, sentence(text), MODEL[name]) for name, text in model])
    table("Mistakes of a controller", [(name, text[0].upper() + text[1:], NOTICES[name]) for name, text in notices],
          "The simulator recognises them by what the commands do to the vessel ([protocol.md](protocol.md)).\n\n")
    for title, group in OTHER.items():
        table(title, [(name, *row) for name, row in group.items()])
    table("Refusals", [(name, sentence(text), REFUSALS[name]) for name, text in refusals],
          "A message that is refused does not act. The event is `refused_` and the name; the first one is stated in full, then they are\ncounted.\n\n")
    table("Denied connections", [(name, sentence(text), DENIALS[name]) for name, text in denials],
          "The event is `denied_` and the name ([security.md](security.md)).\n\n")


if __name__ == "__main__":
    main()
