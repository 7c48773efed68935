// The commands of sagbend. main reads the options and calls one of these; each returns the exit status
// (cli/exit_status.h), after printing its errors on stderr.
#pragma once

#include "cli/help_page.h"
#include "cli/options.h"

int cmd_run(const struct options *options);
int cmd_statics(const struct options *options);
int cmd_replay(const struct options *options);
int cmd_check(const struct options *options);
int cmd_verify(const struct options *options);
int cmd_log(const struct options *options);
int cmd_schema(const struct options *options);
int cmd_keygen(const struct options *options);
int cmd_outputs(const struct options *options);
int cmd_serve(const struct options *options);
int cmd_sweep(const struct options *options);
int cmd_hydro(const struct options *options);
int cmd_rao(const struct options *options);
int cmd_modbus_map(const struct options *options);
int cmd_ctl(int argc, char **argv); // reads its own arguments: an order has its parameters as options
void ctl_describe(struct help *h);  // its help
