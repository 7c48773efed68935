// `sagbend ctl watch`: messages into the model, the terminal, the simulator.
#define _DEFAULT_SOURCE // struct winsize
#include "net/server/server.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/zmtp/zmtp.h"
#include "os/process/process.h"
#include "run/ctl/ctl.h"
#include "run/ctl/ctl_internal.h"
#include "sagbend/base/base.h"

#include "sagbend/v1/operator.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { DRAW_MS = 250, LINE_MS = 1000, ASK_MS = 1000, TAKE_MS = 50, MESSAGES_PER_TURN = 1000 };

struct watch {
  const struct client_keys *keys;
  struct operator_line *line;    // to the endpoint of the command line
  struct operator_line *session; // to the session, if a session manager answers there; NULL: it does not
  char command[ENDPOINT_TEXT];   // of the session
  int is_telemetry_given;
  struct telemetry_reader *reader;
  char telemetry[ENDPOINT_TEXT];
  struct watch_model model;
  int64_t asked_ms, shown_ms;
  int on_terminal, has_terminal_changed;
  struct termios before;
  int has_no_status;
  char page[WATCH_MAX_PAGE];
};

// ---- messages into the model ----

static void watch_init(struct watch_model *model, const char *endpoint) {
  memset(model, 0, sizeof *model);
  model->endpoint = endpoint;
  model->heard_ms = model->answered_ms = -1;
}

static void release(void *message) {
  if (message)
    protobuf_c_message_free_unpacked(message, NULL);
}

static void watch_end(struct watch_model *model) {
  release(model->sensors);
  release(model->truth);
  release(model->timing);
  release(model->judged);
  release(model->answer);
}

static void copy(char *out, size_t size, const char *text) {
  wire_clean_text(out, size, text ? text : "");
}

static void add_event(struct watch_model *m, double time_s, const char *name, const char *text) {
  if (m->event_count == WATCH_EVENTS)
    memmove(&m->event[0], &m->event[1], (WATCH_EVENTS - 1) * sizeof m->event[0]);
  else
    m->event_count++;
  struct watch_event *event = &m->event[m->event_count - 1];
  event->time_s = time_s;
  copy(event->name, sizeof event->name, name);
  copy(event->text, sizeof event->text, text);
}

static void begin_session(struct watch_model *m, const char *session, double time_s) {
  char before[WIRE_NAME], text[WATCH_TEXT];
  uint64_t lost = m->lost, not_read = m->not_read, sessions = m->sessions;
  int64_t heard_ms = m->heard_ms, answered_ms = m->answered_ms;
  memcpy(before, m->session, sizeof before);
  watch_end(m);
  watch_init(m, m->endpoint);
  m->lost = lost;
  m->not_read = not_read;
  m->sessions = sessions + 1;
  m->heard_ms = heard_ms;
  m->answered_ms = answered_ms;
  copy(m->session, sizeof m->session, session);
  if (*before) {
    snprintf(text, sizeof text, "after %s", before);
    add_event(m, time_s, "new_session", text);
  }
}

static void take_pace(struct watch_model *m, double time_s, int64_t now_ms) {
  if (m->pace_count == WATCH_PACES)
    memmove(&m->pace[0], &m->pace[1], (WATCH_PACES - 1) * sizeof m->pace[0]);
  else
    m->pace_count++;
  m->pace[m->pace_count - 1].time_s = time_s;
  m->pace[m->pace_count - 1].at_ms = now_ms;
}

// The part that every message has: its session, a gap in its numbers, the time.
static void take_header(struct watch_model *m, const Sagbend__V1__Header *h, int topic, int64_t now_ms) {
  if (strcmp(h->session, m->session) != 0)
    begin_session(m, h->session, h->time_s);
  if (m->sequence[topic] && h->sequence > m->sequence[topic] + 1)
    m->lost += h->sequence - m->sequence[topic] - 1;
  m->sequence[topic] = h->sequence;
  if (h->step >= m->step) {
    m->step = h->step;
    m->time_s = h->time_s;
  }
  m->heard_ms = now_ms;
}

static void note_thrust(struct watch_model *m) {
  for (size_t i = 0; i < m->truth->n_thruster; i++)
    m->largest_thrust_n = fmax(m->largest_thrust_n, fabs(m->truth->thruster[i]->thrust_n));
}

// What it shows of the telemetry.
#define WATCHED_TABLE(X)                                                                                     \
  X(SENSORS, sensors) X(TRUTH, truth) X(TIMING, timing) X(STATUS, status) X(EVENT, event) X(END, end)

#define X(id, name) TOPIC_##id,
enum { WATCHED_TABLE(X) TOPIC_COUNT };
#undef X

#define X(id, name) #name,
static const char *const TOPICS[] = {WATCHED_TABLE(X) NULL};
#undef X
#define X(id, name) &sagbend__v1__##name##__descriptor,
static const ProtobufCMessageDescriptor *const DESCRIPTORS[] = {WATCHED_TABLE(X)};
#undef X

// Keeps the message, or releases it.
static void take_content(struct watch_model *m, int topic, void *message, int64_t now_ms) {
  void *old = message; // its type follows from the descriptor
  const Sagbend__V1__Event *event = message;
  const Sagbend__V1__End *end = message;
  switch (topic) {
  case TOPIC_SENSORS:
    old = m->sensors;
    m->sensors = message;
    take_pace(m, m->sensors->header->time_s, now_ms);
    break;
  case TOPIC_TRUTH:
    old = m->truth;
    m->truth = message;
    note_thrust(m);
    break;
  case TOPIC_TIMING:
    old = m->timing;
    m->timing = message;
    break;
  case TOPIC_STATUS:
    old = m->judged;
    m->judged = message;
    break;
  case TOPIC_EVENT:
    add_event(m, event->header->time_s, event->name, event->text);
    break;
  default:
    copy(m->why_ended, sizeof m->why_ended, *end->why ? end->why : "ended");
    add_event(m, end->header->time_s, "end", end->why);
  }
  release(old);
}

// A message of the telemetry. What cannot be read is counted. A message of another session begins with an
// empty model.
static void watch_take_telemetry(struct watch_model *m, int64_t now_ms, const char *topic, const void *data,
                                 size_t size) {
  int which = 0;
  while (which < TOPIC_COUNT && strcmp(topic, TOPICS[which]) != 0)
    which++;
  if (which == TOPIC_COUNT)
    return; // a later version's
  struct wire_error error = {"", ""};
  ProtobufCMessage *message = protobuf_c_message_unpack(DESCRIPTORS[which], NULL, size, data);
  // Each of these types has its header first.
  const Sagbend__V1__Header *header =
      message ? ((const Sagbend__V1__End *)(const void *)message)->header : NULL;
  if (header && header->protocol == WIRE_PROTOCOL && strlen(header->session) < WIRE_NAME &&
      wire_check(message, &error) == WIRE_OK) {
    take_header(m, header, which, now_ms);
    take_content(m, which, message, now_ms);
  } else {
    m->not_read++;
    release(message);
  }
}

// A message of the telemetry. What cannot be read is counted. A message of another session begins with an
// empty model.
// keeps it
static void watch_take_receipt(struct watch_model *m, int64_t now_ms, Sagbend__V1__Receipt *receipt) {
  const Sagbend__V1__Header *header = receipt->header;
  if (*header->session && strcmp(header->session, m->session) != 0)
    begin_session(m, header->session, header->time_s);
  release(m->answer);
  m->answer = receipt;
  m->answered_ms = now_ms;
}

// ---- terminal ----

static void enter_screen(struct watch *w) {
  struct termios changed;
  if (tcgetattr(STDIN_FILENO, &w->before) == 0) {
    changed = w->before;
    changed.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    changed.c_cc[VMIN] = 0;
    changed.c_cc[VTIME] = 0;
    changed.c_cc[VSUSP] = _POSIX_VDISABLE; // a suspended page would leave the terminal as it is
    w->has_terminal_changed = tcsetattr(STDIN_FILENO, TCSANOW, &changed) == 0;
  }
  fputs("\033[?1049h\033[?25l\033[2J", stdout); // the other screen, no cursor
  fflush(stdout);
}

static void leave_screen(const struct watch *w) {
  fputs("\033[?25h\033[?1049l", stdout);
  fflush(stdout);
  if (w->has_terminal_changed)
    tcsetattr(STDIN_FILENO, TCSANOW, &w->before);
}

static int is_quit_pressed(const struct watch *w) {
  char key;
  struct pollfd item = {STDIN_FILENO, POLLIN, 0};
  while (w->has_terminal_changed && poll(&item, 1, 0) > 0 && read(STDIN_FILENO, &key, 1) == 1)
    if (key == 'q' || key == 'Q')
      return 1;
  return 0;
}

static void draw(struct watch *w, int64_t now_ms) {
  struct winsize size = {0};
  int columns = 80, rows = 24;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    columns = size.ws_col;
    rows = size.ws_row;
  }
  watch_page(&w->model, now_ms, columns, rows, w->page);
  fputs("\033[H", stdout);
  for (char *line = w->page, *end; (end = strchr(line, '\n')); line = end + 1)
    printf("%.*s\033[K%s", (int)(end - line), line, end[1] ? "\r\n" : "");
  fputs("\033[J", stdout);
  fflush(stdout);
}

static void print_lines(struct watch *w, int64_t now_ms) {
  char text[512];
  watch_line(&w->model, now_ms, text, sizeof text);
  puts(text);
  fflush(stdout);
}

static void show(struct watch *w, int64_t now_ms) {
  if (now_ms - w->shown_ms < (w->on_terminal ? DRAW_MS : LINE_MS))
    return;
  w->shown_ms = now_ms;
  if (w->on_terminal)
    draw(w, now_ms);
  else
    print_lines(w, now_ms);
}

// ---- simulator ----

// The endpoint of the telemetry from that of the commands: the next port of the same host.
static enum status guess_telemetry(const char *endpoint, char out[ENDPOINT_TEXT], struct reason *why) {
  const char *colon = strrchr(endpoint, ':');
  int port = colon && !strncmp(endpoint, "tcp://", 6) ? endpoint_port(colon + 1) : -1;
  if (port < 1 || port > 65534)
    return fail(why, STATUS_BAD_INPUT, "%s needs --telemetry ENDPOINT", endpoint);
  snprintf(out, ENDPOINT_TEXT, "%.*s:%d", (int)(colon - endpoint), endpoint, port + 1);
  return STATUS_OK;
}

static enum status open_reader(struct watch *w, const char *endpoint, struct reason *why) {
  telemetry_reader_close(w->reader);
  snprintf(w->telemetry, sizeof w->telemetry, "%s", endpoint);
  return telemetry_reader_open(w->telemetry, TOPICS, w->keys, &w->reader, why);
}

// The telemetry that an answer states. All interfaces of its machine: that by which its answers come.
static enum status follow_telemetry(struct watch *w, const char *stated, struct reason *why) {
  static const char any[] = "tcp://0.0.0.0:";
  char endpoint[ENDPOINT_TEXT];
  const char *colon = strrchr(w->command, ':');
  if (w->is_telemetry_given || !*stated)
    return STATUS_OK;
  snprintf(endpoint, sizeof endpoint, "%s", stated);
  if (colon && !strncmp(stated, any, strlen(any)))
    snprintf(endpoint, sizeof endpoint, "%.*s:%s", (int)(colon - w->command), w->command,
             stated + strlen(any));
  return strcmp(endpoint, w->telemetry) ? open_reader(w, endpoint, why) : STATUS_OK;
}

// A session manager has answered: watches its session, the next one as well.
static enum status follow_manager(struct watch *w, const Sagbend__V1__ManagerStatus *manager,
                                  struct reason *why) {
  if (!manager->process || !*manager->command_endpoint || !strcmp(manager->command_endpoint, w->command))
    return STATUS_OK;
  operator_line_close(w->session);
  w->session = NULL;
  w->has_no_status = 0;
  snprintf(w->command, sizeof w->command, "%s", manager->command_endpoint);
  enum status status = operator_line_open(w->command, w->keys, &w->session, why);
  return status == STATUS_OK ? follow_telemetry(w, manager->telemetry_endpoint, why) : status;
}

// An answer of the simulator, which the model keeps, or of a manager.
static enum status take_answer(struct watch *w, Sagbend__V1__Receipt *receipt, int64_t now_ms,
                               struct reason *why) {
  enum status status = STATUS_OK;
  if (!receipt->manager) {
    watch_take_receipt(&w->model, now_ms, receipt);
    return receipt->status ? follow_telemetry(w, receipt->status->telemetry_endpoint, why) : STATUS_OK;
  }
  if (receipt->manager->status)
    status = follow_manager(w, receipt->manager->status, why);
  wire_free_receipt(receipt);
  return status;
}

// Takes the answers that have come over a connection.
static enum status take_answers(struct watch *w, struct operator_line **line, int64_t now_ms,
                                struct reason *why) {
  struct reason cause = {""};
  enum operator_response answer = OPERATOR_WAITS;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && *line) {
    Sagbend__V1__Receipt *receipt = NULL;
    answer = operator_line_take(*line, 0, &receipt, &cause);
    if (answer != OPERATOR_RECEIPT)
      break;
    status = take_answer(w, receipt, now_ms, why);
  }
  if (status == STATUS_OK && answer == OPERATOR_REFUSED && strncmp(cause.text, "refused:", 8) != 0)
    return fail(why, STATUS_IO, "%s", cause.text); // the other end does not take the keys
  w->has_no_status |= status == STATUS_OK && answer == OPERATOR_REFUSED; // it does not know this order
  return status;
}

static enum status ask(struct watch *w, int64_t now_ms, struct reason *why) {
  struct order order = {.kind = ORDER_STATUS};
  enum status status = take_answers(w, &w->line, now_ms, why);
  if (status == STATUS_OK && w->session)
    status = take_answers(w, &w->session, now_ms, why);
  if (status != STATUS_OK)
    return status;
  if (now_ms - w->asked_ms < ASK_MS)
    return STATUS_OK;
  w->asked_ms = now_ms;
  ctl_name_operator(&order);
  if (w->session) // the manager knows this order
    operator_line_send(w->line, &order, NULL);
  if (w->has_no_status)
    order.kind = ORDER_LIST;
  operator_line_send(w->session ? w->session : w->line, &order, NULL);
  return STATUS_OK;
}

static void take_telemetry(struct watch *w) {
  const char *topic;
  size_t size;
  const void *data = telemetry_reader_take(w->reader, TAKE_MS, &topic, &size);
  for (int i = 0; data && i < MESSAGES_PER_TURN; i++) {
    watch_take_telemetry(&w->model, clock_ms(), topic, data, size);
    data = telemetry_reader_take(w->reader, 0, &topic, &size);
  }
}

static enum status watch_until_end(struct watch *w, struct reason *why) {
  enum status status = STATUS_OK;
  while (status == STATUS_OK && !os_stop_requested() && !is_quit_pressed(w) && !ferror(stdout)) {
    status = ask(w, clock_ms(), why);
    take_telemetry(w);
    show(w, clock_ms());
    if (!w->on_terminal && *w->model.why_ended) {
      print_lines(w, clock_ms());
      break;
    }
  }
  return status;
}

enum status ctl_watch(const char *endpoint, const char *telemetry, const struct client_keys *keys,
                      struct reason *why) {
  struct watch *w = calloc(1, sizeof *w);
  if (!w)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  w->keys = keys;
  w->on_terminal = isatty(STDOUT_FILENO);
  enum status status = STATUS_OK;
  w->is_telemetry_given = telemetry != NULL;
  snprintf(w->command, sizeof w->command, "%s", endpoint);
  char guess[ENDPOINT_TEXT];
  if (!telemetry)
    status = guess_telemetry(endpoint, guess, why);
  if (status == STATUS_OK)
    status = operator_line_open(endpoint, keys, &w->line, why);
  if (status == STATUS_OK)
    status = open_reader(w, telemetry ? telemetry : guess, why);
  if (status == STATUS_OK) {
    watch_init(&w->model, w->telemetry);
    w->asked_ms = w->shown_ms = -LINE_MS;
    os_block_stop_signals();
    if (w->on_terminal)
      enter_screen(w);
    status = watch_until_end(w, why);
    if (w->on_terminal)
      leave_screen(w);
  }
  watch_end(&w->model);
  telemetry_reader_close(w->reader);
  operator_line_close(w->session);
  operator_line_close(w->line);
  free(w);
  return status;
}
