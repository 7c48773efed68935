#include "ctl/ctl_manager.h"
#include "io/files/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 5000 };

enum status ctl_exchange(struct operator_line *line, struct order *order, struct wire_receipt *receipt,
                         struct reason *why) {
  ctl_name_operator(order);
  enum status status = operator_line_send(line, order, why);
  if (status != STATUS_OK)
    return status;
  switch (operator_line_take(line, PATIENCE_MS, receipt, why)) {
  case OPERATOR_RECEIPT:
    return receipt->manager.kind != MANAGER_NONE
               ? STATUS_OK
               : fail(why, STATUS_IO, "a simulator answers here, not a session manager");
  case OPERATOR_REFUSED:
    return STATUS_IO;
  default:
    return fail(why, STATUS_IO,
                "no answer from a session manager within %g s, or --key and --server-key do not fit it",
                1e-3 * PATIENCE_MS);
  }
}

static void print_case(const struct wire_case *c) {
  if (*c->error)
    printf("%-32s invalid: %s\n", c->name, c->error);
  else
    printf("%s\n", c->name);
}

static void print_log(const struct wire_log_info *l) {
  printf("%-52s %12" PRIu64 " bytes  %s%s\n", l->name, l->size, l->changed_at, l->growing ? "  growing" : "");
}

static void add_entry(cJSON *list, const struct wire_manager *m, int i) {
  cJSON *item = cJSON_CreateObject();
  if (m->kind == MANAGER_CASES) {
    const struct wire_case *c = &m->as.cases[i];
    cJSON_AddStringToObject(item, "name", c->name);
    if (*c->error)
      cJSON_AddStringToObject(item, "error", c->error);
    else
      cJSON_AddNullToObject(item, "error");
  } else {
    const struct wire_log_info *l = &m->as.logs[i];
    cJSON_AddStringToObject(item, "name", l->name);
    cJSON_AddNumberToObject(item, "size", (double)l->size);
    cJSON_AddStringToObject(item, "changed_at", l->changed_at);
    cJSON_AddBoolToObject(item, "growing", l->growing);
  }
  cJSON_AddItemToArray(list, item);
}

static void print_entry(const struct wire_manager *m, int i) {
  if (m->kind == MANAGER_CASES)
    print_case(&m->as.cases[i]);
  else
    print_log(&m->as.logs[i]);
}

// Takes all answers; list NULL: prints each entry.
static enum status take_list(struct operator_line *line, struct order *order, cJSON *list,
                             struct wire_receipt *receipt, struct reason *why) {
  for (order->manager.first = 0;;) {
    enum status status = ctl_exchange(line, order, receipt, why);
    const struct wire_manager *m = &receipt->manager;
    if (status != STATUS_OK)
      return status;
    if (m->kind != MANAGER_CASES && m->kind != MANAGER_LOGS)
      return fail(why, STATUS_IO, "another answer than a list");
    for (int i = 0; i < m->count; i++) {
      if (list)
        add_entry(list, m, i);
      else
        print_entry(m, i);
    }
    order->manager.first += (uint32_t)m->count;
    if (m->count == 0 || order->manager.first >= m->total)
      return STATUS_OK;
  }
}

static void print_line(cJSON *root) {
  char *text = json_end_in_line(root);
  puts(text ? text : "null");
  cJSON_free(text);
}

enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                     int json, struct reason *why) {
  struct operator_line *line;
  struct order next = *order;
  struct wire_receipt *receipt = malloc(sizeof *receipt);
  if (!receipt)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (status == STATUS_OK) {
    cJSON *root = json_begin();
    cJSON_AddStringToObject(root, "order", order_word(order->kind));
    cJSON *list = cJSON_AddArrayToObject(root, order_word(order->kind));
    status = take_list(line, &next, json ? list : NULL, receipt, why);
    if (status == STATUS_OK && json)
      print_line(root);
    else
      cJSON_Delete(root);
    operator_line_close(line);
  }
  free(receipt);
  return status;
}

static const char *state_name(enum manager_state state) {
  static const char *const names[] = {"unknown", "empty", "loaded", "starting", "running", "ending"};
  return (unsigned)state < sizeof names / sizeof *names ? names[state] : names[0];
}

static void print_last(const struct wire_session_end *e) {
  printf("%-14s%s, %.0f s ago: %s\n", "last session", e->case_name, e->ended_s_ago, e->text);
  for (int i = 0; i < e->line_count && (e->signal || e->exit_status); i++)
    printf("%-14s%s\n", "", e->line[i]);
}

void ctl_print_manager(const struct wire_manager_status *s) {
  printf("%-14s%s\n", "state", s->process ? state_name(s->state) : "no session runs");
  printf("%-14s%s\n", "case", *s->case_name ? s->case_name : "none loaded");
  if (s->process) {
    printf("%-14s%s, process %" PRIu64 ", for %.1f s\n", "session", *s->session ? s->session : "starts",
           s->process, s->running_s);
    printf("%-14s%s\n", "commands at", *s->command_endpoint ? s->command_endpoint : "-");
    printf("%-14s%s\n", "telemetry at", *s->telemetry_endpoint ? s->telemetry_endpoint : "-");
    if (s->silent_s > 3)
      printf("%-14sit has not answered for %.1f s\n", "silent", s->silent_s);
  }
  printf("%-14s%s\n", "cases in", s->folder);
  printf("%-14s%s\n", "logs in", s->log_folder);
  printf("%-14s%" PRIu64 "\n", "started", s->started);
  if (s->has_last)
    print_last(&s->last);
}

static void add_text(cJSON *to, const char *key, const char *text) {
  if (*text)
    cJSON_AddStringToObject(to, key, text);
  else
    cJSON_AddNullToObject(to, key);
}

static void add_last(cJSON *to, const struct wire_manager_status *s) {
  if (!s->has_last) {
    cJSON_AddNullToObject(to, "last");
    return;
  }
  cJSON *last = cJSON_AddObjectToObject(to, "last");
  cJSON_AddStringToObject(last, "case", s->last.case_name);
  cJSON_AddNumberToObject(last, "exit_status", s->last.exit_status);
  cJSON_AddNumberToObject(last, "signal", s->last.signal);
  cJSON_AddStringToObject(last, "text", s->last.text);
  cJSON_AddNumberToObject(last, "ended_s_ago", s->last.ended_s_ago);
  cJSON *lines = cJSON_AddArrayToObject(last, "lines");
  for (int i = 0; i < s->last.line_count; i++)
    cJSON_AddItemToArray(lines, cJSON_CreateString(s->last.line[i]));
}

void ctl_print_manager_json(const struct order *order, const struct wire_manager_status *s) {
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON_AddBoolToObject(root, "accepted", 1);
  cJSON_AddStringToObject(root, "state", state_name(s->state));
  add_text(root, "case", s->case_name);
  cJSON_AddNumberToObject(root, "process", (double)s->process);
  add_text(root, "session", s->session);
  add_text(root, "command_endpoint", s->command_endpoint);
  add_text(root, "telemetry_endpoint", s->telemetry_endpoint);
  cJSON_AddNumberToObject(root, "running_s", s->running_s);
  cJSON_AddNumberToObject(root, "silent_s", s->silent_s);
  cJSON_AddStringToObject(root, "folder", s->folder);
  cJSON_AddStringToObject(root, "log_folder", s->log_folder);
  cJSON_AddNumberToObject(root, "started", (double)s->started);
  add_last(root, s);
  print_line(root);
}
