#include "app/commands.h"
#include "cli/console.h"
#include "session/session.h"

#include <stdio.h>

static int check_config(const struct options *o) {
  struct session session;
  struct reason why = {""};
  int status = session_load(&session, o);
  if (status < 0 && !sim_memsize(&session.config.sim, &why)) {
    fprintf(stderr, "%s: error: %s\n", o->config_path, why.text);
    status = EXIT_USAGE;
  }
  if (status < 0)
    printf("%s: ok\n", o->config_path);
  session_free(&session);
  return status < 0 ? EXIT_DONE : status;
}

static int check_dp_file(const struct options *o) {
  struct dp_config dp;
  if (dp_config_load(o->config_path, (const char *const *)o->overrides, o->override_count, &dp, stderr) !=
      STATUS_OK)
    return EXIT_USAGE;
  printf("%s: ok\n", o->config_path);
  return EXIT_DONE;
}

int cmd_check(int argc, char **argv) {
  struct options options;
  int status = options_read(COMMAND_CHECK, argc, argv, &options);
  if (status < 0)
    status = console_finish_stdout("sagbend check",
                                   options.dp_file ? check_dp_file(&options) : check_config(&options));
  options_free(&options);
  return status;
}

int cmd_schema(int argc, char **argv) {
  struct options options;
  int status = options_read(COMMAND_SCHEMA, argc, argv, &options);
  if (status < 0) {
    (options.dp_file ? dp_config_write_schema : config_write_schema)(stdout);
    status = console_finish_stdout("sagbend schema", EXIT_DONE);
  }
  options_free(&options);
  return status;
}
