// Printing the answer to an order: one JSON object on one line. Its keys are the names of the fields of the
// messages Receipt and Status, or ManagerStatus.
#include "ctl/ctl_manager.h"
#include "ctl/ctl_orders.h"
#include "io/codec/message_json.h"
#include "io/files/json_text.h"

#include "sagbend/v1/operator.pb-c.h"

#include <stdio.h>

void ctl_print_json(cJSON *root) {
  char *text = json_end_in_line(root);
  puts(text ? text : "null");
  cJSON_free(text);
}

static cJSON *begin(const struct order *order, int is_accepted) {
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON_AddBoolToObject(root, "accepted", is_accepted);
  return root;
}

void ctl_print_receipt_json(const struct order *order, const Sagbend__V1__Receipt *receipt) {
  static const char *const of_header[] = {"protocol", "sequence", NULL};
  static const char *const of_other[] = {
      "header", "received_sequence", "active_count", "active", "status", "manager", NULL};
  static const char *const of_list[] = {"header", "received_sequence", "name", "number",
                                        "status", "manager",           NULL};
  static const char *const of_status[] = {"header", "verdict", "fault", NULL}; // a receipt has no such lists
  cJSON *root = begin(order, 1);
  if (receipt->manager) {
    if (receipt->manager->status)
      json_add_message(root, &receipt->manager->status->base, NULL);
    ctl_print_json(root);
    return;
  }
  int is_list = order->kind == ORDER_STATUS || order->kind == ORDER_LIST;
  json_add_message(root, &receipt->header->base, of_header);
  if (receipt->status)
    json_add_message(root, &receipt->status->base, of_status);
  json_add_message(root, &receipt->base, is_list ? of_list : of_other);
  ctl_print_json(root);
}

void ctl_print_failure_json(const struct order *order, const struct reason *why) {
  cJSON *root = begin(order, 0);
  cJSON_AddStringToObject(root, "reason", why->text);
  ctl_print_json(root);
}
