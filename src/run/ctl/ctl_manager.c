#include "run/ctl/ctl.h"
#include "net/messages/message_json.h"
#include "net/messages/message_value.h"
#include "os/files/json_text.h"

#include "sagbend/v1/operator.pb-c.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATIENCE_MS = 5000 };

enum status ctl_exchange(struct operator_line *line, struct order *order, Sagbend__V1__Receipt **receipt,
                         struct reason *why) {
  ctl_name_operator(order);
  enum status status = operator_line_send(line, order, why);
  if (status != STATUS_OK)
    return status;
  switch (operator_line_take(line, PATIENCE_MS, receipt, why)) {
  case OPERATOR_RECEIPT:
    return (*receipt)->manager ? STATUS_OK
                               : fail(why, STATUS_IO, "a simulator answers here, not a session manager");
  case OPERATOR_REFUSED:
    return STATUS_IO;
  default:
    return fail(why, STATUS_IO,
                "no answer from a session manager within %g s, or --key and --server-key do not fit it",
                1e-3 * PATIENCE_MS);
  }
}

static void print_case(const Sagbend__V1__CaseInfo *c) {
  if (*c->error)
    printf("%-32s invalid: %s\n", c->name, c->error);
  else
    printf("%s\n", c->name);
}

static void print_log(const Sagbend__V1__LogInfo *l) {
  printf("%-52s %12" PRIu64 " bytes  %s%s\n", l->name, l->size, l->changed_at, l->growing ? "  growing" : "");
}

static void add_entry(cJSON *list, const ProtobufCMessage *entry) {
  cJSON *item = cJSON_CreateObject();
  json_add_message(item, entry, NULL);
  cJSON_AddItemToArray(list, item);
}

static void take_entries(const Sagbend__V1__ManagerAnswer *m, cJSON *list) {
  for (size_t i = 0; i < m->n_case_; i++) {
    if (list)
      add_entry(list, &m->case_[i]->base);
    else
      print_case(m->case_[i]);
  }
  for (size_t i = 0; i < m->n_log; i++) {
    if (list)
      add_entry(list, &m->log[i]->base);
    else
      print_log(m->log[i]);
  }
}

// Takes all answers; list NULL: prints each entry.
static enum status take_list(struct operator_line *line, struct order *order, cJSON *list,
                             Sagbend__V1__Receipt **receipt, struct reason *why) {
  for (order->manager.first = 0;;) {
    enum status status = ctl_exchange(line, order, receipt, why);
    if (status != STATUS_OK)
      return status;
    const Sagbend__V1__ManagerAnswer *m = (*receipt)->manager;
    if (m->status || m->piece)
      return fail(why, STATUS_IO, "another answer than a list");
    take_entries(m, list);
    uint32_t count = (uint32_t)(m->n_case_ + m->n_log);
    order->manager.first += count;
    if (count == 0 || order->manager.first >= m->total)
      return STATUS_OK;
  }
}

enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                     int json, struct reason *why) {
  struct operator_line *line;
  struct order next = *order;
  Sagbend__V1__Receipt *receipt = NULL;
  enum status status = operator_line_open(endpoint, keys, &line, why);
  if (status != STATUS_OK)
    return status;
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON *list = cJSON_AddArrayToObject(root, order_word(order->kind));
  status = take_list(line, &next, json ? list : NULL, &receipt, why);
  if (status == STATUS_OK && json)
    status = json_put_in_line(root, why);
  else
    cJSON_Delete(root);
  wire_free_receipt(receipt);
  operator_line_close(line);
  return status;
}

static void print_last(const Sagbend__V1__SessionEnd *e) {
  printf("%-14s%s, %.0f s ago: %s\n", "last session", e->case_, e->ended_s_ago, e->text);
  for (size_t i = 0; i < e->n_line && (e->signal || e->exit_status); i++)
    printf("%-14s%s\n", "", e->line[i]);
}

void ctl_print_manager(const Sagbend__V1__ManagerStatus *s) {
  struct message_value state;
  message_find(&s->base, "state", &state);
  printf("%-14s%s\n", "state", s->process ? state.text : "no session runs");
  printf("%-14s%s\n", "case", *s->case_ ? s->case_ : "none loaded");
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
  if (s->last)
    print_last(s->last);
}
