// An importer of two FMUs for tests, a vessel and its controller, in one process: the measurements of the
// vessel go into the controller, it steps, its command goes into the vessel, that steps.
//   fmu_pair VERSION BINARY TOKEN RESOURCES VERSION BINARY TOKEN RESOURCES     the vessel, the controller
// Lines of its input, each answered by its results and "ok", or "failed WHERE STATUS":
//   in TYPE VR VR            from the vessel to the controller; TYPE: real, integer, boolean
//   out TYPE VR VR           from the controller to the vessel
//   start PERIOD             after the connections
//   run COUNT VR VR          periods; after each the text of both, as "VESSEL CONTROLLER"
//   order VR TEXT            text of the vessel
//   save | load              both states and the time
#include "fmu/fmi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER(name, type, parameters) type(*name) parameters;
struct unit {
  int version;
  struct {
    FMI2_FUNCTIONS(POINTER)
  } f2;
  struct {
    FMI3_FUNCTIONS(POINTER)
  } f3;
  void *one, *state;
};
static struct unit vessel, controller;

struct connection {
  int is_out, type; // 'r', 'i', 'b'
  uint32_t from, to;
};
enum { MOST = 2048 };
static struct connection connection[MOST];
static int connections;
static double period_s, now_s, saved_s;

static void log2_line(void *environment, const char *instance, int status, const char *category,
                      const char *text, ...) {
  (void)environment, (void)category;
  if (status >= FMI_WARNING)
    fprintf(stderr, "%s: %s\n", instance, text);
}

static void log3_line(void *environment, int status, const char *category, const char *text) {
  (void)category;
  if (status >= FMI_WARNING)
    fprintf(stderr, "%s: %s\n", (const char *)environment, text);
}

static int failed(const char *where, int status) {
  printf("failed %s %d\n", where, status);
  return 0;
}

static int open_unit(struct unit *u, const char *name, char **argv) {
  static const struct fmi2_callbacks callbacks = {.logger = log2_line, .allocate = calloc, .release = free};
  u->version = atoi(argv[0]);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fprintf(stderr, "%s\n", dlerror()), 0;
#define FIND2(name, type, parameters) *(void **)&u->f2.name = dlsym(library, "fmi2" #name);
#define FIND3(name, type, parameters) *(void **)&u->f3.name = dlsym(library, "fmi3" #name);
  FMI2_FUNCTIONS(FIND2)
  FMI3_FUNCTIONS(FIND3)
  u->one = u->version == 2 ? u->f2.Instantiate(name, FMI2_CO_SIMULATION, argv[2], argv[3], &callbacks, 0, 1)
                           : u->f3.InstantiateCoSimulation(name, argv[2], argv[3], false, true, false, false,
                                                           NULL, 0, (void *)name, log3_line, NULL);
  return u->one != NULL;
}

static int start_unit(struct unit *u) {
  int status = u->version == 2 ? u->f2.SetupExperiment(u->one, 0, 0, 0, 0, 0) : FMI_OK;
  if (status == FMI_OK)
    status = u->version == 2 ? u->f2.EnterInitializationMode(u->one)
                             : u->f3.EnterInitializationMode(u->one, false, 0, 0, false, 0);
  if (status == FMI_OK)
    status = u->version == 2 ? u->f2.ExitInitializationMode(u->one) : u->f3.ExitInitializationMode(u->one);
  return status == FMI_OK || failed("start", status);
}

// ---- Values ----

static int get_one(const struct unit *u, int type, uint32_t vr, double *out) {
  int status, whole = 0;
  int32_t whole3 = 0;
  bool flag = false;
  if (type == 'r')
    return u->version == 2 ? u->f2.GetReal(u->one, &vr, 1, out) : u->f3.GetFloat64(u->one, &vr, 1, out, 1);
  if (u->version == 2)
    status =
        type == 'i' ? u->f2.GetInteger(u->one, &vr, 1, &whole) : u->f2.GetBoolean(u->one, &vr, 1, &whole);
  else
    status =
        type == 'i' ? u->f3.GetInt32(u->one, &vr, 1, &whole3, 1) : u->f3.GetBoolean(u->one, &vr, 1, &flag, 1);
  *out = u->version == 2 ? whole : type == 'i' ? whole3 : flag;
  return status;
}

static int set_some(const struct unit *u, int type, const uint32_t *vr, size_t n, const double *value) {
  static int whole[MOST];
  static bool flag[MOST];
  if (type == 'r')
    return u->version == 2 ? u->f2.SetReal(u->one, vr, n, value) : u->f3.SetFloat64(u->one, vr, n, value, n);
  for (size_t k = 0; k < n; k++) {
    whole[k] = (int)value[k];
    flag[k] = value[k] != 0;
  }
  if (u->version == 2)
    return type == 'i' ? u->f2.SetInteger(u->one, vr, n, whole) : u->f2.SetBoolean(u->one, vr, n, whole);
  return type == 'i' ? u->f3.SetInt32(u->one, vr, n, (const int32_t *)whole, n)
                     : u->f3.SetBoolean(u->one, vr, n, flag, n);
}

// The values of a type belong together: the vessel judges those of a call as one command.
static int transfer(int is_out) {
  static uint32_t vr[MOST];
  static double value[MOST];
  const struct unit *from = is_out ? &controller : &vessel, *to = is_out ? &vessel : &controller;
  for (const char *type = "irb"; *type; type++) {
    size_t n = 0;
    for (int k = 0; k < connections; k++) {
      const struct connection *c = &connection[k];
      if (c->is_out != is_out || c->type != *type)
        continue;
      const int status = get_one(from, c->type, c->from, &value[n]);
      if (status != FMI_OK)
        return failed("get", status);
      vr[n++] = c->to;
    }
    const int status = n ? set_some(to, *type, vr, n, value) : FMI_OK;
    if (status != FMI_OK)
      return failed(is_out ? "set of the vessel" : "set of the controller", status);
  }
  return 1;
}

static int step(struct unit *u, const char *what) {
  bool event, terminate, early;
  double last;
  const int status = u->version == 2
                         ? u->f2.DoStep(u->one, now_s, period_s, 1)
                         : u->f3.DoStep(u->one, now_s, period_s, true, &event, &terminate, &early, &last);
  return status == FMI_OK || failed(what, status);
}

static const char *text_of(const struct unit *u, uint32_t vr) {
  const char *text = "";
  if (u->version == 2)
    u->f2.GetString(u->one, &vr, 1, &text);
  else
    u->f3.GetString(u->one, &vr, 1, &text, 1);
  return text;
}

static int run(long count, uint32_t of_vessel, uint32_t of_controller) {
  for (long k = 0; k < count; k++) {
    if (!transfer(0) || !step(&controller, "step of the controller") || !transfer(1) ||
        !step(&vessel, "step of the vessel"))
      return 0;
    now_s += period_s;
    printf("%s", text_of(&vessel, of_vessel));
    printf(" %s\n", text_of(&controller, of_controller));
  }
  return 1;
}

static int state_of(struct unit *u, int is_load) {
  const int status =
      u->version == 2 ? is_load ? u->f2.SetFMUstate(u->one, u->state) : u->f2.GetFMUstate(u->one, &u->state)
      : is_load       ? u->f3.SetFMUState(u->one, u->state)
                      : u->f3.GetFMUState(u->one, &u->state);
  return status == FMI_OK || failed("state", status);
}

static int order(char *rest) {
  char *end;
  const uint32_t vr = (uint32_t)strtoul(rest, &end, 10);
  const char *text = *end ? end + 1 : end;
  const int status = vessel.version == 2 ? vessel.f2.SetString(vessel.one, &vr, 1, &text)
                                         : vessel.f3.SetString(vessel.one, &vr, 1, &text, 1);
  return status == FMI_OK || failed("order", status);
}

static int connect_two(int is_out, const char *rest) {
  char type[16];
  unsigned from, to;
  if (connections == MOST || sscanf(rest, "%15s %u %u", type, &from, &to) != 3)
    return failed("connection", 0);
  connection[connections++] = (struct connection){is_out, *type, from, to};
  return 1;
}

static int take(const char *word, char *rest) {
  unsigned a, b;
  long count;
  if (!strcmp(word, "in") || !strcmp(word, "out"))
    return connect_two(!strcmp(word, "out"), rest);
  if (!strcmp(word, "start") && sscanf(rest, "%lf", &period_s) == 1)
    return start_unit(&vessel) && start_unit(&controller);
  if (!strcmp(word, "run") && sscanf(rest, "%ld %u %u", &count, &a, &b) == 3)
    return run(count, a, b);
  if (!strcmp(word, "order"))
    return order(rest);
  if (!strcmp(word, "save")) {
    saved_s = now_s;
    return state_of(&vessel, 0) && state_of(&controller, 0);
  }
  if (!strcmp(word, "load")) {
    now_s = saved_s;
    return state_of(&vessel, 1) && state_of(&controller, 1);
  }
  return failed("word", 0);
}

int main(int argc, char **argv) {
  char line[1024];
  if (argc != 9 || !open_unit(&vessel, "vessel", argv + 1) || !open_unit(&controller, "controller", argv + 5))
    return 2;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char *space = strchr(line, ' '), none[] = "";
    if (space)
      *space = '\0';
    if (!take(line, space ? space + 1 : none))
      return 1;
    puts("ok");
  }
  struct unit *const units[] = {&vessel, &controller};
  for (int k = 0; k < 2; k++) {
    struct unit *u = units[k];
    if (u->version == 2) {
      u->f2.FreeFMUstate(u->one, &u->state);
      u->f2.FreeInstance(u->one);
    } else {
      u->f3.FreeFMUState(u->one, &u->state);
      u->f3.FreeInstance(u->one);
    }
  }
  return 0;
}
