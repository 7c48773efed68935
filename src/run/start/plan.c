#include "run/start/plan.h"

#include "net/case/case.h"
#include "os/process/rt_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The arguments of sagbend run.
static void list_arguments(const struct start_options *o, struct start_plan *plan) {
  int count = 0;
  plan->simulator[count++] = (char *)"sagbend";
  plan->simulator[count++] = (char *)"run";
  plan->simulator[count++] = (char *)o->given.config_path;
  for (int i = 0; i < o->given.override_count; i++) {
    plan->simulator[count++] = (char *)"--set";
    plan->simulator[count++] = o->given.overrides[i];
  }
  plan->simulator[count++] = (char *)"--duration";
  plan->simulator[count++] = (char *)(o->duration ? o->duration : "0");
  if (o->log) {
    plan->simulator[count++] = (char *)"--log";
    plan->simulator[count++] = (char *)o->log;
  }
  if (o->log_folder) {
    plan->simulator[count++] = (char *)"--log-dir";
    plan->simulator[count++] = (char *)o->log_folder;
  }
  plan->simulator[count++] = (char *)"--end-with-parent";
  plan->simulator[count++] = (char *)"--ready-fd";
  plan->simulator[count++] = (char *)PROCESS_VOICE_TEXT;
  plan->simulator[count] = NULL;
}

static enum status check_case(const struct start_options *o, const struct config *c, struct start_plan *plan,
                              struct reason *why) {
  const char *path = o->given.config_path;
  int is_external = c->sim.controller == CONTROLLER_EXTERNAL;
  if (c->run.mode == RUN_FAST)
    return fail(
        why, STATUS_BAD_INPUT,
        "%.120s: simulation.mode realtime or lockstep expected, got fast, which has no sockets: 'sagbend "
        "run' runs it, or add --set simulation.mode=realtime",
        path);
  if (*c->net.server_key_file)
    return fail(why, STATUS_BAD_INPUT,
                "%.120s: a case without network.server_key expected: start 'sagbend run', sagbend-dp and "
                "sagbend-view by themselves, each with its key",
                path);
  if (o->controller && !is_external)
    return fail(
        why, STATUS_BAD_INPUT,
        "%.120s: controller.kind external expected with --controller: this case has its controller inside",
        path);
  plan->has_controller = is_external;
  if (!is_external || o->controller)
    return STATUS_OK;
  snprintf(plan->dp_file, sizeof plan->dp_file, "%s", c->dp_file);
  return *c->dp_file ? STATUS_OK
                     : fail(why, STATUS_BAD_INPUT,
                            "%.120s: controller.dp_file expected, the DP file of the case, or --controller "
                            "\"COMMAND {endpoint}\"",
                            path);
}

static enum status check_command(const char *command, struct reason *why) {
  struct command_words words;
  enum status status = command_split(command, NULL, &words, why);
  if (status == STATUS_OK && !command_is_found(words.word[0]))
    return fail(why, STATUS_BAD_INPUT, "--controller: no program '%.120s' is found", words.word[0]);
  return status;
}

enum status start_plan_make(const struct start_options *o, struct start_plan *plan, struct reason *why) {
  struct config *config = calloc(1, sizeof *config);
  *plan = (struct start_plan){0};
  if (!config)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the case");
  enum status status =
      (o->listen || o->operates) && !o->has_view
          ? fail(why, STATUS_BAD_INPUT, "%s needs --view", o->listen ? "--listen" : "--operate")
          : config_load(o->given.config_path, (const char *const *)o->given.overrides,
                        o->given.override_count, config, stderr);
  if (status == STATUS_OK) {
    status = check_case(o, config, plan, why);
    config_free(config);
  }
  free(config);
  if (status == STATUS_OK && o->controller)
    status = check_command(o->controller, why);
  list_arguments(o, plan);
  return status;
}
