// Orders in words: a row of PAYLOAD_TABLE (sagbend/orders/orders.h) names the function words_...
#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/engine/engine_internal.h"

#include "sagbend/pipeline/pipeline.h"
#include "sagbend/yaml/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum status order_words_error(struct reason *why, const char *what, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend ctl --help'", what, found);
}

// Of options and orders: the nearest of a list, and where the list stands.
static enum status refuse_unknown(struct reason *why, const char *what, const char *word,
                                  const struct nearest *nearest) {
  return fail(why, STATUS_BAD_INPUT, "unknown %s '%.64s'%s; see 'sagbend ctl --help'", what, word,
              nearest_hint(nearest).text);
}

static enum status take_text(char *out, size_t size, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(out, size, "%s", text) < size;
  return fits && *text ? STATUS_OK
                       : order_words_error(why, "a name of 1 to 23 characters expected, got", text);
}

static enum status refuse_fault_option(const char *option, struct reason *why) {
  struct nearest nearest = nearest_to(option + 2);
  for (int i = 0; i < PARAMETER_COUNT; i++)
    nearest_try(&nearest, fault_parameter_def((enum fault_parameter_id)i)->name);
  static const char *const others[] = {"target", "name", "for"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    nearest_try(&nearest, others[i]);
  return refuse_unknown(why, "option", option, &nearest);
}

static enum status take_parameter(struct fault_request *request, const char *option, const char *value,
                                  struct reason *why) {
  struct fault_parameter_given *p = &request->parameter[request->parameter_count];
  if (request->parameter_count == FAULT_PARAMETERS + 1)
    return order_words_error(why, "too many parameters, the last one is", option);
  if (fault_parameter_find(option + 2) < 0)
    return refuse_fault_option(option, why);

  request->parameter_count++;
  snprintf(p->name, sizeof p->name, "%s", option + 2);
  p->is_text = !is_number(value, &p->number);
  return p->is_text ? take_text(p->text, sizeof p->text, value, why) : STATUS_OK;
}

static enum status take_duration(struct order *order, const char *value, struct reason *why) {
  if (is_number(value, &order->duration_s) && order->duration_s > 0)
    return STATUS_OK;
  return order_words_error(why, "a number of seconds above 0 expected, got", value);
}

static enum status take_fault_option(struct order *order, const char *option, const char *value,
                                     struct reason *why) {
  if (!strcmp(option, "--target"))
    return take_text(order->request.target, sizeof order->request.target, value, why);
  if (!strcmp(option, "--name"))
    return take_text(order->name, sizeof order->name, value, why);
  if (!strcmp(option, "--for"))
    return take_duration(order, value, why);
  return take_parameter(&order->request, option, value, why);
}

static enum status take_setpoint_option(struct order *order, const char *option, const char *value,
                                        struct reason *why) {
  static const char *const names[3] = {"--north", "--east", "--heading-deg"};
  static const double unit[3] = {1, 1, 3.14159265358979323846 / 180}, limit[3] = {1e6, 1e6, 400};
  for (int i = 0; i < 3; i++) {
    if (strcmp(option, names[i]) != 0)
      continue;
    if (order->setpoint.given[i])
      return order_words_error(why, "given twice:", option);
    if (!is_number(value, &order->setpoint.value[i]))
      return order_words_error(why, "a number expected, got", value);
    if (!(fabs(order->setpoint.value[i]) <= limit[i]))
      return fail(why, STATUS_BAD_INPUT, "%s: a number from %g to %g expected, got '%.40s'", names[i],
                  -limit[i], limit[i], value);
    order->setpoint.value[i] *= unit[i];
    order->setpoint.given[i] = 1;
    return STATUS_OK;
  }
  struct nearest nearest = nearest_to(option);
  for (int i = 0; i < 3; i++)
    nearest_try(&nearest, names[i]);
  return refuse_unknown(why, "option", option, &nearest);
}

// Reads pairs of option and value.
static enum status take_options(struct order *order, int argc, char **argv,
                                enum status (*take)(struct order *order, const char *option,
                                                    const char *value, struct reason *why),
                                struct reason *why) {
  for (int i = 0; i < argc; i += 2) {
    if (strncmp(argv[i], "--", 2) != 0)
      return order_words_error(why, "an option expected, got", argv[i]);
    if (i + 1 == argc)
      return order_words_error(why, "a value is missing after", argv[i]);
    enum status status = take(order, argv[i], argv[i + 1], why);
    if (status != STATUS_OK)
      return status;
  }
  return STATUS_OK;
}

static enum status words_nothing(struct order *order, int argc, char **argv, struct reason *why) {
  (void)order;
  return argc == 0 ? STATUS_OK : order_words_error(why, "unexpected argument", argv[0]);
}

static enum status words_name(struct order *order, int argc, char **argv, struct reason *why) {
  if (argc == 0)
    return order_words_error(why, "a name is missing after", order_word(order->kind));
  if (argc > 1)
    return order_words_error(why, "unexpected argument", argv[1]);
  return take_text(order->name, sizeof order->name, argv[0], why);
}

static enum status words_fault(struct order *order, int argc, char **argv, struct reason *why) {
  if (argc == 0)
    return order_words_error(why, "a kind of fault is missing after", order_word(order->kind));
  enum status status = take_text(order->request.kind, sizeof order->request.kind, argv[0], why);
  return status == STATUS_OK ? take_options(order, argc - 1, argv + 1, take_fault_option, why) : status;
}

static enum status words_setpoint(struct order *order, int argc, char **argv, struct reason *why) {
  char *pairs[2 * 3 + 1]; // room for one pair more than allowed, which is an error
  int count = 0;
  for (int i = 0; i < argc; i++) {
    const int is_far = !strcmp(argv[i], "--far") && count % 2 == 0;
    if (is_far && order->setpoint.is_far)
      return order_words_error(why, "given twice:", argv[i]);
    order->setpoint.is_far |= is_far;
    if (!is_far && count < (int)(sizeof pairs / sizeof *pairs))
      pairs[count++] = argv[i];
  }
  if (count == 0)
    return order_words_error(why, "--north, --east or --heading-deg is missing after",
                             order_word(order->kind));
  return take_options(order, count, pairs, take_setpoint_option, why);
}

static enum status words_rate(struct order *order, int argc, char **argv, struct reason *why) {
  if (argc != 1 || !is_number(argv[0], &order->rate))
    return order_words_error(why, "rate: one number expected, got", argc ? argv[argc - 1] : "");
  return STATUS_OK;
}

// brake, release; tension N; speed V.
static enum status words_tensioner(struct order *order, int argc, char **argv, struct reason *why) {
  static const char expected[] = "tensioner: brake, tension N, speed MPS or release expected, got";
  struct tensioner_setpoint *to = &order->tensioner;
  const char *word = argc > 0 ? argv[0] : "";
  const int is_number_given = argc == 2;
  to->given = strcmp(word, "release") != 0;
  if (argc == 1 && (!to->given || !strcmp(word, "brake")))
    return STATUS_OK;
  const int is_known = !strcmp(word, "tension") || !strcmp(word, "speed");
  if (is_known && argc == 1)
    return order_words_error(why, "a number, in N or m/s, is missing after tensioner", word);
  if (!is_number_given || !is_known)
    return order_words_error(why, expected, argc ? argv[argc - 1] : "");
  to->mode = !strcmp(word, "tension") ? TENSIONER_TENSION : TENSIONER_SPEED;
  double *value = to->mode == TENSIONER_TENSION ? &to->tension_n : &to->speed_mps;
  return is_number(argv[1], value) && isfinite(*value)
             ? STATUS_OK
             : order_words_error(why, "a number expected, got", argv[1]);
}

// stop, go; speed V.
static enum status words_track(struct order *order, int argc, char **argv, struct reason *why) {
  struct track_order *to = &order->track;
  const char *word = argc > 0 ? argv[0] : "";
  if (argc == 1 && (!strcmp(word, "stop") || !strcmp(word, "go"))) {
    to->kind = !strcmp(word, "stop") ? TRACK_ORDER_STOP : TRACK_ORDER_GO;
    return STATUS_OK;
  }
  if (argc != 2 || strcmp(word, "speed") != 0)
    return order_words_error(why, "track: stop, go or speed MPS expected, got", argc ? argv[argc - 1] : "");
  to->kind = TRACK_ORDER_SPEED;
  return is_number(argv[1], &to->speed_mps) && isfinite(to->speed_mps)
             ? STATUS_OK
             : order_words_error(why, "a number expected, got", argv[1]);
}

static enum status words_text(struct order *order, int argc, char **argv, struct reason *why) {
  if (argc != 1)
    return fail(why, STATUS_BAD_INPUT, "%s needs one text, in quotation marks; see 'sagbend ctl --help'",
                order_word(order->kind));
  if (snprintf(order->text, sizeof order->text, "%s", argv[0]) >= (int)sizeof order->text)
    return fail(why, STATUS_BAD_INPUT, "text: 1 to %d characters expected, got %zu", ORDER_TEXT - 1,
                strlen(argv[0]));
  return order_check_values(order, why);
}

static enum status take_file_name(struct order *order, const char *text, struct reason *why) {
  int fits = (size_t)snprintf(order->manager.name, sizeof order->manager.name, "%s", text) <
             sizeof order->manager.name;
  return fits && *text ? STATUS_OK : order_words_error(why, "a name expected, got", text);
}

static enum status words_file(struct order *order, int argc, char **argv, struct reason *why) {
  if (argc != 1)
    return order_words_error(why, "the name of one case is missing after", order_word(order->kind));
  return take_file_name(order, argv[0], why);
}

static enum status words_piece(struct order *order, int argc, char **argv, struct reason *why) {
  order->manager.size = 1;
  if (argc != 2)
    return order_words_error(why, "the name of a log and a file to write are missing after",
                             order_word(order->kind));
  return take_file_name(order, argv[0], why);
}

#define words_list words_nothing

static enum status (*const WORDS[])(struct order *order, int argc, char **argv, struct reason *why) = {
#define ROW(ID, carried, checked) [PAYLOAD_##ID] = words_##carried,
    PAYLOAD_TABLE(ROW)
#undef ROW
};

enum status order_read_words(struct order *order, int argc, char **argv, struct reason *why) {
  const struct order_row *row = order_called(argv[0]);
  struct nearest nearest = nearest_to(argv[0]);
  if (row) {
    order->kind = row->kind;
    return WORDS[row->payload](order, argc - 1, argv + 1, why);
  }
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    nearest_try(&nearest, ORDER_ROWS[i].word);
  return refuse_unknown(why, "order", argv[0], &nearest);
}

// ------------------------------------------------------------
// Orders of a caller that is not an operator at a socket.

static enum status read_order(const char *words, struct order *out, struct reason *why) {
  enum { MOST_WORDS_OF_ORDER = 24 };
  char copy[512], *argv[MOST_WORDS_OF_ORDER + 1], *rest = NULL;
  int argc = 0;
  if (snprintf(copy, sizeof copy, "%s", words) >= (int)sizeof copy)
    return fail(why, STATUS_BAD_INPUT, "an order of at most %zu characters expected", sizeof copy - 1);
  for (char *w = strtok_r(copy, " ", &rest); w && argc <= MOST_WORDS_OF_ORDER; w = strtok_r(NULL, " ", &rest))
    argv[argc++] = w;
  if (!argc || argc > MOST_WORDS_OF_ORDER)
    return fail(why, STATUS_BAD_INPUT, "an order of 1 to %d words expected, got %s", MOST_WORDS_OF_ORDER,
                argc ? "more" : "none");
  enum status status = order_read_words(out, argc, argv, why);
  if (status != STATUS_OK)
    return status;
  if (order_row(out->kind)->effect != EFFECT_LOOP)
    return fail(why, STATUS_BAD_INPUT, "%s: an order to the vessel expected, got one to a run", argv[0]);
  return order_check_values(out, why);
}

static enum status check_order(const struct engine *engine, struct order *order, struct reason *why) {
  const struct closed_loop *loop = &engine->loop;
  const struct frame *frame = &loop->frame;
  struct order_rules rules =
      engine_order_rules(&engine->setup->config, loop->command_def.initial_holding_force_b);
  rules.setpoint_order = loop->target.order;
  memcpy(rules.target_n_m, loop->target.position_n_m, sizeof rules.target_n_m);
  const struct orders_present present = {.faults = &frame->faults, .orders_active = frame->orders_active};
  enum status status = order_check(order, &rules, why);
  return status == STATUS_OK ? order_check_present(&present, order, why) : status;
}

enum status engine_read_order(const struct engine *engine, const char *words, struct order *order,
                              struct reason *why) {
  *order = (struct order){.operator_name = "caller"};
  enum status status = read_order(words, order, why);
  order->number = engine->loop.scenario.events.last_order + 1;
  return status == STATUS_OK ? check_order(engine, order, why) : status;
}
