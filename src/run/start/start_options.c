#include "run/start/start.h"

#include "os/cli/option_rows.h"

static const struct option_row OPTIONS[] = {
    {"controller", "COMMAND",
     "Controller to start, in place of sagbend-dp with the DP file of the case (controller.dp_file). "
     "{endpoint} stands for the endpoint of its commands, {modbus}, {nmea_in}, {nmea_out} for places of "
     "field "
     "buses. No shell reads it; quotes keep words together.",
     TEXT(struct start_options, controller)},
    {"view", NULL, "Start sagbend-view as well, which prints the address of its page.",
     FLAG(struct start_options, has_view)},
    {"operate", NULL, "Let an operator enter the page, with the token that sagbend-view prints.",
     FLAG(struct start_options, operates)},
    {"listen", "HOST:PORT", "Where sagbend-view listens. Default: 127.0.0.1:8765.",
     TEXT(struct start_options, listen)},
    {"duration", "S", "Simulated time in seconds. Default: until stopped, whatever the case says.",
     TEXT(struct start_options, duration)},
    {"bind-command", "ENDPOINT", "Endpoint to which the controller connects. Default: as the case says.",
     KEY(struct start_options, given, "network.command_endpoint")},
    {"bind-telemetry", "ENDPOINT", "Endpoint of the telemetry. Default: as the case says.",
     KEY(struct start_options, given, "network.telemetry_endpoint")},
    {"log", "FILE.mcap", "Write the session log, for replay, export and plots.",
     FILE_NAME(struct start_options, log, FILE_LOGGED)},
    {"log-dir", "DIR", "Write the session log to a file in DIR named after start time and session.",
     TEXT(struct start_options, log_folder)},
    SET_OPTION(struct start_options, given),
    HELP_OPTION,
};

const struct cli_command start_command = {
    .name = "start",
    .arguments = "CONFIG",
    .purpose = "Start a simulator, its controller and the live view together, and end them together.",
    .example = "sagbend start configs/osv-83m-instruments.yaml --view",
    .statuses =
        "0 the run ended and every verdict passed; 1 the run, a verdict, the controller or the view "
        "failed, or a port of the simulator is in use; 2 wrong usage or configuration, or a program that "
        "cannot be started",
    .options = OPTIONS,
    .size = sizeof(struct start_options),
    .words = {WORD(FILE_WORD, struct start_options, given.config_path)},
};
