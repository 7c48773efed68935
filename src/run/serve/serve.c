// sagbend serve: the session manager and its socket.
#define _GNU_SOURCE // realpath
#include "run/serve/serve_internal.h"

#include "net/case/case.h"
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "run/serve/serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- the manager ----

// The session manager without its socket: what it does with orders, and how it watches the session's process.

struct manager {
  const struct serve_options *options;
  char settings[2][4200];              // overrides of a session: the keys by absolute path
  struct server_keys *keys;            // NULL: peers need none
  struct client_keys *own;             // for asking the sessions; NULL: they cannot be asked
  char folder[4096], log_folder[4096]; // real paths
  char loaded[WIRE_FILE_NAME];         // name of the case; "": none
  char path[4096];                     // of its file
  int has_sockets;                     // the mode of the case opens some
  uint64_t started;

  struct child child;
  const char *stopped_by; // why the session is to end: "an operator", ...; NULL: it is not
  uint64_t stopped_ns;    // when that began
  int is_killed;          // 1: the child has received SIGKILL
  int is_hung;            // 1: killed because it did not answer

  struct operator_line *probe; // to the session; NULL: none
  int is_asked;                // an answer is awaited
  uint64_t asked_ns, answered_ns;

  struct wire_session_end last;
  int has_last;
  uint64_t last_ns;
};

static double seconds_since(uint64_t moment_ns) {
  return 1e-9 * (double)(os_now_ns() - moment_ns);
}

static enum status find_folder(const char *path, char out[4096], struct reason *why) {
  char real[4096];
  struct stat found;
  if (!realpath(path, real) || stat(real, &found) < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
  if (!S_ISDIR(found.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s: a folder expected", path);
  snprintf(out, 4096, "%s", real);
  return STATUS_OK;
}

// STATUS_BAD_INPUT: a folder is missing.
static enum status manager_open(struct manager *manager, const struct serve_options *options,
                                struct reason *why) {
  char logs[4096];
  memset(manager, 0, sizeof *manager);
  manager->options = options;
  manager->child.output = -1;
  enum status status = find_folder(options->folder, manager->folder, why);
  if (status != STATUS_OK)
    return status;
  if (options->log_folder)
    snprintf(logs, sizeof logs, "%s", options->log_folder);
  else if (snprintf(logs, sizeof logs, "%s/logs", manager->folder) >= (int)sizeof logs)
    return fail(why, STATUS_BAD_INPUT, "%s: its path is too long", options->folder);
  if (mkdir(logs, 0777) < 0 && errno != EEXIST)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", logs, strerror(errno));
  return find_folder(logs, manager->log_folder, why);
}

static enum status name_file(char *out, size_t size, const char *key, const char *path, struct reason *why) {
  char real[4096];
  if (!realpath(path, real))
    return fail(why, STATUS_BAD_INPUT, "%s: %s", path, strerror(errno));
  return snprintf(out, size, "%s=%s", key, real) < (int)size
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", path);
}

// Reads the files of the options. STATUS_BAD_INPUT: one is missing or not valid.
static enum status manager_read_keys(struct manager *m, struct reason *why) {
  const struct serve_options *o = m->options;
  if (!o->server_key != !o->admitted_keys || (o->own_key && !o->server_key))
    return fail(why, STATUS_BAD_INPUT,
                "--server-key and --admitted-keys need each other, and --key needs both");
  if (!o->server_key)
    return STATUS_OK;
  m->keys = calloc(1, sizeof *m->keys);
  m->own = o->own_key ? calloc(1, sizeof *m->own) : NULL;
  if (!m->keys || (o->own_key && !m->own))
    return fail(why, STATUS_NO_MEMORY, "out of memory for the keys");
  enum status status = server_keys_read(o->server_key, o->admitted_keys, m->keys, why);
  if (status == STATUS_OK && m->own) {
    status = peer_secret_read(o->own_key, &m->own->own, why);
    memcpy(m->own->server, m->keys->own.key.bytes, sizeof m->own->server);
  }
  if (status == STATUS_OK && m->own && m->own->own.key.role != ROLE_OPERATOR)
    status = fail(why, STATUS_BAD_INPUT, "%s: the key of an operator expected", o->own_key);
  if (status == STATUS_OK)
    status = name_file(m->settings[0], sizeof m->settings[0], "network.server_key", o->server_key, why);
  if (status == STATUS_OK)
    status = name_file(m->settings[1], sizeof m->settings[1], "network.admitted_keys", o->admitted_keys, why);
  return status;
}

static void forget_keys(struct manager *m) {
  if (m->keys)
    peer_secret_forget(&m->keys->own);
  if (m->own)
    peer_secret_forget(&m->own->own);
  free(m->keys);
  free(m->own);
}

// Kills a session that still runs. Does not report it.
static void manager_close(struct manager *manager) {
  int wait_status;
  child_signal(&manager->child, SIGKILL);
  while (manager->child.process.id && !child_has_ended(&manager->child, &wait_status))
    os_sleep_until_ns(os_now_ns() + 10000000);
  operator_line_close(manager->probe);
  manager->probe = NULL;
  forget_keys(manager);
}

static enum manager_state state_of(const struct manager *m) {
  if (!m->child.process.id)
    return *m->loaded ? MANAGER_LOADED : MANAGER_EMPTY;
  if (m->stopped_by)
    return MANAGER_ENDING;
  return *m->child.ready.session ? MANAGER_RUNNING : MANAGER_STARTING;
}

static void fill_status(const struct manager *m, struct wire_manager_status *out) {
  out->state = state_of(m);
  snprintf(out->case_name, sizeof out->case_name, "%s", m->loaded);
  wire_clean_text(out->folder, sizeof out->folder, m->folder);
  wire_clean_text(out->log_folder, sizeof out->log_folder, m->log_folder);
  out->started = m->started;
  out->has_last = m->has_last;
  if (m->has_last) {
    out->last = m->last;
    out->last.ended_s_ago = seconds_since(m->last_ns);
  }
  if (!m->child.process.id)
    return;
  out->process = (uint64_t)m->child.process.id;
  snprintf(out->command_endpoint, sizeof out->command_endpoint, "%s", m->child.ready.commands);
  snprintf(out->telemetry_endpoint, sizeof out->telemetry_endpoint, "%s", m->child.ready.telemetry);
  snprintf(out->command_endpoint_b, sizeof out->command_endpoint_b, "%s", m->child.ready.commands_b);
  snprintf(out->telemetry_endpoint_b, sizeof out->telemetry_endpoint_b, "%s", m->child.ready.telemetry_b);
  snprintf(out->session, sizeof out->session, "%s", m->child.ready.session);
  out->running_s = seconds_since(m->child.started_ns);
  if (m->is_asked)
    out->silent_s = seconds_since(m->answered_ns);
}

static enum status load(struct manager *m, const struct order *order, struct wire_manager *out,
                        struct reason *why) {
  const char *given = order->manager.name;
  char path[sizeof m->path], name[WIRE_FILE_NAME];
  size_t length = strlen(given), end = strlen(".yaml");
  int whole = length > end && strcmp(given + length - end, ".yaml") == 0; // a file's name instead of a case's
  snprintf(name, sizeof name, "%.*s", (int)(length - (whole ? end : 0)), given);
  if (m->child.process.id)
    return fail(why, STATUS_BAD_INPUT, "a session of %s runs: stop it first", m->loaded);
  int has_sockets;
  (void)out;
  enum status status = cases_find(m->folder, name, path, sizeof path, &has_sockets, why);
  if (status != STATUS_OK)
    return STATUS_BAD_INPUT;
  m->has_sockets = has_sockets;
  memcpy(m->path, path, sizeof path);
  snprintf(m->loaded, sizeof m->loaded, "%s", name);
  return STATUS_OK;
}

static enum status start(struct manager *m, const struct order *order, struct wire_manager *out,
                         struct reason *why) {
  const struct serve_options *o = m->options;
  char *arguments[24];
  int n = 0;
  (void)order;
  (void)out;
  if (m->child.process.id)
    return fail(why, STATUS_BAD_INPUT, "a session of %s runs already; one runs at a time", m->loaded);
  if (!*m->loaded)
    return fail(why, STATUS_BAD_INPUT, "no case is loaded");
  // The case may have changed since it was loaded: sagbend run checks it again.
  arguments[n++] = (char *)(uintptr_t)"sagbend";
  arguments[n++] = (char *)(uintptr_t)"run";
  arguments[n++] = m->path;
  arguments[n++] = (char *)(uintptr_t)"--end-with-parent";
  arguments[n++] = (char *)(uintptr_t)"--ready-fd";
  arguments[n++] = (char *)(uintptr_t)PROCESS_VOICE_TEXT;
  arguments[n++] = (char *)(uintptr_t)"--log-dir";
  arguments[n++] = m->log_folder;
  const char *const bound[][2] = {{"--bind-command", o->command_endpoint},
                                  {"--bind-telemetry", o->telemetry_endpoint},
                                  {"--bind-command-b", o->command_endpoint_b},
                                  {"--bind-telemetry-b", o->telemetry_endpoint_b}};
  for (size_t i = 0; i < sizeof bound / sizeof *bound && m->has_sockets; i++)
    for (int k = 0; k < 2 && bound[i][1]; k++)
      arguments[n++] = (char *)(uintptr_t)bound[i][k];
  for (int i = 0; i < 2 && m->keys && m->has_sockets; i++) {
    arguments[n++] = (char *)(uintptr_t)"--set";
    arguments[n++] = m->settings[i];
  }
  arguments[n] = NULL;
  enum status status = child_start(&m->child, arguments, why);
  if (status != STATUS_OK)
    return STATUS_BAD_INPUT;
  m->started++;
  m->stopped_by = NULL;
  m->is_killed = m->is_hung = m->is_asked = 0;
  return STATUS_OK;
}

// Begins to end the session, if one runs. who: for people. Again: kills it.
static void manager_stop(struct manager *m, const char *who) {
  if (!m->child.process.id)
    return;
  if (m->stopped_by && !m->is_killed) {
    child_signal(&m->child, SIGKILL);
    m->is_killed = 1;
  }
  if (m->stopped_by)
    return;
  m->stopped_by = who;
  m->stopped_ns = os_now_ns();
  child_signal(&m->child, SIGTERM);
  child_signal(&m->child, SIGCONT); // a suspended one would not notice
}

static enum status list_cases(struct manager *m, const struct order *order, struct wire_manager *out,
                              struct reason *why) {
  return cases_list(m->folder, order->manager.first, out, why);
}

static enum status list_logs(struct manager *m, const struct order *order, struct wire_manager *out,
                             struct reason *why) {
  return logs_list(m->log_folder, order->manager.first, m->child.process.id ? m->child.ready.session : "",
                   out, why);
}

static enum status fetch_log(struct manager *m, const struct order *order, struct wire_manager *out,
                             struct reason *why) {
  return logs_piece(m->log_folder, &order->manager, out, why);
}

static enum status give_status(struct manager *m, const struct order *order, struct wire_manager *out,
                               struct reason *why) {
  (void)m;
  (void)order;
  (void)out;
  (void)why;
  return STATUS_OK; // every receipt that is no list has it
}

static enum status stop(struct manager *m, const struct order *order, struct wire_manager *out,
                        struct reason *why) {
  (void)order;
  (void)out;
  if (!m->child.process.id)
    return fail(why, STATUS_BAD_INPUT, "no session runs");
  manager_stop(m, "an operator");
  return STATUS_OK;
}

// The orders that ORDER_TABLE gives to a manager, and two of a session that it takes, too.
static enum status act(struct manager *m, const struct order *order, struct wire_manager *out,
                       struct reason *why) {
  typedef enum status act(struct manager * m, const struct order *order, struct wire_manager *out,
                          struct reason *why);
#define TAKEN_LOOP(act)                             NULL
#define TAKEN_RUN(act)                              NULL
#define TAKEN_GATE(act)                             NULL
#define TAKEN_ASK(act)                              NULL
#define TAKEN_MANAGER(act)                          act
#define ROW(ID, word, number, payload, effect, ...) [ORDER_##ID] = TAKEN_##effect,
  static act *const acts[] = {ORDER_TABLE(ROW)};
#undef ROW
  act *const taken = order->kind == ORDER_STATUS ? give_status
                     : order->kind == ORDER_STOP ? stop
                                                 : acts[order->kind];
  out->kind = MANAGER_STATUS;
  return taken ? taken(m, order, out, why)
               : fail(why, STATUS_BAD_INPUT,
                      "a session manager answers here, to cases, load, start, stop, status, logs and fetch; "
                      "its status names the endpoint of the session");
}

static void report_order(const struct order *order) {
  char text[ORDER_SAID];
  order_text(order, NULL, text);
  if (order->kind == ORDER_LOAD || order->kind == ORDER_START || order->kind == ORDER_STOP)
    fprintf(stderr, "sagbend serve: %s: %s\n", order_giver(order), text);
}

// As take_wire_order (net/server/server.h); context is the manager.
static enum status manager_take_order(void *context, const struct order *order, struct wire_receipt *receipt,
                                      struct reason *why) {
  struct manager *m = context;
  enum status status = act(m, order, &receipt->manager, why);
  if (status == STATUS_OK)
    report_order(order);
  if (status == STATUS_OK && receipt->manager.kind == MANAGER_STATUS)
    fill_status(m, &receipt->manager.as.status);
  return status;
}

// ------------------------------------------------------------
// Watching the session's process.

static const uint64_t ASK_EVERY_NS = 1000000000;

// Asks the session for its active faults about once a second; its main thread answers in every state. In fast
// mode there is nobody to ask.
static void ask(struct manager *m) {
  static const struct order question = {.kind = ORDER_LIST, .operator_name = "sagbend serve"};
  Sagbend__V1__Receipt *receipt = NULL;
  if (!*m->child.ready.session || !*m->child.ready.commands || (m->keys && !m->own))
    return;
  if (!m->probe && operator_line_open(m->child.ready.commands, m->own, &m->probe, NULL) != STATUS_OK)
    return;
  if (m->is_asked && operator_line_take(m->probe, 0, &receipt, NULL) == OPERATOR_RECEIPT)
    m->answered_ns = os_now_ns();
  wire_free_receipt(receipt);
  if (m->is_asked && os_now_ns() - m->asked_ns < ASK_EVERY_NS)
    return;
  if (!m->is_asked)
    m->answered_ns = os_now_ns();
  m->is_asked = 1;
  m->asked_ns = os_now_ns();
  operator_line_send(m->probe, &question, NULL);
}

static void kill_it(struct manager *m, const char *why) {
  fprintf(stderr, "sagbend serve: the session %s: killed\n", why);
  child_signal(&m->child, SIGKILL);
  m->is_killed = 1;
}

static void check_times(struct manager *m) {
  const struct serve_options *o = m->options;
  if (m->is_killed)
    return;
  if (m->stopped_by && seconds_since(m->stopped_ns) > o->grace_s)
    kill_it(m, "does not end");
  else if (m->is_asked && o->hang_limit_s > 0 && seconds_since(m->answered_ns) > o->hang_limit_s) {
    m->is_hung = 1;
    kill_it(m, "does not answer");
  }
}

static void describe_end(const struct manager *m, struct wire_session_end *end) {
  size_t size = sizeof end->text;
  if (m->is_hung)
    snprintf(end->text, size, "it did not answer for %g s and was killed", m->options->hang_limit_s);
  else if (m->is_killed)
    snprintf(end->text, size, "it did not end within %g s after %s stopped it, and was killed",
             seconds_since(m->stopped_ns), m->stopped_by ? m->stopped_by : "");
  else if (end->signal)
    snprintf(end->text, size, "it was ended by signal %u (%s)", (unsigned)end->signal,
             strsignal((int)end->signal));
  else if (m->stopped_by)
    snprintf(end->text, size, "%s stopped it; exit status %u", m->stopped_by, (unsigned)end->exit_status);
  else
    snprintf(end->text, size, "it ended by itself with exit status %u", (unsigned)end->exit_status);
}

static void take_end(struct manager *m, int wait_status) {
  struct wire_session_end *end = &m->last;
  memset(end, 0, sizeof *end);
  memcpy(end->case_name, m->loaded, sizeof end->case_name);
  if (WIFSIGNALED(wait_status))
    end->signal = (uint32_t)WTERMSIG(wait_status);
  else
    end->exit_status = (uint32_t)WEXITSTATUS(wait_status);
  describe_end(m, end);
  end->line_count = m->child.line_count;
  memcpy(end->line, m->child.line, sizeof end->line);
  fprintf(stderr, "sagbend serve: the session of %s has ended: %s\n", m->loaded, end->text);
  m->has_last = 1;
  m->last_ns = os_now_ns();
  m->stopped_by = NULL;
  operator_line_close(m->probe);
  m->probe = NULL;
}

// Once in a while: reads what the session prints, asks whether it lives, notices its end, kills it when its
// time is over.
static void manager_watch(struct manager *m) {
  int wait_status;
  if (!m->child.process.id)
    return;
  child_read(&m->child);
  if (child_has_ended(&m->child, &wait_status)) {
    take_end(m, wait_status);
    return;
  }
  ask(m);
  check_times(m);
}

// ---- the command ----

enum { TICK_MS = 100 };

static enum status make_id(char out[WIRE_NAME], struct reason *why) {
  uint64_t number;
  enum status status = os_random(&number, sizeof number, why);
  snprintf(out, WIRE_NAME, "manager-%016" PRIx64, status == STATUS_OK ? number : 0);
  return status;
}

static void print_event(const char *name, const char *text) {
  fprintf(stderr, "sagbend serve: %s: %s\n", name, text);
}

// Serves until a signal has come and no session runs any more. A second signal kills the session.
static enum status serve_orders(struct manager *manager, struct order_server *server, struct reason *why) {
  enum status status = STATUS_OK;
  int ending = 0, is_killed = 0;
  while (status == STATUS_OK && !(ending && !manager->child.process.id)) {
    status = order_server_poll(server, TICK_MS, manager->child.output, manager_take_order, manager, why);
    if (os_stop_requested()) {
      ending = 1;
      manager_stop(manager, "the end of the manager");
    }
    manager_watch(manager);
    is_killed = ending && manager->is_killed;
    if (ending && manager->child.process.id && !manager->stopped_by) // an order started it meanwhile
      manager_stop(manager, "the end of the manager");
  }
  if (status == STATUS_OK && is_killed)
    status = fail(why, STATUS_IO, "the last session was killed");
  return status;
}

enum status serve(const struct serve_options *options, struct reason *why) {
  char id[WIRE_NAME];
  struct order_server *server = NULL;
  struct manager *manager = malloc(sizeof *manager);
  if (!manager)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the manager");
  os_block_stop_signals();
  os_lead_processes();
  enum status status = manager_open(manager, options, why);
  if (status == STATUS_OK)
    status = client_load(why); // it asks its sessions whether they answer
  if (status == STATUS_OK)
    status = manager_read_keys(manager, why);
  if (status == STATUS_OK)
    status = make_id(id, why);
  if (status == STATUS_OK)
    status = order_server_open(options->endpoint, id, manager->keys, &server, why);
  if (status == STATUS_OK) {
    fprintf(stderr, "sagbend serve: orders at %s\n", order_server_endpoint(server));
    fprintf(stderr, "sagbend serve: cases of %s, logs in %s\n", manager->folder, manager->log_folder);
    order_server_on_event(server, print_event);
    status = serve_orders(manager, server, why);
  }
  order_server_close(server);
  manager_close(manager);
  free(manager);
  return status;
}

// ------------------------------------------------------------
static const struct option_row OPTIONS[] = {
    {"bind-command", "ENDPOINT",
     "Endpoint at which the manager takes orders. Default: tcp://127.0.0.1:47702.",
     TEXT(struct serve_options, endpoint)},
    {"log-dir", "DIR", "Folder of the session logs. Default: logs in the folder of the cases.",
     TEXT(struct serve_options, log_folder)},
    {"session-command", "ENDPOINT",
     "Endpoint to which the controllers of each session connect. Default: as its case says.",
     TEXT(struct serve_options, command_endpoint)},
    {"session-telemetry", "ENDPOINT", "Endpoint of the telemetry of each session. Default: as its case says.",
     TEXT(struct serve_options, telemetry_endpoint)},
    {"session-command-b", "ENDPOINT",
     "Endpoint of network B to which the controllers of each session connect as well. Default: as its case "
     "says.",
     TEXT(struct serve_options, command_endpoint_b)},
    {"session-telemetry-b", "ENDPOINT",
     "Endpoint of the telemetry of each session by network B. Default: as its case says.",
     TEXT(struct serve_options, telemetry_endpoint_b)},
    {"server-key", "FILE",
     "Secret key of the server ('sagbend keygen --role server FILE'): the manager and its sessions admit "
     "only clients with a key of the list, and may then listen on any interface.",
     TEXT(struct serve_options, server_key)},
    {"admitted-keys", "FILE",
     "List of the admitted keys, with --server-key. The manager takes orders from operators.",
     TEXT(struct serve_options, admitted_keys)},
    {"key", "FILE",
     "Secret key of an operator in that list, by which the manager asks its sessions whether they answer.",
     TEXT(struct serve_options, own_key)},
    {"grace", "S", "Time in seconds until a session that is stopped and does not end is killed. Default: 20.",
     SECONDS(struct serve_options, grace_s)},
    {"hang-limit", "S",
     "Kill a session that does not answer the manager for this many seconds. Default: never; the status "
     "states the silence.",
     SECONDS(struct serve_options, hang_limit_s)},
    HELP_OPTION,
};

const struct cli_command serve_command = {
    .name = "serve",
    .arguments = "DIR",
    .purpose = "Manage sessions for a laboratory: offer the cases of a folder, run one at a time in a "
               "process of its own, hand out the logs. 'sagbend ctl' gives the orders.",
    .example = "sagbend serve cases --log-dir logs",
    .statuses = "0 ended by a signal; 1 the socket failed, or the last session had to be killed; 2 wrong "
                "usage, or a folder or endpoint that cannot be used",
    .options = OPTIONS,
    .size = sizeof(struct serve_options),
    .words = {WORD(FILE_WORD, struct serve_options, folder)},
};
