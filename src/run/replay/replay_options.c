#include "run/replay/replay_options.h"

#include "os/cli/option_rows.h"

static const struct option_row OPTIONS[] = {
    {"verify", NULL, "Recompute the session and compare it with the log bit by bit.",
     FLAG(struct replay_options, verify)},
    {"allow-incomplete", NULL,
     "With --verify: exit status 0 instead of 3 for an incomplete log that is equal as far as it goes.",
     FLAG(struct replay_options, allow_incomplete)},
    {"publish", NULL, "Publish the logged telemetry on the sockets.", FLAG(struct replay_options, publish)},
    {"rate", "X", "With --publish: speed relative to the recorded one. Default: 1.",
     FACTOR(struct replay_options, rate)},
    {"bind-command", "ENDPOINT", "With --publish: endpoint to which controllers connect. Default: as logged.",
     TEXT(struct replay_options, command_endpoint)},
    {"bind-telemetry", "ENDPOINT", "With --publish: endpoint of the telemetry. Default: as logged.",
     TEXT(struct replay_options, telemetry_endpoint)},
    {"server-key", "FILE",
     "With --publish: secret key of the sockets ('sagbend keygen --role server'). Needed where other "
     "machines can connect.",
     TEXT(struct replay_options, server_key)},
    {"admitted-keys", "FILE", "With --publish and --server-key: public keys of those who may connect.",
     TEXT(struct replay_options, admitted_keys)},
    {"key", "PUBLIC",
     "Fail unless the log is signed by this public key (FILE.pub of 'sagbend keygen --log'). For replay "
     "--verify and log info.",
     TEXT(struct replay_options, key_path)},
    JSON_OPTION(struct replay_options, json),
    HELP_OPTION,
};

const struct cli_command replay_command = {
    .name = "replay",
    .arguments = "LOG...",
    .purpose = "Recompute a logged session and compare it with the log, or publish it to a controller.",
    .example = "sagbend replay session.mcap --verify",
    .statuses = "0 equal, or published; 1 a difference, or an unreadable or wrongly signed log; 2 wrong "
                "usage; 3 equal as far as the log goes, but the log is incomplete",
    .options = OPTIONS,
    .size = sizeof(struct replay_options),
    .words = {WORDS(struct replay_options, logs)},
};
