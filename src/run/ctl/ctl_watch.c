#define _DEFAULT_SOURCE // struct winsize

#include "net/server/server.h"
#include "net/zmtp/zmtp.h"
#include "os/process/process.h"
#include "run/ctl/ctl.h"
#include "run/ctl/ctl_internal.h"

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
  static const char *const topics[] = {"sensors", "truth", "timing", "status", "event", "end", NULL};
  telemetry_reader_close(w->reader);
  snprintf(w->telemetry, sizeof w->telemetry, "%s", endpoint);
  return telemetry_reader_open(w->telemetry, topics, w->keys, &w->reader, why);
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
