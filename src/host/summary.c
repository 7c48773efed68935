#include "host/host.h"
#include "host/summary_parts.h"
#include "session/verdicts.h"

#include "core/base/shown_text.h"
#include "core/math/trig.h"
#include "hil/held_pose.h"
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

static void add_outcome(cJSON *root, const struct host *host) {
  const struct outcome *o = &host->session->outcome;
  summary_text(root, "ended_by", run_end_word(o->end));
  cJSON_AddBoolToObject(root, "complete", outcome_is_complete(o));
  cJSON_AddBoolToObject(root, "passed", o->reason_count == 0);
  cJSON *reasons = cJSON_AddArrayToObject(root, "failures");
  for (int i = 0; i < o->reason_count; i++)
    cJSON_AddItemToArray(reasons, cJSON_CreateString(o->reason[i].text));
}

enum status summary_write(struct host *host, struct reason *why) {
  if (!host->summary.stream)
    return STATUS_OK;
  cJSON *root = json_begin();
  summary_add_session(root, host);
  summary_add_times(root, host);
  summary_add_latency(root, host);
  summary_add_state(root, host);
  summary_add_nmea(root, host);
  summary_add_energy(root, &host->session->last.ledger);
  summary_add_hydro(root, host);
  summary_add_commands(root, host);
  summary_add_alarms(root, host);
  summary_add_buses(root, host);
  summary_add_orders(root, host);
  summary_add_pauses(root, host);
  summary_add_telemetry(root, host);
  summary_add_security(root, host);
  summary_add_waits(root, host);
  summary_add_checkpoints(root, host);
  summary_add_sessions(root, host);
  summary_add_quantities(root, host);
  summary_add_log(root, host);
  summary_add_record(root, host);
  summary_add_console(root, host);
  summary_add_events(root, host);
  verdicts_add(root, host->session);
  add_outcome(root, host);
  summary_hex(root, "state_hash", sim_hash(host->session->engine.plant.sim));
  summary_text(root, "config_text", host->setup.config.text);
  char *text = json_end(root);
  if (!text) {
    fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", host->summary.path);
    output_file_abandon(&host->summary);
    return STATUS_NO_MEMORY;
  }
  fprintf(host->summary.stream, "%s\n", text);
  cJSON_free(text);
  return output_file_close(&host->summary, why);
}

static void print_orders(const struct host *host) {
  const struct order_counts *counts = host->outlets.server ? server_order_counts(host->outlets.server) : NULL;
  if (counts && counts->accepted + counts->refused > 0)
    printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " failed%s%s\n", "orders",
           counts->accepted, counts->refused, host->next.failed, host->next.failed ? ": " : "",
           host->next.why.text);
  for (int i = 0; counts && i < counts->listed; i++)
    printf("%-20s at %.3f s: %s%s%s\n", "", counts->first[i].time_s, counts->first[i].text,
           *counts->first[i].operator_name ? ", by " : "", shown(counts->first[i].operator_name).text);
  if (host->pauses.count > 0)
    printf("%-20s %" PRIu64 ", %.3f s in all\n", "pauses", host->pauses.count,
           1e-9 * (double)pauses_ns(&host->pauses, host->session->end_ns));
}

static void print_denied(const struct host *host) {
  uint64_t sum = 0;
  if (!host->outlets.server)
    return;
  const struct security_counts *counts = server_security_counts(host->outlets.server);
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

static void print_route(const struct host *host) {
  const struct on_route at = loop_on_route(host->session->last.target.track, &host->session->last.output);
  if (at.length_m > 0)
    printf("%-20s %.1f m of %.1f m, cross-track %.3f m\n", "route", at.way_m, at.length_m, at.cross_m);
}

void summary_print(const struct host *host) {
  const struct sim_output *o = &host->session->last.output;
  const struct timing *t = &host->session->last.timing;
  struct command_counts counts = summary_counts_of(host);
  double setpoint[3];
  summary_print_times(host);
  printf("%-20s %" PRIu64 " steps late, %" PRIu64 " periods (%.3f s) lost\n", "deadlines", t->deadline_misses,
         t->skipped_periods, t->lag_s);
  summary_print_latency(host);
  summary_print_real_time(host);
  printf("%-20s %d at most, %.2f on average, %.2f of them with a new tangent\n", "Newton iterations",
         o->newton_max, o->newton_mean, o->tangents_mean);
  if (o->unsolved_count)
    printf("%-20s %" PRIu64 ", %.3g %% of all: Newton found no solution, see newton_cap\n",
           "steps not solved", o->unsolved_count, 100.0 * (double)o->unsolved_count / (double)o->step);
  if (o->unresolved_count)
    printf("%-20s %" PRIu64 ": too long for the seabed, see contact_unresolved\n", "steps not resolved",
           o->unresolved_count);
  printf("%-20s residual %.3g J, closure %.3g\n", "energy ledger",
         host->session->last.ledger.total_residual_j, ledger_closure_rel(&host->session->last.ledger));
  summary_print_hydro(host);
  const struct loop_target *target = &host->session->last.target;
  printf("%-20s %.3f m from the %s, heading %.3f deg\n", "vessel", session_position_error_m(host->session, o),
         loop_is_on_route(target)                            ? "route's nearest point"
         : session_setpoint(host->session, target, setpoint) ? "set-point"
                                                             : "start",
         o->euler_rad[2] * DEG);
  print_route(host);
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
  printf("%-20s %" PRIu64 " accepted, %" PRIu64 " refused, lost %" PRIu64 " times", "commands",
         counts.accepted, refused_in_all(&counts), host->session->engine.loop.latch.lost_count);
  if (host->session->engine.loop.silences)
    printf(", the tensioner braked %" PRIu64 " times for it", host->session->engine.loop.silences);
  if (host->commands_dropped)
    printf(", %" PRIu64 " replaced within a step and not logged", host->commands_dropped);
  putchar('\n');
  summary_print_refused(host);
  summary_print_commanded(host);
  summary_print_alarms(host);
  if (host->setup.config.run.mode == RUN_LOCKSTEP)
    printf("%-20s %" PRIu64 " answers, the longest wait %.3f s at step %" PRIu64 "\n", "lockstep",
           host->waits.answers, host->waits.longest_s, host->waits.longest_step);
  print_orders(host);
  print_denied(host);
  verdicts_print(host->session);
  summary_print_log(host);
  earlier_print(&host->earlier);
  for (int i = 0; i < host->session->outcome.reason_count; i++)
    printf("%-20s %s\n", i ? "" : "failed", host->session->outcome.reason[i].text);
}
