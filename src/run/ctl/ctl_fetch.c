// An order and its answer: sent, awaited, printed. sagbend ctl ENDPOINT fetch LOG FILE: the log arrives in
// FILE.part, which becomes FILE at the end. Each block is compared with the manager's digest of it, as it is
// on this disk; a FILE.part of an earlier transfer keeps the blocks that are right.
#include "run/ctl/ctl.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/v1/operator.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

void ctl_name_operator(struct order *order) {
  const char *user = getenv("USER");
  snprintf(order->operator_name, sizeof order->operator_name, "%s", user && *user ? user : "sagbend ctl");
}

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

// ---- the transfer of a log ----

struct transfer {
  struct operator_line *line;
  struct order order;
  Sagbend__V1__Receipt *receipt; // newest answer
  const char *part;              // path of FILE.part
  int file;
  uint64_t size; // of the log when the transfer began
  uint64_t kept; // bytes that an earlier transfer left
};

static const Sagbend__V1__LogPiece *piece_of(const struct transfer *t) {
  return t->receipt->manager->piece;
}

static enum status ask(struct transfer *t, uint64_t offset, uint64_t size, int digest, struct reason *why) {
  t->order.manager.offset = offset;
  t->order.manager.size = (uint32_t)size;
  t->order.manager.digest = digest;
  enum status status = ctl_exchange(t->line, &t->order, &t->receipt, why);
  if (status != STATUS_OK)
    return status;
  const Sagbend__V1__LogPiece *piece = piece_of(t);
  if (!piece || piece->offset != offset || piece->covered > size ||
      piece->digest.len != (digest ? FILE_DIGEST : 0) || (!digest && piece->data.len != piece->covered))
    return fail(why, STATUS_IO, "another answer than the piece of the log that was asked for");
  return STATUS_OK;
}

static enum status put(struct transfer *t, const uint8_t *data, size_t size, uint64_t offset,
                       struct reason *why) {
  for (size_t done = 0; done < size;) {
    ssize_t written = pwrite(t->file, data + done, size - done, (off_t)(offset + done));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail(why, STATUS_IO, "%s: %s; after that the same order continues", t->part, strerror(errno));
    done += (size_t)written;
  }
  return STATUS_OK;
}

// Compares a block of FILE.part with the manager's digest. *equal: whether both have it and it is the same.
static enum status compare(struct transfer *t, uint64_t offset, uint64_t size, int *equal,
                           struct reason *why) {
  uint8_t ours[FILE_DIGEST];
  uint64_t covered;
  enum status status = file_digest(t->file, offset, size, ours, &covered, why);
  if (status == STATUS_OK)
    status = ask(t, offset, size, 1, why);
  *equal = status == STATUS_OK && covered == size && piece_of(t)->covered == size &&
           memcmp(ours, piece_of(t)->digest.data, sizeof ours) == 0;
  return status;
}

// Finds how much of an earlier transfer is right.
static enum status find_kept(struct transfer *t, struct reason *why) {
  struct stat found;
  if (fstat(t->file, &found) < 0)
    return fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  uint64_t there = (uint64_t)found.st_size < t->size ? (uint64_t)found.st_size : t->size;
  enum status status = STATUS_OK;
  for (int equal = 1; t->kept < there && status == STATUS_OK;) {
    uint64_t size = there - t->kept < WIRE_DIGESTED ? there - t->kept : WIRE_DIGESTED;
    status = compare(t, t->kept, size, &equal, why);
    if (!equal)
      break;
    t->kept += size;
  }
  if (status == STATUS_OK && ftruncate(t->file, (off_t)t->kept) < 0)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  return status;
}

static enum status fetch_block(struct transfer *t, uint64_t from, uint64_t size, struct reason *why) {
  for (uint64_t done = 0; done < size;) {
    uint64_t wanted = size - done < WIRE_PIECE ? size - done : WIRE_PIECE;
    enum status status = ask(t, from + done, wanted, 0, why);
    if (status != STATUS_OK)
      return status;
    const Sagbend__V1__LogPiece *piece = piece_of(t);
    if (piece->covered == 0)
      return fail(why, STATUS_IO, "the log has become shorter at the manager");
    status = put(t, piece->data.data, piece->data.len, from + done, why);
    if (status != STATUS_OK)
      return status;
    done += piece->covered;
  }
  int equal;
  enum status status = compare(t, from, size, &equal, why);
  if (status == STATUS_OK && !equal)
    status = fail(why, STATUS_IO, "%s: the digest of bytes %" PRIu64 " to %" PRIu64 " differs", t->part, from,
                  from + size);
  return status;
}

static enum status transfer(struct transfer *t, struct reason *why) {
  enum status status = ask(t, 0, 1, 0, why);
  if (status != STATUS_OK)
    return status;
  t->size = piece_of(t)->size;
  t->file = open(t->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (t->file < 0)
    return fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  status = find_kept(t, why);
  for (uint64_t at = t->kept; at < t->size && status == STATUS_OK;) {
    uint64_t size = t->size - at < WIRE_DIGESTED ? t->size - at : WIRE_DIGESTED;
    status = fetch_block(t, at, size, why);
    at += size;
  }
  if (status == STATUS_OK && fsync(t->file) < 0)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  if (close(t->file) < 0 && status == STATUS_OK)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  return status;
}

static enum status transfer_to(struct transfer *t, const char *endpoint, const struct client_keys *keys,
                               const char *file, char *part, size_t size, struct reason *why) {
  if (access(file, F_OK) == 0)
    return fail(why, STATUS_BAD_INPUT, "%s exists already", file);
  if (snprintf(part, size, "%s.part", file) >= (int)size)
    return fail(why, STATUS_BAD_INPUT, "%.120s...: the path is too long", file);
  t->part = part;
  enum status status = operator_line_open(endpoint, keys, &t->line, why);
  if (status != STATUS_OK)
    return status;
  status = transfer(t, why);
  operator_line_close(t->line);
  if (status == STATUS_OK && rename(part, file) < 0)
    status = fail(why, STATUS_IO, "%s: %s", file, strerror(errno));
  return status;
}

enum status ctl_fetch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                      const char *file, int json, struct reason *why) {
  char part[4096];
  struct transfer *t = calloc(1, sizeof *t);
  if (!t)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  t->order = *order;
  os_survive_file_limits();
  enum status status = transfer_to(t, endpoint, keys, file, part, sizeof part, why);
  if (status == STATUS_OK && json)
    printf("{\"order\":\"fetch\",\"accepted\":true,\"size\":%" PRIu64 ",\"kept\":%" PRIu64 "}\n", t->size,
           t->kept);
  else if (status == STATUS_OK)
    printf("%s: %" PRIu64 " bytes, %" PRIu64 " of them from an earlier transfer\n", shown(file).text, t->size,
           t->kept);
  wire_free_receipt(t->receipt);
  free(t);
  return status;
}

// ---- printing ----

// Printing the answer to an order: text for people. The status follows the rows of sagbend/rig/status.inc.

static void print_fault(const Sagbend__V1__ActiveFault *a) {
  printf("%-23s %-20s %-23s ", a->name, a->kind, *a->target ? a->target : "-");
  if (a->pending)
    printf("pending, from the next step on");
  else
    printf("since %.3f s", a->since_s);
  for (size_t k = 0; k < a->n_parameter; k++) {
    const Sagbend__V1__FaultParameter *p = a->parameter[k];
    if (p->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT)
      printf("  %s %s", p->name, p->text);
    else
      printf("  %s %g", p->name, p->number);
  }
  puts("");
}

static void print_faults(const Sagbend__V1__Receipt *r) {
  for (size_t i = 0; i < r->n_active; i++)
    print_fault(r->active[i]);
  if (r->active_count > r->n_active)
    printf("and %zu more\n", r->active_count - r->n_active);
}

// From the unit of a field's name into that of the text.
static double factor_of(const struct status_row *row) {
  return !strcmp(row->unit, "deg")  ? 180 / 3.14159265358979323846
         : !strcmp(row->unit, "kN") ? 1e-3
         : !strcmp(row->unit, "%")  ? 100
                                    : 1;
}

static void print_value(FILE *out, const struct message_value *value, const struct status_row *row,
                        int precision, char form) {
  double number = factor_of(row) * value->number;
  if (form == 'f')
    fprintf(out, "%.*f", precision, number);
  else if (form == 'g')
    fprintf(out, "%g", number);
  else if (value->kind == VALUE_TEXT)
    fputs(value->text, out);
  else
    fprintf(out, "%" PRIu64, value->count);
}

// Prints size characters of a phrase.
static void print_phrase(FILE *out, const char *phrase, size_t size, const struct message_value *value,
                         const struct status_row *row) {
  const char *end = phrase + size;
  for (const char *at = phrase; at < end; at++) {
    if (!strncmp(at, "(s)", 3)) {
      fputs(value->number == 1 ? "" : "s", out);
      at += 2;
    } else if (*at != '%') {
      fputc(*at, out);
    } else if (*++at == '%') {
      fputc('%', out);
    } else {
      int precision = *at == '.' ? atoi(++at) : 0;
      at += strspn(at, "0123456789");
      print_value(out, value, row, precision, *at);
    }
  }
}

static int is_nothing(const struct message_value *value) {
  return value->kind == VALUE_TEXT ? !*value->text : value->number == 0;
}

// One line: rows that follow each other, of the message at the path that ends at the prefix. Returns whether
// there was anything to print.
static int print_rows(const char *name, const ProtobufCMessage *message, const struct status_row *row,
                      int count, size_t prefix) {
  char *text = NULL;
  size_t text_size = 0;
  FILE *out = text_stream_open(&text, &text_size);
  int is_begun = 0;
  if (!out) {
    print_labelled(15, name, "out of memory");
    return 1;
  }
  for (const struct status_row *end = row + count; row < end; row++) {
    struct message_value value;
    const char *other = strchr(row->text, '|');
    message_find(message, row->field + prefix, &value);
    if (value.kind == VALUE_NONE || !*row->text)
      continue;
    int is_other = other && is_nothing(&value);
    const char *phrase = is_other ? other + 1 : row->text;
    size_t size = other && !is_other ? (size_t)(other - row->text) : strlen(phrase);
    int is_end = is_other && size && phrase[size - 1] == '.';
    if (!size)
      continue;
    is_begun = 1;
    print_phrase(out, phrase, size - (size_t)is_end, &value, row);
    if (is_end)
      break;
  }
  const int is_whole = fclose(out) == 0;
  if (is_begun)
    print_labelled(15, name, "%s", is_whole ? text : "out of memory");
  free(text);
  return is_begun;
}

// A line for each item of a repeated message, otherwise one.
static int print_line(const Sagbend__V1__Status *s, const struct status_row *row, int count) {
  const size_t head = strcspn(row->field, ".");
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)head, row->field);
  const ProtobufCFieldDescriptor *field = message_field(s->base.descriptor, name);
  if (field->label != PROTOBUF_C_LABEL_REPEATED)
    return print_rows(row->line, &s->base, row, count, 0);
  size_t items = message_item_count(&s->base, field);
  for (size_t i = 0; i < items; i++) {
    struct message_value item;
    message_item(&s->base, field, i, &item);
    print_rows(i ? "" : row->line, item.message, row, count, head + 1);
  }
  return items > 0;
}

static void print_status(const Sagbend__V1__Status *s) {
  static const char *const said_if_absent[] = {"set-point", "controllers", "log", "checkpoint"};
  int count;
  for (int i = 0; i < STATUS_ROW_COUNT && STATUS_ROWS[i].message == STATUS_OF_STATUS; i += count) {
    const struct status_row *row = &STATUS_ROWS[i];
    for (count = 1; i + count < STATUS_ROW_COUNT && !strcmp(row[count].line, row->line);)
      count++;
    int is_there = print_line(s, row, count);
    for (size_t k = 0; !is_there && k < sizeof said_if_absent / sizeof *said_if_absent; k++)
      if (!strcmp(row->line, said_if_absent[k]))
        printf("%-15snone\n", row->line);
  }
}

static void print_last(const Sagbend__V1__SessionEnd *e) {
  printf("%-14s%s, %.0f s ago: %s\n", "last session", e->case_, e->ended_s_ago, e->text);
  for (size_t i = 0; i < e->n_line && (e->signal || e->exit_status); i++)
    printf("%-14s%s\n", "", e->line[i]);
}

static void ctl_print_manager(const Sagbend__V1__ManagerStatus *s) {
  struct message_value state;
  message_find(&s->base, "state", &state);
  printf("%-14s%s\n", "state", s->process ? state.text : "no session runs");
  printf("%-14s%s\n", "case", *s->case_ ? s->case_ : "none loaded");
  if (s->process) {
    printf("%-14s%s, process %" PRIu64 ", for %.1f s\n", "session", *s->session ? s->session : "starts",
           s->process, s->running_s);
    printf("%-14s%s\n", "commands at", *s->command_endpoint ? s->command_endpoint : "-");
    printf("%-14s%s\n", "telemetry at", *s->telemetry_endpoint ? s->telemetry_endpoint : "-");
    if (*s->command_endpoint_b)
      printf("%-14s%s\n", "network B at", s->command_endpoint_b);
    if (*s->telemetry_endpoint_b)
      printf("%-14s%s\n", "telemetry B", s->telemetry_endpoint_b);
    if (s->silent_s > 3)
      printf("%-14sit has not answered for %.1f s\n", "silent", s->silent_s);
  }
  printf("%-14s%s\n", "cases in", s->folder);
  printf("%-14s%s\n", "logs in", s->log_folder);
  printf("%-14s%" PRIu64 "\n", "started", s->started);
  if (s->last)
    print_last(s->last);
}

void ctl_print_receipt(const struct order *order, const Sagbend__V1__Receipt *receipt) {
  if (receipt->manager && receipt->manager->status) {
    ctl_print_manager(receipt->manager->status);
  } else if (receipt->status) {
    print_status(receipt->status);
    print_faults(receipt);
  } else if (order->kind == ORDER_LIST && receipt->active_count == 0) {
    puts("no fault is active");
  } else if (order->kind == ORDER_LIST) {
    print_faults(receipt);
  } else if (order->kind == ORDER_FAULT || order->kind == ORDER_SNAPSHOT) {
    printf("%s\n", receipt->name);
  }
  if (*receipt->warning)
    printf("warning: %s\n", receipt->warning);
}

// Printing the answer to an order: one JSON object on one line. Its keys are the names of the fields of the
// messages Receipt and Status, or ManagerStatus.

static cJSON *begin(const struct order *order, int is_accepted) {
  cJSON *root = json_begin();
  cJSON_AddStringToObject(root, "order", order_word(order->kind));
  cJSON_AddBoolToObject(root, "accepted", is_accepted);
  return root;
}

enum status ctl_print_receipt_json(const struct order *order, const Sagbend__V1__Receipt *receipt,
                                   struct reason *why) {
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
    return json_put_in_line(root, why);
  }
  int is_list = order->kind == ORDER_STATUS || order->kind == ORDER_LIST;
  json_add_message(root, &receipt->header->base, of_header);
  if (receipt->status)
    json_add_message(root, &receipt->status->base, of_status);
  json_add_message(root, &receipt->base, is_list ? of_list : of_other);
  return json_put_in_line(root, why);
}

void ctl_print_failure_json(const struct order *order, const struct reason *why) {
  cJSON *root = begin(order, 0);
  cJSON_AddStringToObject(root, "reason", why->text);
  struct reason unprinted;
  json_put_in_line(root, &unprinted); // the reason is on stderr either way
}
