// Of a summary: commands, orders, alarms of the controller, field buses, and what the network did.
#include "run/host/host_internal.h"

#include "net/server/server.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct line {
  char text[160];
};

void summary_add_nmea(cJSON *root, const struct host *host) {
  if (!host->outlets.nmea)
    return;
  const struct nmea_counts *counts = nmea_ports_counts(host->outlets.nmea);
  cJSON *nmea = cJSON_AddObjectToObject(root, "nmea");
  summary_number(nmea, "sent", (double)counts->sent);
  summary_number(nmea, "lost", (double)counts->lost);
  summary_number(nmea, "failed", (double)counts->failed);
}

struct command_counts summary_counts_of(const struct host *host) {
  struct command_counts counts = {0};
  if (host->outlets.server)
    counts = *server_counts(host->outlets.server);
  counts.accepted += host->session->engine.loop.inside_accepted;
  counts.refused[REFUSED_RANGE] += host->session->engine.loop.inside_refused;
  return counts;
}

static void add_newest_refused(cJSON *to, const struct host *host) {
  cJSON *list = cJSON_AddArrayToObject(to, "newest_refused");
  const struct refused *refused;
  for (int i = 0; i < REFUSALS_SHOWN && host->outlets.server &&
                  (refused = server_newest_refused(host->outlets.server, i));
       i++) {
    cJSON *o = summary_item(list);
    summary_text(o, "peer", refused->peer);
    summary_text(o, "reason", refusal_name(refused->reason));
    summary_text(o, "text", refused->text);
    summary_number(o, "count", (double)refused->count);
  }
  const struct frame *last = &host->session->last;
  if (!last->inside_refused)
    return;
  cJSON *o = summary_item(list);
  summary_text(o, "peer", "the controller inside");
  summary_text(o, "reason", refusal_name(REFUSED_RANGE));
  summary_text(o, "text", last->inside_why.text);
  summary_number(o, "count", (double)last->inside_refused);
}

void summary_print_refused(const struct host *host) {
  const struct command_counts counts = summary_counts_of(host);
  const char *before = "refused              ";
  for (int i = 0; i < REFUSAL_COUNT; i++)
    if (counts.refused[i]) {
      printf("%s%s %" PRIu64, before, refusal_name((enum refusal)i), counts.refused[i]);
      before = ", ";
    }
  if (refused_in_all(&counts))
    putchar('\n');
  if (host->session->last.inside_refused)
    print_labelled(SUMMARY_COLUMN, "", "the controller inside: %s", host->session->last.inside_why.text);
}

static void add_wrench(cJSON *to, const char *name, const double wrench_b[6]) {
  cJSON *o = cJSON_AddObjectToObject(to, name);
  summary_number(o, "surge_n", wrench_b[0]);
  summary_number(o, "sway_n", wrench_b[1]);
  summary_number(o, "yaw_nm", wrench_b[5]);
}

static struct line notice_line(const struct frame *frame, int kind) {
  const struct notice *n = &frame->notices.kind[kind];
  struct line out;
  notice_text(kind, n, n->thruster >= 0 ? frame->output.thruster[n->thruster].name : "", out.text,
              sizeof out.text);
  return out;
}

// The newest command, what holds the vessel at the start, and the mistakes that were recognised.
static void add_commanded(cJSON *to, const struct host *host) {
  const struct frame *last = &host->session->last;
  if (host->session->engine.loop.latch.has_command)
    add_wrench(to, "commanded_wrench", last->commanded_b);
  add_wrench(to, "initial_holding_force", host->session->engine.loop.command_def.initial_holding_force_b);
  cJSON *list = cJSON_AddArrayToObject(to, "notices");
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *n = &last->notices.kind[i];
    cJSON *o = n->count ? cJSON_CreateObject() : NULL;
    if (!o)
      continue;
    summary_text(o, "name", notice_name(i));
    summary_text(o, "text", notice_line(last, i).text);
    summary_number(o, "time_s", (double)n->step * last->target.step_s);
    summary_number(o, "count", (double)n->count);
    cJSON_AddItemToArray(list, o);
  }
}

// "surge 1200 N, sway 0 N, yaw 0 N m": below 1 N, 1 N m nothing is meant.
static struct wrench_text {
  char text[96];
} wrench_text(const double wrench_b[6]) {
  double shown[6];
  for (int i = 0; i < 6; i++)
    shown[i] = fabs(wrench_b[i]) < 1 ? 0 : wrench_b[i];
  struct wrench_text out;
  snprintf(out.text, sizeof out.text, "surge %.6g N, sway %.6g N, yaw %.6g N m", shown[0], shown[1],
           shown[5]);
  return out;
}

void summary_print_commanded(const struct host *host) {
  const struct frame *last = &host->session->last;
  const int thrusters = last->commanded_thrusters;
  const struct wrench_text hold = wrench_text(host->session->engine.loop.command_def.initial_holding_force_b);
  if (host->session->engine.loop.latch.has_command && thrusters > 0)
    print_labelled(SUMMARY_COLUMN, "commanded last", "%d thrusters; initial holding force: %s", thrusters,
                   hold.text);
  else if (host->session->engine.loop.latch.has_command)
    print_labelled(SUMMARY_COLUMN, "commanded last", "%s, %d thrusters; initial holding force: %s",
                   wrench_text(last->commanded_b).text, thrusters, hold.text);
  if (last->output.thruster_count)
    print_labelled(SUMMARY_COLUMN, "acted last", "thrusters: %s; beside them: %s",
                   wrench_text(last->output.thruster_wrench_b).text,
                   wrench_text(last->output.control_wrench_b).text);
  for (int i = 0; i < NOTICE_COUNT; i++)
    if (last->notices.kind[i].count)
      print_labelled(SUMMARY_COLUMN, "notice", "at %.1f s: %s: %s",
                     (double)last->notices.kind[i].step * last->target.step_s, notice_name(i),
                     notice_line(last, i).text);
}

void summary_add_commands(cJSON *root, const struct host *host) {
  struct command_counts counts = summary_counts_of(host);
  cJSON *commands = cJSON_AddObjectToObject(root, "commands");
  summary_number(commands, "accepted", (double)counts.accepted);
  summary_number(commands, "refused", (double)refused_in_all(&counts));
  cJSON *reasons = cJSON_AddObjectToObject(commands, "refused_by_reason");
  for (int i = 0; i < REFUSAL_COUNT; i++)
    summary_number(reasons, refusal_name(i), (double)counts.refused[i]);
  add_newest_refused(commands, host);
  summary_number(commands, "dropped", (double)host->commands_dropped);
  summary_number(commands, "changes_of_command", (double)counts.changes);
  summary_number(commands, "controllers_made_way", (double)counts.displaced);
  if (host->setup.config.scenario.controllers.count > 0) {
    summary_number(commands, "shadow_commands", (double)counts.shadows);
    summary_number(commands, "split_brain", (double)counts.claims);
    summary_number(commands, "kept_away", (double)counts.cut);
    summary_number(commands, "refused_on_their_way", (double)counts.late);
  }
  summary_number(commands, "lost", (double)host->session->engine.loop.latch.lost_count);
  summary_number(commands, "tensioner_silences", (double)host->session->engine.loop.silences);
  add_commanded(commands, host);
  summary_text(commands, "state", command_state_name(host->session->last.command_state));
}

void summary_add_orders(cJSON *root, const struct host *host) {
  if (!host->outlets.server)
    return;
  const struct order_counts *counts = server_order_counts(host->outlets.server);
  cJSON *orders = cJSON_AddObjectToObject(root, "orders");
  summary_number(orders, "accepted", (double)counts->accepted);
  summary_number(orders, "refused", (double)counts->refused);
  summary_number(orders, "failed", (double)host->next.failed);
  if (host->next.failed)
    summary_text(orders, "failure", host->next.why.text);
  summary_number(orders, "newest", (double)host->session->engine.loop.scenario.events.last_order);
  summary_number(orders, "acting", (double)counts->acting);
  cJSON *list = cJSON_AddArrayToObject(orders, "first");
  for (int i = 0; i < counts->listed; i++) {
    const struct order_listed *order = &counts->first[i];
    cJSON *item = summary_item(list);
    summary_text(item, "session", order->session);
    summary_number(item, "number", (double)order->number);
    summary_number(item, "step", (double)order->step);
    summary_number(item, "time_s", order->time_s);
    summary_text(item, "order", order->text);
    summary_text(item, "operator", order->operator_name);
  }
}

void summary_add_telemetry(cJSON *root, const struct host *host) {
  if (!host->outlets.server)
    return;
  const struct publisher_counts *counts = server_telemetry_counts(host->outlets.server);
  cJSON *telemetry = cJSON_AddObjectToObject(root, "telemetry");
  summary_number(telemetry, "messages_dropped", (double)counts->dropped);
  summary_number(telemetry, "subscriptions_ignored", (double)counts->ignored);
  summary_number(telemetry, "connections_cut_off", (double)counts->cut_off);
  const struct view_counts *views = server_view_counts(host->outlets.server);
  summary_number(telemetry, "controller_views", (double)views->published);
  summary_number(telemetry, "controller_views_dropped", (double)views->dropped);
}

void summary_add_security(cJSON *root, const struct host *host) {
  if (!host->outlets.server)
    return;
  const struct security_counts *counts = server_security_counts(host->outlets.server);
  cJSON *security = cJSON_AddObjectToObject(root, "security");
  cJSON_AddBoolToObject(security, "keys_required", counts->keys_required);
  summary_number(security, "admitted", (double)counts->admitted);
  summary_number(security, "take_overs", (double)counts->take_overs);
  cJSON *denied = cJSON_AddObjectToObject(security, "denied");
  for (int i = 0; i < DENIAL_COUNT; i++)
    summary_number(denied, denial_name((enum denial)i), (double)counts->denied[i]);
  summary_number(security, "denied_without_event", (double)counts->unreported);
}

// ---- Alarms of the controller ----

static void add_alarm(cJSON *o, const struct past_alarm *past, double step_s) {
  summary_text(o, "source", past->alarm.source);
  summary_text(o, "kind", dp_alarm_kind_name((int)past->alarm.kind));
  summary_text(o, "severity", dp_alarm_severity_name((int)past->alarm.severity));
  summary_text(o, "text", past->alarm.text);
  summary_number(o, "from_s", (double)past->from_step * step_s);
  summary_number(o, "to_s", past->is_over ? (double)past->to_step * step_s : (double)NAN);
}

void summary_add_alarms(cJSON *root, const struct host *host) {
  const struct alarm_history *history = &host->session->alarms;
  cJSON *o = cJSON_AddObjectToObject(root, "alarms");
  summary_number(o, "raised", (double)host->session->last.alarms.raised);
  summary_number(o, "left_out", (double)history->left_out);
  cJSON *list = cJSON_AddArrayToObject(o, "list");
  for (int i = 0; i < history->count; i++)
    add_alarm(summary_item(list), &history->past[i], host->setup.config.sim.step_s);
}

void summary_print_alarms(const struct host *host) {
  enum { SHOWN = 3 };
  const struct dp_alarm_state *now = &host->session->last.alarms;
  const struct alarm_history *history = &host->session->alarms;
  if (!now->raised)
    return;
  printf("%-20s %" PRIu64 " raised, %d active at the end\n", "alarms", now->raised,
         dp_alarm_count(&now->list));
  int shown = 0;
  for (int i = 0; i < history->count && shown < SHOWN; i++) {
    const struct past_alarm *past = &history->past[i];
    if (past->is_over)
      continue;
    shown++;
    print_labelled(SUMMARY_COLUMN, "", "since %.1f s: %s %s %s: %s",
                   (double)past->from_step * host->setup.config.sim.step_s,
                   dp_alarm_severity_name((int)past->alarm.severity), past->alarm.source,
                   dp_alarm_kind_name((int)past->alarm.kind), past->alarm.text);
  }
}

// ---- Field buses ----

// Where a sender in a group was heard last.
static struct in_addr newest_address(const struct group_stream *stream) {
  const struct group_way *newest = &stream->way[0];
  for (int i = 1; i < NETWORKS; i++)
    newest = stream->way[i].heard_ms > newest->heard_ms ? &stream->way[i] : newest;
  return newest->from.sin_addr;
}

// Line counts of groups on the network; each group with its senders.
static void add_groups(cJSON *to, const struct host *host, const struct field_bus_counts *buses) {
  cJSON *o = cJSON_AddObjectToObject(to, "nmea_groups");
  summary_number(o, "lines", (double)buses->nmea_lines);
  summary_number(o, "lost", (double)buses->nmea_lines_lost);
  summary_number(o, "doubled", (double)buses->nmea_lines_doubled);
  summary_number(o, "late", (double)buses->nmea_lines_late);
  summary_number(o, "passed_over", (double)buses->nmea_passed_over);
  summary_number(o, "incomplete", (double)buses->nmea_incomplete);
  summary_number(o, "own", (double)buses->nmea_own);
  summary_number(o, "dropped", (double)buses->nmea_dropped);
  if (buses->nmea_age_worst_s != 0)
    summary_number(o, "age_worst_s", buses->nmea_age_worst_s);
  cJSON *senders = cJSON_AddArrayToObject(o, "senders");
  for (int i = 0; i < nmea_inputs_count(host->nmea_inputs); i++) {
    const struct group_reader *reader = nmea_inputs_group(host->nmea_inputs, i);
    for (int k = 0; reader && k < GROUP_STREAMS; k++) {
      const struct group_stream *stream = &reader->stream[k];
      if (!stream->heard_ms)
        continue;
      char address[INET_ADDRSTRLEN] = "";
      cJSON *sender = summary_item(senders);
      const struct in_addr newest = newest_address(stream);
      inet_ntop(AF_INET, &newest, address, sizeof address);
      summary_text(sender, "input", nmea_inputs_place(host->nmea_inputs, i).text);
      summary_text(sender, "source", stream->source);
      summary_text(sender, "address", address);
      summary_number(sender, "lines", (double)stream->lines);
      summary_number(sender, "lost", (double)stream->lost);
      summary_number(sender, "doubled", (double)stream->doubled);
      summary_number(sender, "late", (double)stream->late);
    }
  }
}

// What two networks have brought and taken.
void summary_add_networks(cJSON *root, const struct host *host) {
  const struct field_bus_counts *buses =
      host->outlets.server ? &server_counts(host->outlets.server)->buses : NULL;
  const int has_b = *config_run(&host->setup.config)->nmea.network.interface[1] && host->outlets.nmea;
  if (!has_b && !(buses && buses->networks > 1))
    return;
  cJSON *list = cJSON_AddArrayToObject(root, "networks");
  for (int i = 0; i < NETWORKS; i++) {
    cJSON *o = summary_item(list);
    summary_text(o, "network", network_name(i));
    if (host->outlets.nmea) {
      const struct nmea_network_counts out = nmea_ports_network(host->outlets.nmea, i);
      summary_number(o, "sent", (double)out.sent);
      summary_number(o, "not_sent", (double)out.lost);
      summary_number(o, "failed", (double)out.failed);
    }
    if (!buses)
      continue;
    cJSON_AddBoolToObject(o, "is_lost",
                          buses->network[i].is_lost || buses->network[i].is_silent ||
                              buses->network[i].is_unasked);
    summary_number(o, "lines", (double)buses->network[i].lines);
    summary_number(o, "lines_lost", (double)buses->network[i].lines_lost);
    summary_number(o, "lines_doubled", (double)buses->network[i].lines_doubled);
    summary_number(o, "dropped", (double)buses->network[i].dropped);
    summary_number(o, "messages", (double)buses->network[i].messages);
    summary_number(o, "messages_doubled", (double)buses->network[i].messages_doubled);
    summary_number(o, "requests", (double)buses->network[i].requests);
    summary_number(o, "requests_doubled", (double)buses->network[i].requests_doubled);
  }
}

static int has_groups(const struct host *host) {
  int any = 0;
  for (int i = 0; host->nmea_inputs && i < nmea_inputs_count(host->nmea_inputs); i++)
    any |= nmea_inputs_group(host->nmea_inputs, i) != NULL;
  return any;
}

void summary_add_buses(cJSON *root, const struct host *host) {
  if (!host->modbus && !host->nmea_inputs)
    return;
  const struct command_counts *counts = server_counts(host->outlets.server);
  const struct field_bus_counts *buses = &counts->buses;
  cJSON *o = cJSON_AddObjectToObject(root, "field_buses");
  summary_number(o, "commands", (double)counts->from_buses);
  summary_number(o, "modbus_requests", (double)buses->modbus_requests);
  summary_number(o, "modbus_exceptions", (double)buses->modbus_exceptions);
  summary_number(o, "modbus_cut_off", (double)buses->modbus_cut_off);
  summary_number(o, "nmea_received", (double)buses->nmea_received);
  summary_number(o, "nmea_refused", (double)refused_sentences(counts));
  cJSON *reasons = cJSON_AddObjectToObject(o, "nmea_refused_by_reason");
  for (int i = FIRST_NMEA_REFUSAL; i <= LAST_NMEA_REFUSAL; i++)
    summary_number(reasons, refusal_name((enum refusal)i) + strlen("nmea_"), (double)counts->refused[i]);
  summary_number(reasons, "gate", (double)buses->nmea_at_gate);
  if (has_groups(host))
    add_groups(o, host, buses);
}
