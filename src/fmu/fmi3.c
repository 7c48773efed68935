// The functions of FMI 3.0 over an instance.
#include "fmu/fmu_internal.h"

#include <stdlib.h>

FMI3_FUNCTIONS(FMI3_DECLARE)
FMI3_OTHER_FUNCTIONS(FMI3_DECLARE)

const char *fmi3GetVersion(void) {
  return "3.0";
}

int fmi3SetDebugLogging(void *c, bool on, size_t n, const char *const category[]) {
  return c ? instance_set_logging(c, on, n, category) : FMI_ERROR;
}

static void *refuse_kind(void *environment, fmi3_logger log, const char *what) {
  const struct instance loud = {
      .version = 3, .logging = 1, .all_categories = 1, .log3 = log, .environment = environment};
  refuse(&loud, "%s: not provided, only co-simulation without events", what);
  return NULL;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, fmi3_logger log) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  return refuse_kind(environment, log, "model exchange");
}

void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                        bool visible, bool logging, void *environment, fmi3_logger log,
                                        fmi3_clock_update update, fmi3_preemption lock,
                                        fmi3_preemption unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update;
  (void)lock, (void)unlock;
  return refuse_kind(environment, log, "scheduled execution");
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool event_mode, bool early_return,
                                  const uint32_t intermediate[], size_t n, void *environment, fmi3_logger log,
                                  fmi3_intermediate_update update) {
  const struct instance from = {
      .version = 3, .logging = logging, .all_categories = 1, .log3 = log, .environment = environment};
  (void)visible, (void)early_return, (void)intermediate, (void)n, (void)update;
  if (event_mode)
    return refuse_kind(environment, log, "event mode");
  return instance_make(&from, name, token, resources);
}

void fmi3FreeInstance(void *c) {
  instance_free(c);
}

int fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance, double start, bool has_stop,
                                double stop) {
  struct instance *i = c;
  (void)has_tolerance; // the step of the case is fixed
  (void)tolerance;
  if (!is_allowed(i, PHASE_INSTANTIATED, "EnterInitializationMode") ||
      instance_begin(i, start, has_stop, stop) != FMI_OK)
    return FMI_ERROR;
  i->state.phase = PHASE_INITIALISING;
  return FMI_OK;
}

int fmi3ExitInitializationMode(void *c) {
  return is_allowed(c, PHASE_INITIALISING, "ExitInitializationMode") ? instance_begun(c) : FMI_ERROR;
}

int fmi3Terminate(void *c) {
  struct instance *i = c;
  if (!is_allowed(i, PHASE_STEPPING, "Terminate"))
    return FMI_ERROR;
  i->state.phase = PHASE_TERMINATED;
  return FMI_OK;
}

int fmi3Reset(void *c) {
  return is_allowed(c, ALL_PHASES, "Reset") ? instance_reset(c) : FMI_ERROR;
}

int fmi3DoStep(void *c, double at, double step, bool no_set_state_before, bool *event, bool *terminate,
               bool *early, double *last_time) {
  (void)no_set_state_before;
  if (!is_allowed(c, PHASE_STEPPING, "DoStep"))
    return FMI_ERROR;
  const int status = instance_step(c, at, step);
  if (event)
    *event = false;
  if (terminate)
    *terminate = instance_has_fault(c);
  if (early)
    *early = false;
  if (last_time)
    *last_time = instance_time(c);
  return status;
}

// ---- Values ----

// All variables are scalar.
static int is_scalar(void *c, int phases, const char *function, size_t n, size_t values) {
  if (!is_allowed(c, phases, function))
    return 0;
  if (n == values)
    return 1;
  refuse(c, "fmi3%s: all variables are scalar: %zu values expected for %zu references, got %zu", function, n,
         n, values);
  return 0;
}

int fmi3GetFloat64(void *c, const uint32_t vr[], size_t n, double value[], size_t values) {
  return is_scalar(c, PHASES_WITH_VALUES, "GetFloat64", n, values)
             ? instance_get(c, SAGBEND_REAL, vr, n, value)
             : FMI_ERROR;
}

int fmi3SetFloat64(void *c, const uint32_t vr[], size_t n, const double value[], size_t values) {
  return is_scalar(c, PHASES_TO_SET, "SetFloat64", n, values) ? instance_set(c, SAGBEND_REAL, vr, n, value)
                                                              : FMI_ERROR;
}

// The two other types of numbers of this FMU.
#define GET_AND_SET(name, number, type)                                                                      \
  int fmi3Get##name(void *c, const uint32_t vr[], size_t n, number value[], size_t values) {                 \
    if (!is_scalar(c, PHASES_WITH_VALUES, "Get" #name, n, values))                                           \
      return FMI_ERROR;                                                                                      \
    double *numbers = calloc(n + 1, sizeof *numbers);                                                        \
    if (!numbers)                                                                                            \
      return refuse(c, "out of memory");                                                                     \
    const int status = instance_get(c, type, vr, n, numbers);                                                \
    for (size_t k = 0; status == FMI_OK && k < n; k++)                                                       \
      value[k] = (number)numbers[k];                                                                         \
    free(numbers);                                                                                           \
    return status;                                                                                           \
  }                                                                                                          \
  int fmi3Set##name(void *c, const uint32_t vr[], size_t n, const number value[], size_t values) {           \
    double *numbers = calloc(n + 1, sizeof *numbers);                                                        \
    int status = FMI_ERROR;                                                                                  \
    for (size_t k = 0; numbers && value && k < n && n == values; k++)                                        \
      numbers[k] = value[k];                                                                                 \
    if (is_scalar(c, PHASES_TO_SET, "Set" #name, n, values))                                                 \
      status = numbers ? instance_set(c, type, vr, n, numbers) : refuse(c, "out of memory");                 \
    free(numbers);                                                                                           \
    return status;                                                                                           \
  }
GET_AND_SET(Int32, int32_t, SAGBEND_INTEGER)
GET_AND_SET(Boolean, bool, SAGBEND_BOOLEAN)

int fmi3GetString(void *c, const uint32_t vr[], size_t n, const char *value[], size_t values) {
  return is_scalar(c, PHASES_WITH_VALUES, "GetString", n, values) ? instance_get_text(c, vr, n, value)
                                                                  : FMI_ERROR;
}

int fmi3SetString(void *c, const uint32_t vr[], size_t n, const char *const value[], size_t values) {
  return is_scalar(c, PHASES_TO_SET, "SetString", n, values) ? instance_set_text(c, vr, n, value) : FMI_ERROR;
}

// ---- States ----

int fmi3GetFMUState(void *c, void **state) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetFMUState") ? instance_state_get(c, state) : FMI_ERROR;
}

int fmi3SetFMUState(void *c, void *state) {
  return is_allowed(c, ALL_PHASES, "SetFMUState") ? instance_state_set(c, state) : FMI_ERROR;
}

int fmi3FreeFMUState(void *c, void **state) {
  if (!c)
    return FMI_ERROR;
  if (state) {
    free(*state);
    *state = NULL;
  }
  return FMI_OK;
}

int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size) {
  return is_allowed(c, ALL_PHASES, "SerializedFMUStateSize") ? instance_state_size(c, state, size)
                                                             : FMI_ERROR;
}

int fmi3SerializeFMUState(void *c, void *state, uint8_t out[], size_t size) {
  return is_allowed(c, ALL_PHASES, "SerializeFMUState") ? instance_state_write(c, state, out, size)
                                                        : FMI_ERROR;
}

int fmi3DeserializeFMUState(void *c, const uint8_t in[], size_t size, void **state) {
  return is_allowed(c, ALL_PHASES, "DeserializeFMUState") ? instance_state_read(c, in, size, state)
                                                          : FMI_ERROR;
}

// ---- What this FMU does not provide: types of which it has no variable, and what its model description
// says ----

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int none_of(void *c, const char *type, size_t n) {
  if (!c)
    return FMI_ERROR;
  return n ? refuse(c, "value references of type %s: this FMU has none", type) : FMI_OK;
}

#define NO_VARIABLES(name, type)                                                                             \
  int fmi3Get##name(void *c, const uint32_t vr[], size_t n, type value[], size_t values) {                   \
    return none_of(c, #name, n);                                                                             \
  }                                                                                                          \
  int fmi3Set##name(void *c, const uint32_t vr[], size_t n, const type value[], size_t values) {             \
    return none_of(c, #name, n);                                                                             \
  }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)

int fmi3GetBinary(void *c, const uint32_t vr[], size_t n, size_t size[], const uint8_t *value[],
                  size_t values) {
  return none_of(c, "Binary", n);
}

int fmi3SetBinary(void *c, const uint32_t vr[], size_t n, const size_t size[], const uint8_t *const value[],
                  size_t values) {
  return none_of(c, "Binary", n);
}

int fmi3GetClock(void *c, const uint32_t vr[], size_t n, bool value[]) {
  return none_of(c, "Clock", n);
}

int fmi3SetClock(void *c, const uint32_t vr[], size_t n, const bool value[]) {
  return none_of(c, "Clock", n);
}

#define REFUSE(name, type, parameters)                                                                       \
  type fmi3##name parameters {                                                                               \
    return c ? refuse(c, "fmi3" #name ": not provided") : FMI_ERROR;                                         \
  }
FMI3_OTHER_FUNCTIONS(REFUSE)
