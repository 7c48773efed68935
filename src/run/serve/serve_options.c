#include "run/serve/serve.h"

#include "os/cli/option_rows.h"

static const struct option_row OPTIONS[] = {
    {"bind-command", "ENDPOINT",
     "Endpoint at which the manager takes orders. Default: tcp://127.0.0.1:47702.",
     TEXT(struct serve_options, endpoint)},
    {"log-dir", "DIR", "Folder of the session logs. Default: logs in the folder of the cases.",
     TEXT(struct serve_options, log_folder)},
    {"session-command", "ENDPOINT",
     "Endpoint to which the controllers of each session connect. Default: as its case says.",
     TEXT(struct serve_options, command_endpoint)},
    {"session-telemetry", "ENDPOINT", "Endpoint of the telemetry of each session. Default: as its case says.",
     TEXT(struct serve_options, telemetry_endpoint)},
    {"server-key", "FILE",
     "Secret key of the server ('sagbend keygen --role server FILE'): the manager and its sessions admit "
     "only clients with a key of the list, and may then listen on any interface.",
     TEXT(struct serve_options, server_key)},
    {"admitted-keys", "FILE",
     "List of the admitted keys, with --server-key. The manager takes orders from operators.",
     TEXT(struct serve_options, admitted_keys)},
    {"key", "FILE",
     "Secret key of an operator in that list, by which the manager asks its sessions whether they answer.",
     TEXT(struct serve_options, own_key)},
    {"grace", "S", "Time in seconds until a session that is stopped and does not end is killed. Default: 20.",
     SECONDS(struct serve_options, grace_s)},
    {"hang-limit", "S",
     "Kill a session that does not answer the manager for so many seconds. Default: never; the status states "
     "the silence.",
     SECONDS(struct serve_options, hang_limit_s)},
    HELP_OPTION,
};

const struct cli_command serve_command = {
    .name = "serve",
    .arguments = "DIR",
    .purpose = "Manage sessions for a laboratory: offer the cases of a folder, run one at a time in a "
               "process of its own, hand out the logs. 'sagbend ctl' gives the orders.",
    .example = "sagbend serve cases --log-dir logs",
    .statuses = "0 ended by a signal; 1 the socket failed, or the last session had to be killed; 2 wrong "
                "usage, or a folder or endpoint that cannot be used",
    .options = OPTIONS,
    .size = sizeof(struct serve_options),
    .words = {WORD(FILE_WORD, struct serve_options, folder)},
};
