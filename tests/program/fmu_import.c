// An importer of FMUs for tests: fmu_import BINARY 2|3 NAME TOKEN RESOURCES reads commands, a line each, and
// prints what each returns. One script serves both standards. The log comes as lines "log STATUS CATEGORY
// TEXT".
//   make | make-loud | make-events    instance without, with log; FMI 3: with event mode
//   begin START STOP|-                times of the experiment      enter | exit | terminate | reset | free
//   real|integer|boolean|text VR...   values
//   set-real|set-integer|set-boolean VR VALUE [VR VALUE...]        set-text VR TEXT
//   step AT STEP                      steps AT STEP COUNT VR: the text after each
//   save | load | write FILE | read FILE                           state in memory, in a file
//   status | other | mismatch VR
//   threads COUNT STEP STEPS VR       so many threads, each with instances of its own; the text that all have
// FMU_LINKED: the functions are those of this program, BINARY is ignored. So sanitizers see both sides.
#include "fmu/fmi.h"

#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER2(name, type, parameters) type(*name) parameters;
static struct {
  FMI2_FUNCTIONS(POINTER2)
} f2;
static struct {
  FMI3_FUNCTIONS(POINTER2)
  FMI3_OTHER_FUNCTIONS(POINTER2)
} f3;

static int version;
static void *one;   // the instance
static void *state; // that was saved
static double start_s, stop_s;
static int has_stop;
enum { MOST = 512 };

#ifdef FMU_LINKED
#define DECLARE2(name, type, parameters) type fmi2##name parameters;
#define DECLARE3(name, type, parameters) type fmi3##name parameters;
FMI2_FUNCTIONS(DECLARE2)
FMI3_FUNCTIONS(DECLARE3)
FMI3_OTHER_FUNCTIONS(DECLARE3)

static int find_all(const char *path) {
  (void)path;
#define FIND2(name, type, parameters) f2.name = fmi2##name;
#define FIND3(name, type, parameters) f3.name = fmi3##name;
  FMI2_FUNCTIONS(FIND2)
  FMI3_FUNCTIONS(FIND3)
  FMI3_OTHER_FUNCTIONS(FIND3)
  return 1;
}
#else
static int find_all(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return printf("no library: %s\n", dlerror()), 0;
  int missing = 0;
#define FIND2(name, type, parameters) missing += !(*(void **)&f2.name = dlsym(library, "fmi2" #name));
#define FIND3(name, type, parameters) missing += !(*(void **)&f3.name = dlsym(library, "fmi3" #name));
  FMI2_FUNCTIONS(FIND2)
  FMI3_FUNCTIONS(FIND3)
  FMI3_OTHER_FUNCTIONS(FIND3)
  if (missing)
    printf("%d functions are missing\n", missing);
  return !missing;
}
#endif

static void log2_line(void *environment, const char *instance, int status, const char *category,
                      const char *format, ...) {
  char text[2048];
  va_list list;
  (void)environment, (void)instance;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  printf("log %d %s %s\n", status, category, text);
}

static void log3_line(void *environment, int status, const char *category, const char *message) {
  (void)environment;
  printf("log %d %s %s\n", status, category, message);
}

static void print_status(int status) {
  static const char *const words[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
  printf("%s\n", status >= 0 && status < 6 ? words[status] : "unknown");
}

// A host that computes in another way: a decimal comma, rounding upwards. "hostile" switches it on, around
// the calls that compute; this program itself reads its lines as ever.
static int is_hostile;

static void settings_of_host(void) {
  if (!is_hostile)
    return;
  if (!setlocale(LC_ALL, "de_DE.UTF-8") || *localeconv()->decimal_point != ',')
    exit(3);
  fesetround(FE_UPWARD);
}

static void own_settings(void) {
  if (!is_hostile)
    return;
  if (fegetround() != FE_UPWARD || *localeconv()->decimal_point != ',')
    printf("the settings of the host are others after the call\n");
  fesetround(FE_TONEAREST);
  setlocale(LC_ALL, "C");
}

static void make(char **argv, int loud, int events) {
  static const struct fmi2_callbacks callbacks = {.logger = log2_line, .allocate = calloc, .release = free};
  settings_of_host();
  if (version == 2)
    one = f2.Instantiate(argv[3], FMI2_CO_SIMULATION, argv[4], argv[5], &callbacks, 0, loud);
  else
    one = f3.InstantiateCoSimulation(argv[3], argv[4], argv[5], false, loud, events, false, NULL, 0, NULL,
                                     log3_line, NULL);
  own_settings();
  printf("%s\n", one ? "made" : "none");
}

// One function of each standard that does the same.
#define BOTH(name2, name3) (version == 2 ? f2.name2 : f3.name3)

static int simple(const char *word) {
  if (!strcmp(word, "enter"))
    return version == 2 ? f2.EnterInitializationMode(one)
                        : f3.EnterInitializationMode(one, false, 0, start_s, has_stop, stop_s);
  if (!strcmp(word, "exit"))
    return BOTH(ExitInitializationMode, ExitInitializationMode)(one);
  if (!strcmp(word, "terminate"))
    return BOTH(Terminate, Terminate)(one);
  if (!strcmp(word, "reset"))
    return BOTH(Reset, Reset)(one);
  if (!strcmp(word, "save"))
    return BOTH(GetFMUstate, GetFMUState)(one, &state);
  if (!strcmp(word, "load"))
    return BOTH(SetFMUstate, SetFMUState)(one, state);
  return -1;
}

static void get(const char *type, char *words) {
  uint32_t vr[MOST];
  size_t n = 0;
  double real[MOST];
  int whole[MOST];
  int32_t whole3[MOST];
  bool flag[MOST];
  const char *text[MOST];
  int status;
  for (char *w = strtok(words, " "); w && n < MOST; w = strtok(NULL, " "))
    vr[n++] = (uint32_t)strtoul(w, NULL, 10);
  if (!strcmp(type, "real"))
    status = version == 2 ? f2.GetReal(one, vr, n, real) : f3.GetFloat64(one, vr, n, real, n);
  else if (!strcmp(type, "integer"))
    status = version == 2 ? f2.GetInteger(one, vr, n, whole) : f3.GetInt32(one, vr, n, whole3, n);
  else if (!strcmp(type, "boolean"))
    status = version == 2 ? f2.GetBoolean(one, vr, n, whole) : f3.GetBoolean(one, vr, n, flag, n);
  else
    status = version == 2 ? f2.GetString(one, vr, n, text) : f3.GetString(one, vr, n, text, n);
  print_status(status);
  for (size_t k = 0; k < n && status == FMI_OK; k++)
    if (!strcmp(type, "real"))
      printf("%.17g\n", real[k]);
    else if (!strcmp(type, "text"))
      printf("%s\n", text[k]);
    else
      printf("%d\n", version == 2 ? whole[k] : !strcmp(type, "boolean") ? flag[k] : whole3[k]);
}

static void set(const char *type, char *words) {
  uint32_t vr[MOST];
  size_t n = 0;
  double real[MOST];
  int whole[MOST];
  bool flag[MOST];
  for (char *w = strtok(words, " "); w && n < MOST; w = strtok(NULL, " ")) {
    const char *value = strtok(NULL, " ");
    vr[n] = (uint32_t)strtoul(w, NULL, 10);
    real[n] = strtod(value, NULL);
    whole[n] = atoi(value);
    flag[n] = whole[n] != 0;
    n++;
  }
  if (!strcmp(type, "set-real"))
    print_status(version == 2 ? f2.SetReal(one, vr, n, real) : f3.SetFloat64(one, vr, n, real, n));
  else if (!strcmp(type, "set-integer"))
    print_status(version == 2 ? f2.SetInteger(one, vr, n, whole) : f3.SetInt32(one, vr, n, whole, n));
  else
    print_status(version == 2 ? f2.SetBoolean(one, vr, n, whole) : f3.SetBoolean(one, vr, n, flag, n));
}

static int simple_in_host(const char *word) {
  settings_of_host();
  const int status = simple(word);
  own_settings();
  return status;
}

static int step_in_host(double at, double step, bool *event, bool *terminate, bool *early, double *last) {
  settings_of_host();
  const int status = version == 2 ? f2.DoStep(one, at, step, 1)
                                  : f3.DoStep(one, at, step, true, event, terminate, early, last);
  own_settings();
  return status;
}

static int do_step(double at, double step) {
  bool event = true, terminate = true, early = true;
  double last = -1;
  const int status = step_in_host(at, step, &event, &terminate, &early, &last);
  if (version == 2)
    return status;
  if (status == FMI_OK && (event || terminate || early || !(last > at)))
    printf("wrong results of the step: %d %d %d %.9g\n", event, terminate, early, last);
  if (status == FMI_DISCARD)
    printf("terminate %d, last %.9g\n", terminate, last);
  return status;
}

static void many_steps(double at, double step, long count, uint32_t vr) {
  for (long k = 0; k < count; k++) {
    const char *text = "";
    const int status = do_step(at + (double)k * step, step);
    if (status != FMI_OK) {
      print_status(status);
      return;
    }
    if (version == 2)
      f2.GetString(one, &vr, 1, &text);
    else
      f3.GetString(one, &vr, 1, &text, 1);
    printf("%s\n", text);
  }
  print_status(FMI_OK);
}

static void write_state(const char *path) {
  size_t size = 0;
  int status = BOTH(SerializedFMUstateSize, SerializedFMUStateSize)(one, state, &size);
  char *bytes = malloc(size + 1);
  if (status == FMI_OK)
    status = version == 2 ? f2.SerializeFMUstate(one, state, bytes, size)
                          : f3.SerializeFMUState(one, state, (uint8_t *)bytes, size);
  FILE *file = fopen(path, "wb");
  if (file) {
    fwrite(bytes, 1, size, file);
    fclose(file);
  }
  free(bytes);
  print_status(status);
}

static void read_state(const char *path) {
  FILE *file = fopen(path, "rb");
  char *bytes = malloc(1 << 24);
  const size_t size = file ? fread(bytes, 1, 1 << 24, file) : 0;
  if (file)
    fclose(file);
  bytes = realloc(bytes, size + 1); // so that valgrind sees a read behind its end
  print_status(version == 2 ? f2.DeSerializeFMUstate(one, bytes, size, &state)
                            : f3.DeserializeFMUState(one, (const uint8_t *)bytes, size, &state));
  free(bytes);
}

// What is not provided; and values that are not as many as the references.
static void others(void) {
  double number = 0;
  int whole = 0;
  uint32_t vr = 1;
  size_t count = 0;
  if (version == 2) {
    print_status(f2.GetDirectionalDerivative(one, &vr, 1, &vr, 1, &number, &number));
    print_status(f2.SetRealInputDerivatives(one, &vr, 1, &whole, &number));
    print_status(f2.GetRealOutputDerivatives(one, &vr, 1, &whole, &number));
    print_status(f2.CancelStep(one));
    print_status(f2.GetStatus(one, FMI2_DO_STEP_STATUS, &whole));
    return;
  }
  print_status(f3.EnterEventMode(one));
  print_status(f3.EnterConfigurationMode(one));
  print_status(f3.GetNumberOfContinuousStates(one, &count));
  print_status(f3.GetDirectionalDerivative(one, &vr, 1, &vr, 1, &number, 1, &number, 1));
  print_status(f3.ActivateModelPartition(one, 1, 0));
}

static void print_last(void) {
  double last = -1;
  int terminated = -1;
  if (version == 2) {
    f2.GetRealStatus(one, FMI2_LAST_SUCCESSFUL_TIME, &last);
    f2.GetBooleanStatus(one, FMI2_TERMINATED, &terminated);
  }
  printf("last %.9g terminated %d\n", last, terminated);
}

static void begin(char *rest) {
  char *end;
  start_s = strtod(rest, &end);
  has_stop = *end == ' ' && end[1] != '-';
  stop_s = has_stop ? strtod(end + 1, NULL) : 0;
  print_status(version == 2 ? f2.SetupExperiment(one, 0, 0, start_s, has_stop, stop_s) : FMI_OK);
}

static void set_text(char *rest) {
  char *end;
  const uint32_t vr = (uint32_t)strtoul(rest, &end, 10);
  const char *text = *end ? end + 1 : end;
  print_status(version == 2 ? f2.SetString(one, &vr, 1, &text) : f3.SetString(one, &vr, 1, &text, 1));
}

// ---- Threads ----

struct worker {
  char **argv;
  double step_s;
  long steps;
  uint32_t vr;
  char text[128];
  int failed;
};
static pthread_barrier_t together;

static void *instance_of(char **argv) {
  static const struct fmi2_callbacks callbacks = {.logger = log2_line, .allocate = calloc, .release = free};
  return version == 2 ? f2.Instantiate(argv[3], FMI2_CO_SIMULATION, argv[4], argv[5], &callbacks, 0, 0)
                      : f3.InstantiateCoSimulation(argv[3], argv[4], argv[5], false, false, false, false,
                                                   NULL, 0, NULL, log3_line, NULL);
}

static int steps_of(const struct worker *w, void *c, long from) {
  bool event, terminate, early;
  double last;
  int failed = 0;
  for (long k = 0; k < w->steps && !failed; k++) {
    const double at = (double)(from + k) * w->step_s;
    failed = version == 2 ? f2.DoStep(c, at, w->step_s, 1)
                          : f3.DoStep(c, at, w->step_s, true, &event, &terminate, &early, &last);
  }
  return failed;
}

// Forth, a state as bytes, back by those bytes, and forth again.
static int exercise(struct worker *w, void *c) {
  void *kept = NULL, *read = NULL;
  size_t size = 0;
  const char *text = "";
  int failed = version == 2 ? f2.SetupExperiment(c, 0, 0, 0, 0, 0) : FMI_OK;
  failed |=
      version == 2 ? f2.EnterInitializationMode(c) : f3.EnterInitializationMode(c, false, 0, 0, false, 0);
  failed |= version == 2 ? f2.ExitInitializationMode(c) : f3.ExitInitializationMode(c);
  failed |= steps_of(w, c, 0);
  failed |= version == 2 ? f2.GetFMUstate(c, &kept) : f3.GetFMUState(c, &kept);
  failed |=
      version == 2 ? f2.SerializedFMUstateSize(c, kept, &size) : f3.SerializedFMUStateSize(c, kept, &size);
  char *bytes = failed ? NULL : malloc(size);
  if (!bytes)
    return 1;
  failed |= version == 2 ? f2.SerializeFMUstate(c, kept, bytes, size)
                         : f3.SerializeFMUState(c, kept, (uint8_t *)bytes, size);
  failed |= steps_of(w, c, w->steps);
  failed |= version == 2 ? f2.DeSerializeFMUstate(c, bytes, size, &read)
                         : f3.DeserializeFMUState(c, (const uint8_t *)bytes, size, &read);
  failed |= version == 2 ? f2.SetFMUstate(c, read) : f3.SetFMUState(c, read);
  failed |= steps_of(w, c, w->steps);
  failed |= version == 2 ? f2.GetString(c, &w->vr, 1, &text) : f3.GetString(c, &w->vr, 1, &text, 1);
  snprintf(w->text, sizeof w->text, "%s", text);
  void **const states[] = {&kept, &read};
  for (int k = 0; k < 2; k++)
    if (version == 2)
      f2.FreeFMUstate(c, states[k]);
    else
      f3.FreeFMUState(c, states[k]);
  free(bytes);
  return failed;
}

static void *work(void *worker) {
  struct worker *w = worker;
  pthread_barrier_wait(&together);
  void *c = instance_of(w->argv);
  w->failed = !c || exercise(w, c);
  if (c && version == 2)
    f2.FreeInstance(c);
  else if (c)
    f3.FreeInstance(c);
  return NULL;
}

static void threads(char **argv, unsigned count, double step_s, long steps, uint32_t vr) {
  enum { MOST_THREADS = 16 };
  pthread_t thread[MOST_THREADS];
  struct worker worker[MOST_THREADS];
  int is_good = count > 0 && count <= MOST_THREADS;
  pthread_barrier_init(&together, NULL, count);
  for (unsigned i = 0; i < count && is_good; i++) {
    worker[i] = (struct worker){.argv = argv, .step_s = step_s, .steps = steps, .vr = vr};
    if (pthread_create(&thread[i], NULL, work, &worker[i]))
      exit(2);
  }
  for (unsigned i = 0; i < count && is_good; i++)
    pthread_join(thread[i], NULL);
  for (unsigned i = 0; i < count && is_good; i++)
    is_good = !worker[i].failed && !strcmp(worker[i].text, worker[0].text);
  pthread_barrier_destroy(&together);
  printf("%s\n", is_good ? worker[0].text : "the threads differ");
}

static void take(char **argv, char *word, char *rest) {
  double a = 0, b = 0;
  long count = 0;
  unsigned vr = 0, of = 0;
  double two[2];
  const int status = simple_in_host(word);
  if (status >= 0)
    print_status(status);
  else if (!strncmp(word, "make", 4))
    make(argv, !strcmp(word, "make-loud"), !strcmp(word, "make-events"));
  else if (!strcmp(word, "hostile")) {
    is_hostile = 1;
    puts("ok");
  } else if (!strcmp(word, "begin"))
    begin(rest);
  else if (!strcmp(word, "free")) {
    BOTH(FreeFMUstate, FreeFMUState)(one, &state);
    BOTH(FreeInstance, FreeInstance)(one);
    puts("ok");
  } else if (!strcmp(word, "set-text"))
    set_text(rest);
  else if (!strncmp(word, "set-", 4))
    set(word, rest);
  else if (!strcmp(word, "step") && sscanf(rest, "%lf %lf", &a, &b) == 2)
    print_status(do_step(a, b));
  else if (!strcmp(word, "steps") && sscanf(rest, "%lf %lf %ld %u", &a, &b, &count, &vr) == 4)
    many_steps(a, b, count, vr);
  else if (!strcmp(word, "threads") && sscanf(rest, "%u %lf %ld %u", &of, &a, &count, &vr) == 4)
    threads(argv, of, a, count, vr);
  else if (!strcmp(word, "write"))
    write_state(rest);
  else if (!strcmp(word, "read"))
    read_state(rest);
  else if (!strcmp(word, "status"))
    print_last();
  else if (!strcmp(word, "other"))
    others();
  else if (!strcmp(word, "mismatch") && sscanf(rest, "%u", &vr) == 1)
    print_status(f3.GetFloat64(one, &vr, 1, two, 2));
  else
    get(word, rest);
}

int main(int argc, char **argv) {
  char line[1 << 14];
  if (argc != 6 || !find_all(argv[1]))
    return 2;
  version = atoi(argv[2]);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char *space = strchr(line, ' '), none[] = "";
    if (space)
      *space = '\0';
    printf("> %s\n", line);
    take(argv, line, space ? space + 1 : none);
    fflush(stdout);
  }
  return 0;
}
