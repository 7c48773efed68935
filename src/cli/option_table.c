#include "cli/option_table.h"

#define NAMES(name, use) NULL, offsetof(struct options, name), use
#define MEMBER(name)     NAMES(name, FILE_UNUSED)
#define KEY(name)        name, 0, FILE_UNUSED
#define NO_MEMBER        NULL, 0, FILE_UNUSED

enum {
  RUN = COMMAND_RUN,
  STATICS = COMMAND_STATICS,
  CHECK = COMMAND_CHECK,
  SCHEMA = COMMAND_SCHEMA,
  REPLAY = COMMAND_REPLAY,
  LOG = COMMAND_LOG,
  VERIFY = COMMAND_VERIFY,
  KEYGEN = COMMAND_KEYGEN,
  OUTPUTS = COMMAND_OUTPUTS,
  SERVE = COMMAND_SERVE,
  MODBUS_MAP = COMMAND_MODBUS_MAP,
  SWEEP = COMMAND_SWEEP,
  HYDRO = COMMAND_HYDRO,
  RAO = COMMAND_RAO,
  ALL = RUN | STATICS | CHECK | SCHEMA | REPLAY | LOG | VERIFY | KEYGEN | OUTPUTS | SERVE | MODBUS_MAP |
        SWEEP | HYDRO | RAO
};

const struct option_spec OPTION_SPECS[] = {
    // Options that set a configuration key.
    {"mode", "MODE", RUN, SET_KEY, KEY("simulation.mode"),
     "Pacing of the run: realtime (wall-clock rate), lockstep (waits for the controller) or fast."},
    {"duration", "S", RUN, SET_KEY, KEY("simulation.duration_s"),
     "Simulated time of the run in seconds. 0: until stopped."},
    {"step-s", "H", RUN, SET_KEY, KEY("simulation.step_s"), "Time step in seconds."},
    {"lockstep-timeout", "S", RUN, SET_KEY, KEY("simulation.lockstep_timeout_s"),
     "Wall-clock limit in seconds for an answer in mode lockstep; the run fails beyond it. 0: no limit."},
    {"bind-command", "ENDPOINT", RUN, SET_KEY, KEY("network.command_endpoint"),
     "Endpoint to which controllers connect."},
    {"bind-telemetry", "ENDPOINT", RUN, SET_KEY, KEY("network.telemetry_endpoint"),
     "Endpoint of the telemetry."},

    // Output of a run.
    {"summary", "FILE.json", RUN, SET_TEXT, NAMES(summary_path, FILE_COMPLETED),
     "Write a summary at the end of the run. -: to stdout."},
    {"junit", "FILE.xml", RUN, SET_TEXT, NAMES(junit_path, FILE_COMPLETED),
     "Write the verdicts of the scenario as JUnit XML."},
    {"record", "FILE.csv", RUN, SET_TEXT, NAMES(record_path, FILE_WRITTEN), "Write a time series."},
    {"record-every", "S", RUN, SET_NUMBER, MEMBER(record_every_s),
     "Simulated time between the rows of --record. Default: 0.1."},
    {"shapes", "FILE.csv", RUN, SET_TEXT, NAMES(shapes_path, FILE_WRITTEN),
     "Write the positions of the pipe's nodes at intervals."},
    {"shapes-every", "S", RUN, SET_NUMBER, MEMBER(shapes_every_s),
     "Simulated time between the shapes of --shapes, at least network.nodes_period_s. Default: 10."},
    {"laid-route", "FILE.csv", RUN, SET_TEXT, NAMES(laid_route_path, FILE_WRITTEN),
     "Write each node of laid pipe that retires or returns (pipe.retire): place, tension, slip."},
    {"hashes", "FILE", RUN, SET_TEXT, NAMES(hashes_path, FILE_WRITTEN),
     "Write the state hash of every step (modes fast and lockstep)."},
    {"log", "FILE.mcap", RUN, SET_TEXT, NAMES(log_path, FILE_LOGGED),
     "Write the session log, for replay, export and plots."},
    {"overwrite", NULL, RUN | LOG, SET_FLAG, MEMBER(overwrites),
     "Replace a log that exists already. Without this option it is an error."},
    {"log-dir", "DIR", RUN, SET_TEXT, MEMBER(log_folder),
     "Write the session log to a file in DIR named after start time and session."},
    {"log-key", "FILE", RUN, SET_TEXT, NAMES(log_key_path, FILE_READ),
     "Sign the session log with this secret key (see 'sagbend keygen --log')."},
    {"checkpoint", "FILE", RUN, SET_TEXT, NAMES(checkpoint_path, FILE_KEPT),
     "Keep the newest state in a file from which a run resumes; written at the end of the run as well."},
    {"checkpoint-every", "S", RUN, SET_NUMBER, MEMBER(checkpoint_every_s),
     "Simulated time between checkpoints. Default: 10."},
    {"snapshot-dir", "DIR", RUN, SET_TEXT, MEMBER(snapshot_folder),
     "Folder of the snapshots that operators order. Default: that of the log, or else of the checkpoint."},
    {"resume-if-present", NULL, RUN, SET_FLAG, MEMBER(resumes_if_present),
     "Resume from the checkpoint of --checkpoint. If there is none yet, start from the beginning; a damaged "
     "or "
     "foreign one is an error."},
    {"resume", "FILE", RUN, SET_TEXT, NAMES(resume_path, FILE_RESUMED),
     "Resume from a checkpoint. The continued run is bit-identical to an uninterrupted one."},

    // Statics.
    {"elements", "N", STATICS, SET_KEY, KEY("pipe.elements"), "Number of pipe elements."},
    {"horizontal-force-n", "H", STATICS, SET_KEY, KEY("statics.horizontal_force_n"),
     "Horizontal tension at the hang-off in newtons."},
    {"find", "QUANTITY=VALUE", STATICS, SET_TEXT, MEMBER(find),
     "Find the horizontal tension and the set-point at which a quantity has a value, such as layback_m=680: "
     "any quantity of the pipe that 'sagbend outputs' lists; touchdown_m (horizontal distance of the "
     "touchdown point from the lower end); or touchdown_point_m=X,Y, which lays the pipe towards a point."},
    {"shape", "FILE.csv", STATICS, SET_TEXT, NAMES(shape_path, FILE_WRITTEN),
     "Write the positions of the pipe's nodes."},
    {"depths", "FIRST:LAST:STEP", STATICS, SET_TEXT, MEMBER(depths),
     "Make a table over water depth (m) and horizontal tension, with the window in which the verdicts of the "
     "configuration hold at rest. The pipe is shortened or lengthened so that the length on the seabed "
     "stays."},
    {"forces", "FIRST:LAST:STEP", STATICS, SET_TEXT, MEMBER(forces),
     "The same: horizontal tensions at the hang-off in newtons. Default of each of the two: the "
     "configuration's."},
    {"table", "FILE.csv", STATICS, SET_TEXT, NAMES(table_path, FILE_COMPLETED),
     "With --depths or --forces: write the table."},
    {"plot", "NAME", STATICS, SET_TEXT, MEMBER(plot_path),
     "With --depths or --forces: write NAME.gp and, with gnuplot, NAME.png."},

    // Session manager.
    {"bind-command", "ENDPOINT", SERVE, SET_TEXT, MEMBER(command_endpoint),
     "Endpoint at which the manager takes orders. Default: tcp://127.0.0.1:47702."},
    {"log-dir", "DIR", SERVE, SET_TEXT, MEMBER(log_folder),
     "Folder of the session logs. Default: logs in the folder of the cases."},
    {"session-command", "ENDPOINT", SERVE, SET_TEXT, MEMBER(session_command),
     "Endpoint to which the controllers of each session connect. Default: as its case says."},
    {"session-telemetry", "ENDPOINT", SERVE, SET_TEXT, MEMBER(session_telemetry),
     "Endpoint of the telemetry of each session. Default: as its case says."},
    {"server-key", "FILE", SERVE, SET_TEXT, MEMBER(server_key_path),
     "Secret key of the server ('sagbend keygen --role server FILE'): the manager and its sessions admit "
     "only clients "
     "with a key of the list, and may then listen on any interface."},
    {"admitted-keys", "FILE", SERVE, SET_TEXT, MEMBER(admitted_keys_path),
     "List of the admitted keys, with --server-key. The manager takes orders from operators."},
    {"key", "FILE", SERVE, SET_TEXT, MEMBER(key_path),
     "Secret key of an operator in that list, by which the manager asks its sessions whether they answer."},
    {"grace", "S", SERVE, SET_NUMBER, MEMBER(grace_s),
     "Time in seconds until a session that is stopped and does not end is killed. Default: 20."},
    {"hang-limit", "S", SERVE, SET_NUMBER, MEMBER(hang_limit_s),
     "Kill a session that does not answer the manager for so many seconds. Default: never; the status states "
     "the silence."},
    {"end-with-parent", NULL, RUN, SET_FLAG, MEMBER(ends_with_parent),
     "End properly when the process that started this one ends, however that ends."},

    // Sweeps.
    {"out", "DIR", SWEEP, SET_TEXT, MEMBER(output_folder),
     "Folder of the results. Default: the name of the plan without its extension."},
    {"out", "DIR", RAO, SET_TEXT, MEMBER(output_folder),
     "Folder of the results. Default: the name of the case without its extension, and -rao."},
    {"jobs", "N", SWEEP | RAO, SET_COUNT, MEMBER(jobs),
     "Number of points that run at a time. Default: one for each processor."},
    {"list", NULL, SWEEP | RAO, SET_FLAG, MEMBER(list), "Check all points and print them as CSV; run none."},
    {"point", "K", SWEEP | RAO, SET_COUNT, MEMBER(point),
     "Run only point K, counted from 1, as a job of a batch system does."},
    {"collect", "DIR", SWEEP | RAO, SET_TEXT, MEMBER(collect_folder),
     "Write the results of the points that have run in DIR."},

    // Motions in regular waves.
    {"frequencies", "FIRST:LAST:STEP", RAO, SET_TEXT, MEMBER(frequencies),
     "Frequencies of the waves in rad/s, in the range of the hydro file; or one number. Required."},
    {"headings", "FIRST:LAST:STEP", RAO, SET_TEXT, MEMBER(headings),
     "Directions of travel of the waves from the bow, clockwise, in degrees from 0 to 360: 0 following sea, "
     "180 head sea; or one number. Required."},
    {"tolerance", "X", RAO, SET_FACTOR, MEMBER(tolerance),
     "Fail if a motion differs from the linear answer by more than this share of its peak. Default: no "
     "limit."},

    // Hydrodynamic data.
    {"output", "FILE.hydro", HYDRO, SET_TEXT, NAMES(output_path, FILE_COMPLETED),
     "File to write, also -o. Default: check and fit only."},
    {"tolerance", "X", HYDRO, SET_FACTOR, MEMBER(tolerance),
     "Largest error of the fitted memory, as a share of the peaks of the damping. Default: 0.02."},
    {"frequencies", "FIRST:LAST", HYDRO, SET_TEXT, MEMBER(frequencies),
     "Range of frequencies to use, in rad/s of the files, before --scale; what lies outside is left out of "
     "A, B, wave force, motions and drift. Default: all."},
    {"length-unit", "M", HYDRO, SET_FACTOR, MEMBER(length_unit_m),
     "WAMIT: the length unit (ULEN) in metres. Default: that of the .gdf, or 1 where the .frc has the mass, "
     "which must agree."},
    {"water-density", "RHO", HYDRO, SET_FACTOR, MEMBER(water_density_kgpm3),
     "Density of the water in kg/m3. Default: that of the files (.frc, .yml), or 1025. Not for VERES."},
    {"gravity", "G", HYDRO, SET_FACTOR, MEMBER(gravity_mps2),
     "Gravity in m/s2. Default: that of the .gdf, or 9.80665. Not for VERES."},
    {"depth", "M", HYDRO, SET_FACTOR, MEMBER(depth_m),
     "Depth of the water in metres, for the phases at another reference point. Default: deep water."},
    {"origin", "X,Y,Z", HYDRO, SET_TEXT, MEMBER(origin),
     "Origin of the files' axes in the vessel's axes: metres forward, to starboard and down from the "
     "vessel's "
     "reference point. Default: 0,0,0."},
    {"scale", "S", HYDRO, SET_FACTOR, MEMBER(scale),
     "Scale the vessel of the files by S (Froude): lengths times S, masses times its cube. --origin is in "
     "metres after it. Default: 1."},
    {"without-additional", NULL, HYDRO, SET_FLAG, MEMBER(without_additional),
     "VERES: leave out the second matrices (tanks), which the model does not have."},
    {"vessel-type", "NAME", HYDRO, SET_TEXT, MEMBER(vessel_type),
     "OrcaFlex: the vessel type to read. Default: the only one with radiation data."},
    {"draught", "NAME", HYDRO, SET_TEXT, MEMBER(draught),
     "OrcaFlex: the draught to read. Default: the only one with radiation data."},
    {"accept", "CHECK", HYDRO, ADD_CASE, NO_MEMBER,
     "Import although this check failed: symmetry, mass, passivity, kramers-kronig, long-waves or motions; "
     "may "
     "be repeated."},

    // Replay.
    {"verify", NULL, REPLAY, SET_FLAG, MEMBER(verify),
     "Recompute the session and compare it with the log bit by bit."},
    {"allow-incomplete", NULL, REPLAY, SET_FLAG, MEMBER(allow_incomplete),
     "With --verify: exit status 0 instead of 3 for an incomplete log that is equal as far as it goes."},
    {"publish", NULL, REPLAY, SET_FLAG, MEMBER(publish), "Publish the logged telemetry on the sockets."},
    {"rate", "X", REPLAY, SET_FACTOR, MEMBER(rate),
     "With --publish: speed relative to the recorded one. Default: 1."},
    {"bind-command", "ENDPOINT", REPLAY, SET_TEXT, MEMBER(command_endpoint),
     "With --publish: endpoint to which controllers connect. Default: as logged."},
    {"bind-telemetry", "ENDPOINT", REPLAY, SET_TEXT, MEMBER(telemetry_endpoint),
     "With --publish: endpoint of the telemetry. Default: as logged."},
    {"server-key", "FILE", REPLAY, SET_TEXT, MEMBER(server_key),
     "With --publish: secret key of the sockets ('sagbend keygen --role server'). Needed where other "
     "machines "
     "can connect."},
    {"admitted-keys", "FILE", REPLAY, SET_TEXT, MEMBER(admitted_keys),
     "With --publish and --server-key: public keys of those who may connect."},

    // Logs.
    {"key", "PUBLIC", REPLAY | LOG, SET_TEXT, MEMBER(key_path),
     "Fail unless the log is signed by this public key (FILE.pub of 'sagbend keygen --log'). For replay "
     "--verify and log info."},
    {"topic", "T,...", LOG, SET_TEXT, MEMBER(topics),
     "With cat and export-csv: only these topics, such as /sensors."},
    {"from", "S", LOG, SET_TIME, MEMBER(from_s), "With cat and export-csv: first simulated time in seconds."},
    {"to", "S", LOG, SET_TIME, MEMBER(to_s), "With cat and export-csv: last simulated time in seconds."},
    {"fields", "F,...", LOG, SET_TEXT, MEMBER(fields),
     "With export-csv: columns, such as heading_rad,pipe.hangoff_tension_n, or names of 'sagbend outputs' "
     "(angles in radians). Default: all fields that are not lists."},
    {"wall-clock", NULL, LOG, SET_FLAG, MEMBER(wall_clock),
     "With scene: log times are the time of the session's start plus the simulated time."},
    {"without", "T,...", LOG, SET_TEXT, MEMBER(without),
     "With scene: leave out these topics, such as /state_hash."},
    {"colour", "QUANTITY", LOG, SET_TEXT, MEMBER(colour),
     "With scene: what the colour of the pipe shows: tension, curvature, moment, or nearest: the one that is "
     "nearest to its limit (view.limits); without limits the tension. Default: nearest."},
    {"log", "FILE", KEYGEN, SET_TEXT, MEMBER(log_path),
     "Write a key pair for signing logs: the secret key to FILE, the public key to FILE.pub."},

    {"role", "ROLE", KEYGEN, SET_TEXT, MEMBER(role),
     "Write a key pair for the network: the secret key to FILE, the public part to FILE.pub. ROLE: "
     "controller, "
     "operator, observer or server."},
    {"name", "NAME", KEYGEN, SET_TEXT, MEMBER(key_name),
     "With --role: name of the key in messages and in the list of admitted keys. Default: the name of FILE "
     "without its extension."},

    // Verification.
    {"list", NULL, VERIFY, SET_FLAG, MEMBER(list), "List the verification cases."},
    {"case", "NAME", VERIFY, ADD_CASE, NO_MEMBER, "Run this case; may be repeated. Default: all cases."},
    {"attacks", "N", VERIFY, SET_COUNT, MEMBER(attacks),
     "Number of random cases in the case passivity. Default: 300."},
    {"long", NULL, VERIFY, SET_FLAG, MEMBER(extended), "Run the long version of each case that has one."},
    {"report", "DIR", VERIFY, SET_TEXT, MEMBER(report_path),
     "Write the report to DIR: index.html, plots, report.pdf."},
    {"configs", "DIR", VERIFY, SET_TEXT, MEMBER(configs_path), "Folder of the shipped configurations."},

    // Several commands.
    {"json", NULL, STATICS | REPLAY | VERIFY | OUTPUTS | RAO, SET_FLAG, MEMBER(json),
     "Print JSON instead of a table."},
    {"yaml", NULL, MODBUS_MAP, SET_FLAG, MEMBER(yaml),
     "Print the list modbus.registers of a configuration instead of a table."},
    {"markdown", NULL, OUTPUTS, SET_FLAG, MEMBER(markdown), "Print the page docs/outputs.md."},
    {"dp", NULL, CHECK, SET_FLAG, MEMBER(dp_file), "Check a DP file, as sagbend-dp reads it."},
    {"dp", NULL, SCHEMA, SET_FLAG, MEMBER(dp_file), "Print the schema of a DP file, as sagbend-dp reads it."},
    {"sweep", NULL, SCHEMA, SET_FLAG, MEMBER(plan_file), "Print the schema of a plan of 'sagbend sweep'."},
    {"set", "KEY=VALUE", RUN | STATICS | CHECK | MODBUS_MAP | RAO, SET_OVERRIDE, NO_MEMBER,
     "Override a configuration key; may be repeated. The value is checked like the file."},
    {"help", NULL, ALL, SHOW_HELP, NO_MEMBER, "Print this help."},
};
const int OPTION_COUNT = sizeof OPTION_SPECS / sizeof *OPTION_SPECS;
