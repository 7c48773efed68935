// An FMU of FMI 1.0, 2.0 or 3.0 in a process of its own: loaded, instantiated, initialised, stepped there.
// Whatever it does, the parent sees it as a text and goes on.
#define _GNU_SOURCE // sigabbrev_np, nanosleep
#include "programs/fmu/fmu_program_internal.h"

#include "fmu/fmi.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- FMI 1.0, as far as a controller needs it ----
// Source: Functional Mock-up Interface for Co-Simulation 1.0 (2010), MODELISAR.
struct fmi1_callbacks {
  void (*logger)(void *c, const char *instance, int status, const char *category, const char *message, ...);
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*step_finished)(void *c, int status);
};
#define FMI1_FUNCTIONS(FUNCTION)                                                                             \
  FUNCTION(InstantiateSlave, void *,                                                                         \
           (const char *name, const char *guid, const char *location, const char *mime, double timeout,      \
            char visible, char interactive, struct fmi1_callbacks callbacks, char logging))                  \
  FUNCTION(InitializeSlave, int, (void *c, double start, char has_stop, double stop))                        \
  FUNCTION(DoStep, int, (void *c, double at, double step, char is_new))                                      \
  FUNCTION(TerminateSlave, int, (void *c))                                                                   \
  FUNCTION(FreeSlaveInstance, void, (void *c))                                                               \
  FUNCTION(GetReal, int, (void *c, const uint32_t vr[], size_t n, double value[]))                           \
  FUNCTION(GetInteger, int, (void *c, const uint32_t vr[], size_t n, int value[]))                           \
  FUNCTION(GetBoolean, int, (void *c, const uint32_t vr[], size_t n, char value[]))                          \
  FUNCTION(SetReal, int, (void *c, const uint32_t vr[], size_t n, const double value[]))                     \
  FUNCTION(SetInteger, int, (void *c, const uint32_t vr[], size_t n, const int value[]))                     \
  FUNCTION(SetBoolean, int, (void *c, const uint32_t vr[], size_t n, const char value[]))

#define FMI2_USED(FUNCTION)                                                                                  \
  FUNCTION(Instantiate)                                                                                      \
  FUNCTION(FreeInstance)                                                                                     \
  FUNCTION(SetupExperiment)                                                                                  \
  FUNCTION(EnterInitializationMode)                                                                          \
  FUNCTION(ExitInitializationMode)                                                                           \
  FUNCTION(Terminate)                                                                                        \
  FUNCTION(GetReal)                                                                                          \
  FUNCTION(GetInteger)                                                                                       \
  FUNCTION(GetBoolean) FUNCTION(SetReal) FUNCTION(SetInteger) FUNCTION(SetBoolean) FUNCTION(DoStep)

#define POINTER(name, type, parameters) type(*name) parameters;
struct slave {
  const struct fmu_model *model;
  const struct map *map;
  void *library, *one;
  struct {
    FMI1_FUNCTIONS(POINTER)
  } f1;
  struct {
    FMI2_FUNCTIONS(POINTER)
  } f2;
  struct {
    FMI3_FUNCTIONS(POINTER)
  } f3;
  char newest[FMU_TEXT_SIZE / 2]; // of its log: an error
};
static char *newest_error; // of the one FMU of this process

static void keep(int status, const char *text) {
  if (status >= FMI_DISCARD && newest_error)
    snprintf(newest_error, FMU_TEXT_SIZE / 2, "%s", text);
}

static void log_12(void *c, const char *instance, int status, const char *category, const char *message,
                   ...) {
  char text[FMU_TEXT_SIZE / 2];
  va_list list;
  (void)c, (void)instance, (void)category;
  va_start(list, message);
  vsnprintf(text, sizeof text, message, list);
  va_end(list);
  keep(status, text);
}

static void log_3(void *environment, int status, const char *category, const char *message) {
  (void)environment, (void)category;
  keep(status, message);
}

// ---- Loading ----

static int refuse(const struct slave *s, char why[FMU_TEXT_SIZE], const char *what) {
  snprintf(why, FMU_TEXT_SIZE, "%s%s%s", what, *s->newest ? ": " : "", s->newest);
  return 0;
}

static void *find(struct slave *s, const char *prefix, const char *name, char why[FMU_TEXT_SIZE]) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s%s", prefix, name);
  void *found = dlsym(s->library, whole);
  if (!found)
    snprintf(why, FMU_TEXT_SIZE, "its binary has no function %s", whole);
  return found;
}

static int find_all(struct slave *s, char why[FMU_TEXT_SIZE]) {
  char prefix[160];
  snprintf(prefix, sizeof prefix, "%s_fmi", s->model->identifier);
#define FIND1(name, type, parameters)                                                                        \
  ok = ok && (*(void **)(void *)&s->f1.name = find(s, prefix, #name, why));
#define FIND2(name)                  ok = ok && (*(void **)(void *)&s->f2.name = find(s, "fmi2", #name, why));
#define FIND3(name)                  *(void **)(void *)&s->f3.name = dlsym(s->library, "fmi3" #name);
#define ALL3(name, type, parameters) FIND3(name)
  int ok = 1;
  if (s->model->version == 1) {
    FMI1_FUNCTIONS(FIND1)
  } else if (s->model->version == 2) {
    FMI2_USED(FIND2)
  } else {
    FMI3_FUNCTIONS(ALL3)
    ok =
        find(s, "fmi3", "InstantiateCoSimulation", why) && find(s, "fmi3", "DoStep", why) && s->f3.GetFloat64;
  }
  return ok;
}

static int load(struct slave *s, const char *folder, char why[FMU_TEXT_SIZE]) {
  char path[2 * FMU_PATH];
#if defined(__x86_64__)
  const char *platform = s->model->version == 3 ? "x86_64-linux" : "linux64";
#else
  const char *platform = "aarch64-linux";
#endif
  snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, platform, s->model->identifier);
  FILE *there = fopen(path, "rb");
  if (!there) {
    snprintf(why, FMU_TEXT_SIZE, "it has no binary for this machine: binaries/%s/%s.so expected", platform,
             s->model->identifier);
    return 0;
  }
  fclose(there);
  s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (s->library)
    return find_all(s, why);
  snprintf(why, FMU_TEXT_SIZE, "its binary cannot be loaded: %.400s", dlerror());
  return 0;
}

// ---- Values ----

static int set_3(struct slave *s, const struct model_value *v, double value) {
  const char *e = v->element;
#define SET(name, type)                                                                                      \
  if (!strcmp(e, #name)) {                                                                                   \
    const type one = (type)value;                                                                            \
    return s->f3.Set##name ? s->f3.Set##name(s->one, &v->vr, 1, &one, 1) : FMI_ERROR;                        \
  }
  SET(Float32, float)
  SET(Float64, double)
  SET(Int8, int8_t)
  SET(UInt8, uint8_t)
  SET(Int16, int16_t)
  SET(UInt16, uint16_t)
  SET(Int32, int32_t)
  SET(UInt32, uint32_t)
  SET(Int64, int64_t)
  SET(UInt64, uint64_t)
  const bool flag = value != 0;
  const int64_t whole = (int64_t)value;
  if (v->type == VALUE_BOOLEAN)
    return s->f3.SetBoolean ? s->f3.SetBoolean(s->one, &v->vr, 1, &flag, 1) : FMI_ERROR;
  return s->f3.SetInt64 ? s->f3.SetInt64(s->one, &v->vr, 1, &whole, 1) : FMI_ERROR; // an enumeration
}

static int get_3(struct slave *s, const struct model_value *v, double *value) {
  const char *e = v->element;
#define GET(name, type)                                                                                      \
  if (!strcmp(e, #name)) {                                                                                   \
    type one = 0;                                                                                            \
    const int status = s->f3.Get##name ? s->f3.Get##name(s->one, &v->vr, 1, &one, 1) : FMI_ERROR;            \
    *value = (double)one;                                                                                    \
    return status;                                                                                           \
  }
  GET(Float32, float)
  GET(Float64, double)
  GET(Int8, int8_t)
  GET(UInt8, uint8_t)
  GET(Int16, int16_t)
  GET(UInt16, uint16_t)
  GET(Int32, int32_t)
  GET(UInt32, uint32_t)
  GET(Int64, int64_t)
  GET(UInt64, uint64_t)
  bool flag = false;
  int64_t whole = 0;
  const int status = v->type == VALUE_BOOLEAN ? s->f3.GetBoolean(s->one, &v->vr, 1, &flag, 1)
                                              : s->f3.GetInt64(s->one, &v->vr, 1, &whole, 1);
  *value = v->type == VALUE_BOOLEAN ? flag : (double)whole;
  return status;
}

static int set_value(struct slave *s, const struct model_value *v, double value) {
  const int whole = v->type == VALUE_REAL ? 0 : (int)value;
  const char flag = value != 0;
  if (s->model->version == 3)
    return set_3(s, v, value);
  if (v->type == VALUE_REAL)
    return s->model->version == 1 ? s->f1.SetReal(s->one, &v->vr, 1, &value)
                                  : s->f2.SetReal(s->one, &v->vr, 1, &value);
  if (v->type == VALUE_INTEGER)
    return s->model->version == 1 ? s->f1.SetInteger(s->one, &v->vr, 1, &whole)
                                  : s->f2.SetInteger(s->one, &v->vr, 1, &whole);
  const int truth = value != 0;
  return s->model->version == 1 ? s->f1.SetBoolean(s->one, &v->vr, 1, &flag)
                                : s->f2.SetBoolean(s->one, &v->vr, 1, &truth);
}

static int get_value(struct slave *s, const struct model_value *v, double *value) {
  int whole = 0, status;
  char flag = 0;
  if (s->model->version == 3)
    return get_3(s, v, value);
  if (v->type == VALUE_REAL)
    return s->model->version == 1 ? s->f1.GetReal(s->one, &v->vr, 1, value)
                                  : s->f2.GetReal(s->one, &v->vr, 1, value);
  if (v->type == VALUE_INTEGER)
    status = s->model->version == 1 ? s->f1.GetInteger(s->one, &v->vr, 1, &whole)
                                    : s->f2.GetInteger(s->one, &v->vr, 1, &whole);
  else if (s->model->version == 1) {
    status = s->f1.GetBoolean(s->one, &v->vr, 1, &flag);
    whole = flag != 0;
  } else
    status = s->f2.GetBoolean(s->one, &v->vr, 1, &whole);
  *value = whole;
  return status;
}

// ---- Begin ----

static const struct fmi2_callbacks callbacks2 = {log_12, calloc, free, NULL, NULL};

static int instantiate(struct slave *s, const char *folder) {
  const struct fmi1_callbacks callbacks1 = {log_12, calloc, free, NULL};
  const struct fmu_model *m = s->model;
  char where[2 * FMU_PATH];
  if (m->version == 1) {
    snprintf(where, sizeof where, "file://%s", folder);
    s->one = s->f1.InstantiateSlave("controller", m->token, where, "application/x-fmu-sharedlibrary", 10000,
                                    0, 0, callbacks1, 0);
  } else if (m->version == 2) {
    snprintf(where, sizeof where, "file://%s/resources", folder);
    s->one = s->f2.Instantiate("controller", FMI2_CO_SIMULATION, m->token, where, &callbacks2, 0, 0);
  } else {
    snprintf(where, sizeof where, "%s/resources/", folder);
    s->one = s->f3.InstantiateCoSimulation("controller", m->token, where, false, false, false, false, NULL, 0,
                                           NULL, log_3, NULL);
  }
  return s->one != NULL;
}

static int initialise(struct slave *s, double start_s) {
  if (s->model->version == 1)
    return s->f1.InitializeSlave(s->one, start_s, 0, 0);
  int status = s->model->version == 2 ? s->f2.SetupExperiment(s->one, 0, 0, start_s, 0, 0) : FMI_OK;
  if (status <= FMI_WARNING)
    status = s->model->version == 2 ? s->f2.EnterInitializationMode(s->one)
                                    : s->f3.EnterInitializationMode(s->one, false, 0, start_s, false, 0);
  if (status <= FMI_WARNING)
    status =
        s->model->version == 2 ? s->f2.ExitInitializationMode(s->one) : s->f3.ExitInitializationMode(s->one);
  return status;
}

// In the process that may crash. what: names the call in progress, for the parent. 0: why says what was
// wrong.
static void slave_close(struct slave *s) {
  if (s->one && s->model->version == 1)
    s->f1.FreeSlaveInstance(s->one);
  else if (s->one && s->model->version == 2)
    s->f2.FreeInstance(s->one);
  else if (s->one)
    s->f3.FreeInstance(s->one);
  newest_error = NULL;
  free(s); // the library stays loaded: some have threads that still run
}

// In the process that may crash. what: names the call in progress, for the parent. 0: why says what was
// wrong.
static struct slave *slave_open(const struct fmu_model *model, const char *folder, const struct map *map,
                                double start_s, char why[FMU_TEXT_SIZE]) {
  struct slave *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->model = model;
  s->map = map;
  newest_error = s->newest;
  int ok = load(s, folder, why);
  if (ok && !instantiate(s, folder))
    ok = refuse(s, why, "it cannot be instantiated");
  for (int i = 0; ok && i < map->start_count; i++)
    if (set_value(s, map->start[i].to, map->start[i].value) > FMI_WARNING) {
      snprintf(why, FMU_TEXT_SIZE, "start: %s cannot be set to %g: %s", map->start[i].to->name,
               map->start[i].value, s->newest);
      ok = 0;
    }
  if (ok && initialise(s, start_s) > FMI_WARNING)
    ok = refuse(s, why, "its initialisation has failed");
  if (ok)
    return s;
  slave_close(s);
  return NULL;
}

// ---- Steps ----

static int do_step(struct slave *s, double at_s, double step_s) {
  bool event = false, terminate = false, early = false;
  double last = at_s;
  if (s->model->version == 1)
    return s->f1.DoStep(s->one, at_s, step_s, 1);
  if (s->model->version == 2)
    return s->f2.DoStep(s->one, at_s, step_s, 1);
  const int status = s->f3.DoStep(s->one, at_s, step_s, true, &event, &terminate, &early, &last);
  return status <= FMI_WARNING && terminate ? FMI_DISCARD : status;
}

// In the process that may crash. what: names the call in progress, for the parent. 0: why says what was
// wrong.
static int slave_step(struct slave *s, const double *inputs, double at_s, double step_s, double *outputs,
                      char why[FMU_TEXT_SIZE]) {
  static const char *const words[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
  const struct map *m = s->map;
  for (int i = 0; i < m->input_count; i++)
    if (set_value(s, m->input[i].to, inputs[i]) > FMI_WARNING) {
      snprintf(why, FMU_TEXT_SIZE, "%s cannot be set to %g: %s", m->input[i].to->name, inputs[i], s->newest);
      return 0;
    }
  const int status = do_step(s, at_s, step_s);
  if (status > FMI_WARNING) {
    snprintf(why, FMU_TEXT_SIZE, "its step returns %s%s%s",
             status <= FMI_PENDING ? words[status] : "an unknown status", *s->newest ? ": " : "", s->newest);
    return 0;
  }
  for (int i = 0; i < m->output_count; i++) {
    if (get_value(s, m->output[i].from, &outputs[i]) > FMI_WARNING)
      return refuse(s, why, "an output cannot be read");
    if (!isfinite(outputs[i])) {
      snprintf(why, FMU_TEXT_SIZE, "%s is %g, a finite number expected", m->output[i].from->name, outputs[i]);
      return 0;
    }
  }
  return 1;
}

enum request_kind { BEGIN, STEP };
struct request {
  int kind;
  double at_s, step_s, value[FMU_MOST_VALUES];
};
struct answer {
  int is_done;
  double value[FMU_MOST_VALUES];
  char why[FMU_TEXT_SIZE];
};

// ---- In the child ----

// Each end of the socket is open in one process only, and the child dies with the parent: it never stays
// behind.
static void serve(int socket, const struct fmu_model *model, const char *folder, const struct map *map) {
  static struct request request;
  static struct answer answer;
  struct slave *slave = NULL;
  while (recv(socket, &request, sizeof request, 0) == sizeof request) {
    memset(&answer, 0, sizeof answer);
    if (request.kind == BEGIN) {
      slave = slave_open(model, folder, map, request.at_s, answer.why);
      answer.is_done = slave != NULL;
    } else if (slave)
      answer.is_done =
          slave_step(slave, request.value, request.at_s, request.step_s, answer.value, answer.why);
    if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
      break;
  }
  if (slave)
    slave_close(slave);
}

static void be_child(int sockets[2], pid_t parent, const struct fmu_model *model, const char *folder,
                     const struct map *map) {
  close(sockets[0]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); // Ctrl-C is the parent's
  signal(SIGTERM, SIG_DFL);
  if (getppid() == parent)
    serve(sockets[1], model, folder, map);
  _exit(0);
}

// ---- In the parent ----

enum status child_start(struct child *c, const struct fmu_model *model, const char *folder,
                        const struct map *map, struct reason *why) {
  int sockets[2];
  const pid_t parent = getpid();
  *c = (struct child){.socket = -1, .timeout_s = map->timeout_s};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
    return fail(why, STATUS_IO, "the process of the FMU: %s", strerror(errno));
  c->id = fork();
  if (c->id == 0)
    be_child(sockets, parent, model, folder, map);
  close(sockets[1]);
  c->socket = sockets[0];
  return c->id > 0 ? STATUS_OK : fail(why, STATUS_IO, "the process of the FMU: %s", strerror(errno));
}

void child_end(struct child *c) {
  if (c->socket >= 0)
    close(c->socket);
  if (c->id > 0) {
    struct timespec tenth = {0, 100000000};
    int ended = 0;
    for (int i = 0; i < 10 && !(ended = waitpid(c->id, NULL, WNOHANG) != 0); i++)
      nanosleep(&tenth, NULL); // it frees its instance
    if (!ended) {
      kill(c->id, SIGKILL);
      waitpid(c->id, NULL, 0);
    }
  }
  *c = (struct child){.socket = -1};
}

static enum status has_ended(struct child *c, const char *where, struct reason *why) {
  int status = 0;
  waitpid(c->id, &status, 0);
  c->id = 0;
  if (WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    return fail(why, STATUS_IO, "it ended in %s: SIG%s", where, name ? name : "?");
  }
  return fail(why, STATUS_IO, "it ended in %s: exit(%d)", where, WEXITSTATUS(status));
}

static enum status ask(struct child *c, const struct request *request, const char *where,
                       struct answer *answer, struct reason *why) {
  struct pollfd heard = {.fd = c->socket, .events = POLLIN};
  int ready;
  if (send(c->socket, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request)
    return has_ended(c, where, why);
  do
    ready = poll(&heard, 1, (int)(c->timeout_s * 1000));
  while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    kill(c->id, SIGKILL);
    return fail(why, STATUS_IO, "it hangs in %s: no answer within timeout_s, %g s", where, c->timeout_s);
  }
  if (recv(c->socket, answer, sizeof *answer, 0) != sizeof *answer)
    return has_ended(c, where, why);
  answer->why[sizeof answer->why - 1] = '\0';
  return answer->is_done ? STATUS_OK : fail(why, STATUS_IO, "in %s: %s", where, answer->why);
}

enum status child_begin(struct child *c, double start_s, struct reason *why) {
  static struct answer answer;
  const struct request request = {.kind = BEGIN, .at_s = start_s};
  return ask(c, &request, "its initialisation", &answer, why);
}

enum status child_step(struct child *c, const double *inputs, int input_count, double at_s, double step_s,
                       double *outputs, int output_count, struct reason *why) {
  static struct answer answer;
  struct request request = {.kind = STEP, .at_s = at_s, .step_s = step_s};
  char where[64];
  snprintf(where, sizeof where, "the step from %.3f s", at_s);
  memcpy(request.value, inputs, (size_t)input_count * sizeof *inputs);
  enum status status = ask(c, &request, where, &answer, why);
  memcpy(outputs, answer.value, (size_t)output_count * sizeof *outputs);
  return status;
}
