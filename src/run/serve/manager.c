#define _DEFAULT_SOURCE // realpath
#include "run/serve/serve_internal.h"

#include "os/process/process.h"
#include "run/serve/cases.h"
#include "run/serve/logs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

enum status manager_open(struct manager *manager, const struct serve_options *options, struct reason *why) {
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

enum status manager_read_keys(struct manager *m, struct reason *why) {
  const struct serve_options *o = m->options;
  if (!o->server_key != !o->admitted_keys || (o->own_key && !o->server_key))
    return fail(why, STATUS_BAD_INPUT,
                "--server-key and --admitted-keys expected, both or none, and --key only with "
                "them");
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

void manager_close(struct manager *manager) {
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
  if (o->command_endpoint && m->has_sockets) {
    arguments[n++] = (char *)(uintptr_t)"--bind-command";
    arguments[n++] = (char *)(uintptr_t)o->command_endpoint;
  }
  if (o->telemetry_endpoint && m->has_sockets) {
    arguments[n++] = (char *)(uintptr_t)"--bind-telemetry";
    arguments[n++] = (char *)(uintptr_t)o->telemetry_endpoint;
  }
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

void manager_stop(struct manager *m, const char *who) {
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

static void report(const struct order *order) {
  char text[ORDER_SAID];
  order_text(order, NULL, text);
  if (order->kind == ORDER_LOAD || order->kind == ORDER_START || order->kind == ORDER_STOP)
    fprintf(stderr, "sagbend serve: %s: %s\n", order_giver(order), text);
}

enum status manager_take_order(void *context, const struct order *order, struct wire_receipt *receipt,
                               struct reason *why) {
  struct manager *m = context;
  enum status status = act(m, order, &receipt->manager, why);
  if (status == STATUS_OK)
    report(order);
  if (status == STATUS_OK && receipt->manager.kind == MANAGER_STATUS)
    fill_status(m, &receipt->manager.as.status);
  return status;
}
