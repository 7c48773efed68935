// What must hold before a point runs: its configuration is valid and finds its controller. Errors of many
// points.
#include "lab/sweep/sweep.h"

#include "net/case/case.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/sim/sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ERRORS = 100 };

static void add_input(FILE *out, const char *path, const char *text, size_t size) {
  fprintf(out, "%016" PRIx64 " %s\n", fnv1a(FNV1A_START, text, size), path);
}

// A file of the controller; one that has gone has no content.
static int add_controller_file(FILE *out, const struct plan_controller *c, const char *name) {
  char *path = plan_controller_path(c, name);
  size_t size = 0;
  int error;
  char *text = path ? sweep_read_file(path, &size, &error) : NULL;
  add_input(out, name, text ? text : "", text ? size : 0);
  free(text);
  free(path);
  return path != NULL;
}

static enum status list_verdicts(const struct scenario_def *def, struct point_facts *out) {
  out->verdict = calloc((size_t)def->verdict_count + 1, sizeof *out->verdict);
  for (int i = 0; out->verdict && i < def->verdict_count; i++)
    snprintf(out->verdict[out->verdict_count++], PLAN_NAME, "%s", def->verdict[i].name);
  return out->verdict ? STATUS_OK : STATUS_NO_MEMORY;
}

// The texts of the DP files of the configuration, and of the controller where it has another. NULL: none.
struct dp_texts {
  char *simulator, *controller;
  struct config_files extended[2]; // by each of them
  int reads_groups;                // the one of the controller
};

static void add_dp_file(FILE *out, const char *path, const char *text) {
  const char *slash = strrchr(path, '/');
  if (text)
    add_input(out, slash ? slash + 1 : path, text, strlen(text));
}

static char *list_inputs(const struct plan *plan, const struct config *config, const struct dp_texts *dp) {
  char *text = NULL;
  size_t size;
  FILE *out = text_stream_open(&text, &size);
  if (!out)
    return NULL;
  add_input(out, plan->base, config->text, config->file_text_size);
  for (int i = 0; i < config->files.count; i++)
    add_input(out, config->files.file[i].path, config->files.file[i].text, config->files.file[i].size);
  add_dp_file(out, config->dp_file, dp->simulator);
  if (plan->controller.dp_file)
    add_dp_file(out, plan->controller.dp_file, dp->controller);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < dp->extended[k].count; i++)
      add_input(out, dp->extended[k].file[i].path, dp->extended[k].file[i].text,
                dp->extended[k].file[i].size);
  int ok = 1;
  for (int i = 0; i < plan->controller.file_count; i++)
    ok &= add_controller_file(out, &plan->controller, plan->controller.file[i]);
  if (fclose(out) == 0 && ok)
    return text;
  free(text);
  return NULL;
}

static enum status read_dp_file(const char *path, const struct config *config, char **text,
                                struct config_files *extended, int *reads_groups, FILE *errors) {
  char scale[64]; // as setup_load does
  const char *overrides[] = {scale};
  struct dp_config *dp = malloc(sizeof *dp);
  snprintf(scale, sizeof scale, "event_time_scale=%.17g", config->run.time_scale_of_events);
  enum status status =
      dp ? dp_config_load_beside(path, overrides, 1, dp, text, extended, errors) : STATUS_NO_MEMORY;
  *reads_groups = 0;
  for (int i = 0; status == STATUS_OK && i < dp->telegram_count; i++)
    *reads_groups |= !dp->telegram[i].port;
  free(dp);
  return status;
}

static enum status check_controller(const struct plan *plan, const struct config *config, struct dp_texts *dp,
                                    FILE *errors) {
  const char *other = plan->controller.dp_file;
  int is_external = config->sim.controller == CONTROLLER_EXTERNAL, has_file = *config->dp_file != '\0';
  if (plan->mode == RUN_LOCKSTEP && !is_external) {
    fprintf(errors, "%s: error: mode lockstep needs controller.kind external\n", plan->path);
    return STATUS_BAD_INPUT;
  }
  if (is_external && !has_file && !other && !plan->controller.argument_count) {
    fprintf(errors, "%s: error: controller.dp_file: a DP file expected, got nothing\n", plan->base_path);
    return STATUS_BAD_INPUT;
  }
  if (plan->mode == RUN_LOCKSTEP && config->scenario.controllers.count > 0 &&
      !plan->controller.argument_count) {
    fprintf(errors,
            "%s: error: controller.command: a program that starts all controllers of the case expected, got "
            "nothing: one sagbend-dp would start, and the run waits for %d\n",
            plan->path, config->scenario.controllers.count);
    return STATUS_BAD_INPUT;
  }
  enum status status = has_file ? read_dp_file(config->dp_file, config, &dp->simulator, &dp->extended[0],
                                               &dp->reads_groups, errors)
                                : STATUS_OK;
  return status == STATUS_OK && other
             ? read_dp_file(other, config, &dp->controller, &dp->extended[1], &dp->reads_groups, errors)
             : status;
}

static enum status check_config(const struct plan *plan, const struct config *config, struct dp_texts *dp,
                                FILE *errors) {
  struct reason why = {""};
  size_t size;
  enum status status = STATUS_OK;
  if (!(config->run.duration_s > 0)) {
    fprintf(errors, "%s: error: simulation.duration_s: a time > 0 expected, got 0: each point must end\n",
            plan->base_path);
    status = STATUS_BAD_INPUT;
  }
  if (sim_memsize(&config->sim, &size, &why) != STATUS_OK) {
    fprintf(errors, "%s: error: %s\n", plan->base_path, why.text);
    status = STATUS_BAD_INPUT;
  }
  return check_controller(plan, config, dp, errors) == STATUS_OK ? status : STATUS_BAD_INPUT;
}

enum status point_check(const struct plan *plan, const struct plan_point *point, struct point_facts *out,
                        FILE *errors) {
  const char *text[PLAN_MAX_SETTINGS + 1], *place[PLAN_MAX_SETTINGS + 1];
  struct config *config = malloc(sizeof *config);
  struct dp_texts dp = {.simulator = NULL};
  int count = point->setting_count;
  *out = (struct point_facts){.inputs = NULL};
  if (!config)
    return STATUS_NO_MEMORY;
  memcpy(text, point->text, (size_t)count * sizeof *text);
  memcpy(place, point->place, (size_t)count * sizeof *place);
  text[count] = plan->mode == RUN_FAST ? "simulation.mode=fast" : "simulation.mode=lockstep";
  place[count++] = plan->path;

  enum status status = config_load_placed(plan->base_path, text, place, count, config, errors);
  if (status == STATUS_OK) {
    status = check_config(plan, config, &dp, errors);
    snprintf(out->dp_file, sizeof out->dp_file, "%s",
             plan->controller.dp_file ? plan->controller.dp_file : config->dp_file);
    if (plan->mode == RUN_LOCKSTEP && plan_controller_check(&plan->controller, config, errors) != STATUS_OK)
      status = STATUS_BAD_INPUT;
    if (plan->mode == RUN_LOCKSTEP)
      plan_controller_fixed_port(&plan->controller, config, out->fixed_port, sizeof out->fixed_port);
    out->takes_offset = plan->mode == RUN_LOCKSTEP && plan_controller_takes_offset(&plan->controller, config);
    out->dp_reads_groups = dp.reads_groups;
    out->has_b = *config->net.command_endpoint_b != '\0';
    out->has_telemetry_b = *config->net.telemetry_endpoint_b != '\0';
    out->inputs = list_inputs(plan, config, &dp);
    if (!out->inputs || list_verdicts(&config->scenario, out) != STATUS_OK)
      status = STATUS_NO_MEMORY;
    config_free(config);
  }
  free(dp.simulator);
  free(dp.controller);
  config_files_free(&dp.extended[0]);
  config_files_free(&dp.extended[1]);
  free(config);
  return status;
}

void point_facts_free(struct point_facts *facts) {
  free(facts->inputs);
  free(facts->verdict);
  *facts = (struct point_facts){.inputs = NULL};
}

static void add_line(struct point_errors *e, int point, const char *line, size_t size) {
  for (int i = 0; i < e->stored; i++)
    if (strlen(e->item[i].line) == size && !memcmp(e->item[i].line, line, size)) {
      e->item[i].count++;
      return;
    }
  e->count++;
  if (!e->item)
    e->item = calloc(MOST_ERRORS, sizeof *e->item);
  char *copy = e->item && e->stored < MOST_ERRORS ? strndup(line, size) : NULL;
  if (copy)
    e->item[e->stored++] = (struct point_error){copy, point, 1};
}

void point_errors_add(struct point_errors *e, int point, const char *lines) {
  for (const char *c = lines; *c;) {
    size_t size = strcspn(c, "\n");
    if (size)
      add_line(e, point, c, size);
    c += size + (c[size] == '\n');
  }
}

void point_errors_print(const struct point_errors *e, FILE *out) {
  for (int i = 0; i < e->stored; i++) {
    const struct point_error *item = &e->item[i];
    if (item->count > 1)
      fprintf(out, "%s (point %d and %d more)\n", item->line, item->first, item->count - 1);
    else
      fprintf(out, "%s (point %d)\n", item->line, item->first);
  }
  if (e->count > e->stored)
    fprintf(out, "and %d more errors\n", e->count - e->stored);
}

void point_errors_free(struct point_errors *e) {
  for (int i = 0; i < e->stored; i++)
    free(e->item[i].line);
  free(e->item);
  *e = (struct point_errors){.item = NULL};
}
