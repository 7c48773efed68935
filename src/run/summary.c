#include "run/summary.h"
#include "run/summary_parts.h"
#include "run/verdicts.h"

#include "core/math/trig.h"
#include "io/files/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double DEG = 180 / TRIG_PI;

void summary_number(cJSON *to, const char *name, double value) {
  cJSON_AddNumberToObject(to, name, value);
}

void summary_text(cJSON *to, const char *name, const char *text) {
  cJSON_AddStringToObject(to, name, text);
}

void summary_hex(cJSON *to, const char *name, uint64_t value) {
  char text[17];
  snprintf(text, sizeof text, "%016" PRIx64, value);
  summary_text(to, name, text);
}

static void add_outcome(cJSON *root, const struct run *r) {
  const struct outcome *o = &r->outcome;
  summary_text(root, "ended_by", run_end_word(o->end));
  cJSON_AddBoolToObject(root, "complete", outcome_is_complete(o));
  cJSON_AddBoolToObject(root, "passed", o->reason_count == 0);
  cJSON *reasons = cJSON_AddArrayToObject(root, "failures");
  for (int i = 0; i < o->reason_count; i++)
    cJSON_AddItemToArray(reasons, cJSON_CreateString(o->reason[i].text));
}

enum status summary_write(struct run *r, struct reason *why) {
  if (!r->summary.stream)
    return STATUS_OK;
  cJSON *root = json_begin();
  summary_add_session(root, r);
  summary_add_times(root, r);
  summary_add_latency(root, r);
  summary_add_state(root, r);
  summary_add_nmea(root, r);
  summary_add_energy(root, &r->last.ledger);
  summary_add_hydro(root, r);
  summary_add_commands(root, r);
  summary_add_buses(root, r);
  summary_add_orders(root, r);
  summary_add_pauses(root, r);
  summary_add_telemetry(root, r);
  summary_add_security(root, r);
  summary_add_waits(root, r);
  summary_add_checkpoints(root, r);
  summary_add_sessions(root, r);
  summary_add_quantities(root, r);
  summary_add_log(root, r);
  summary_add_record(root, r);
  summary_add_console(root, r);
  summary_add_events(root, r);
  verdicts_add(root, r);
  add_outcome(root, r);
  summary_hex(root, "state_hash", sim_hash(r->plant.sim));
  summary_text(root, "config_text", r->setup.config.text);
  char *text = json_end(root);
  if (!text) {
    fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", r->summary.path);
    output_file_abandon(&r->summary);
    return STATUS_NO_MEMORY;
  }
  fprintf(r->summary.stream, "%s\n", text);
  cJSON_free(text);
  return output_file_close(&r->summary, why);
}

static void print_orders(const struct run *r) {
  const struct order_counts *counts = r->server ? server_order_counts(r->server) : NULL;
  if (counts && counts->accepted + counts->refused > 0)
    printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " failed%s%s\n", "orders",
           counts->accepted, counts->refused, r->restart.failed, r->restart.failed ? ": " : "",
           r->restart.why.text);
  if (r->pauses.count > 0)
    printf("%-20s %" PRIu64 ", %.3f s in all\n", "pauses", r->pauses.count,
           1e-9 * (double)pauses_ns(&r->pauses, r->end_ns));
}

static void print_denied(const struct run *r) {
  uint64_t sum = 0;
  if (!r->server)
    return;
  const struct security_counts *counts = server_security_counts(r->server);
  for (int i = 0; i < DENIAL_COUNT; i++)
    sum += counts->denied[i];
  if (sum)
    printf("%-20s %" PRIu64 " denied, by reason in the summary\n", "security", sum);
}

static void print_code_check(const struct sim_output *o) {
  printf("%-20s", "utilisations");
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    if (isnan(o->check[k].utilisation))
      printf("%s %s none", k ? "," : "", code_check_name(k));
    else
      printf("%s %s %.3f", k ? "," : "", code_check_name(k), o->check[k].utilisation);
  putchar('\n');
}

// What a lay has done: nothing where the pipe's length cannot change.
static void print_lay(const struct sim_output *o) {
  if (!o->has_payout)
    return;
  printf("%-20s %.3f m paid out, %.4f m/s", "lay", o->paid_out_m, o->payout_mps);
  if (o->has_tensioner)
    printf(", tensioner in mode %s, ordered by the %s", tensioner_mode_name((int)o->tensioner.mode),
           tensioner_source_name((int)o->tensioner.source));
  if (o->retired_nodes)
    printf(", %" PRIu64 " nodes retired", o->retired_nodes);
  putchar('\n');
}

void summary_print(const struct run *r) {
  const struct sim_output *o = &r->last.output;
  const struct timing *t = &r->last.timing;
  struct command_counts counts = summary_counts_of(r);
  double setpoint[3];
  summary_print_times(r);
  printf("%-20s %" PRIu64 " steps late, %" PRIu64 " periods (%.3f s) lost\n", "deadlines", t->deadline_misses,
         t->skipped_periods, t->lag_s);
  summary_print_latency(r);
  summary_print_real_time(r);
  printf("%-20s %d at most, %.2f on average\n", "Newton iterations", o->newton_max, o->newton_mean);
  if (o->unsolved_count)
    printf("%-20s %" PRIu64 ", %.3g %% of all: Newton found no solution, see newton_cap\n",
           "steps not solved", o->unsolved_count, 100.0 * (double)o->unsolved_count / (double)o->step);
  if (o->unresolved_count)
    printf("%-20s %" PRIu64 ": too long for the seabed, see contact_unresolved\n", "steps not resolved",
           o->unresolved_count);
  printf("%-20s residual %.3g J, closure %.3g\n", "energy ledger", r->last.ledger.total_residual_j,
         ledger_closure_rel(&r->last.ledger));
  summary_print_hydro(r);
  printf("%-20s %.3f m from the %s, heading %.3f deg\n", "vessel", run_position_error_m(r, o),
         run_setpoint(r, &r->last.target, setpoint) ? "set-point" : "start", o->euler_rad[2] * DEG);
  char layback[32] = "none";
  if (!isnan(o->layback_m))
    snprintf(layback, sizeof layback, "%.1f m", o->layback_m);
  if (o->has_pipe)
    printf("%-20s tension %.1f kN, angle %.2f deg, lay-back %s, curvature %.3g 1/m, strain %.3f %%\n", "pipe",
           1e-3 * o->hangoff_tension_n, o->hangoff_angle_rad * DEG, layback, o->max_curvature_1pm,
           100 * o->max_strain);
  print_lay(o);
  if (o->has_code_check)
    print_code_check(o);
  printf("%-20s %" PRIu64 " accepted, %.0f refused, lost %" PRIu64 " times", "commands", counts.accepted,
         summary_refused_in_all(&counts), r->closed_loop.latch.lost_count);
  if (r->closed_loop.silences)
    printf(", the tensioner braked %" PRIu64 " times for it", r->closed_loop.silences);
  if (r->commands_dropped)
    printf(", %" PRIu64 " replaced within a step and not logged", r->commands_dropped);
  putchar('\n');
  if (r->setup.config.run.mode == RUN_LOCKSTEP)
    printf("%-20s %" PRIu64 " answers, the longest wait %.3f s at step %" PRIu64 "\n", "lockstep",
           r->waits.answers, r->waits.longest_s, r->waits.longest_step);
  print_orders(r);
  print_denied(r);
  verdicts_print(r);
  summary_print_log(r);
  earlier_print(&r->earlier);
  for (int i = 0; i < r->outcome.reason_count; i++)
    printf("%-20s %s\n", i ? "" : "failed", r->outcome.reason[i].text);
}
