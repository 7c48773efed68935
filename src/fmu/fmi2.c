// The functions of FMI 2.0 over an instance.
#include "fmu/fmu_internal.h"

#include <stdlib.h>

FMI2_FUNCTIONS(FMI2_DECLARE)

const char *fmi2GetTypesPlatform(void) {
  return "default";
}

const char *fmi2GetVersion(void) {
  return "2.0";
}

int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const category[]) {
  return c ? instance_set_logging(c, on, n, category) : FMI_ERROR;
}

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const struct fmi2_callbacks *callbacks, int visible, int logging) {
  const struct instance from = {
      .version = 2, .logging = logging, .all_categories = 1, .callbacks = callbacks};
  (void)visible;
  if (type != FMI2_CO_SIMULATION) {
    const struct instance loud = {.version = 2, .logging = 1, .all_categories = 1, .callbacks = callbacks};
    refuse(&loud, "model exchange: not provided, only co-simulation");
    return NULL;
  }
  return instance_make(&from, name, guid, resources);
}

void fmi2FreeInstance(void *c) {
  instance_free(c);
}

int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start, int has_stop,
                        double stop) {
  (void)has_tolerance; // the step of the case is fixed
  (void)tolerance;
  return is_allowed(c, PHASE_INSTANTIATED, "SetupExperiment") ? instance_begin(c, start, has_stop, stop)
                                                              : FMI_ERROR;
}

int fmi2EnterInitializationMode(void *c) {
  struct instance *i = c;
  if (!is_allowed(i, PHASE_INSTANTIATED, "EnterInitializationMode"))
    return FMI_ERROR;
  i->state.phase = PHASE_INITIALISING;
  return FMI_OK;
}

int fmi2ExitInitializationMode(void *c) {
  return is_allowed(c, PHASE_INITIALISING, "ExitInitializationMode") ? instance_begun(c) : FMI_ERROR;
}

int fmi2Terminate(void *c) {
  struct instance *i = c;
  if (!is_allowed(i, PHASE_STEPPING, "Terminate"))
    return FMI_ERROR;
  i->state.phase = PHASE_TERMINATED;
  return FMI_OK;
}

int fmi2Reset(void *c) {
  return is_allowed(c, ALL_PHASES, "Reset") ? instance_reset(c) : FMI_ERROR;
}

// ---- Values ----

int fmi2GetReal(void *c, const uint32_t vr[], size_t n, double value[]) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetReal") ? instance_get(c, SAGBEND_REAL, vr, n, value)
                                                      : FMI_ERROR;
}

int fmi2SetReal(void *c, const uint32_t vr[], size_t n, const double value[]) {
  return is_allowed(c, PHASES_TO_SET, "SetReal") ? instance_set(c, SAGBEND_REAL, vr, n, value) : FMI_ERROR;
}

static int get_whole(void *c, int type, const uint32_t vr[], size_t n, int value[]) {
  double *numbers = calloc(n + 1, sizeof *numbers);
  if (!numbers)
    return refuse(c, "out of memory");
  const int status = instance_get(c, type, vr, n, numbers);
  for (size_t k = 0; status == FMI_OK && k < n; k++)
    value[k] = (int)numbers[k];
  free(numbers);
  return status;
}

static int set_whole(void *c, int type, const uint32_t vr[], size_t n, const int value[]) {
  double *numbers = calloc(n + 1, sizeof *numbers);
  for (size_t k = 0; numbers && value && k < n; k++)
    numbers[k] = value[k];
  const int status = numbers ? instance_set(c, type, vr, n, numbers) : refuse(c, "out of memory");
  free(numbers);
  return status;
}

int fmi2GetInteger(void *c, const uint32_t vr[], size_t n, int value[]) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetInteger") ? get_whole(c, SAGBEND_INTEGER, vr, n, value)
                                                         : FMI_ERROR;
}

int fmi2SetInteger(void *c, const uint32_t vr[], size_t n, const int value[]) {
  return is_allowed(c, PHASES_TO_SET, "SetInteger") ? set_whole(c, SAGBEND_INTEGER, vr, n, value) : FMI_ERROR;
}

int fmi2GetBoolean(void *c, const uint32_t vr[], size_t n, int value[]) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetBoolean") ? get_whole(c, SAGBEND_BOOLEAN, vr, n, value)
                                                         : FMI_ERROR;
}

int fmi2SetBoolean(void *c, const uint32_t vr[], size_t n, const int value[]) {
  return is_allowed(c, PHASES_TO_SET, "SetBoolean") ? set_whole(c, SAGBEND_BOOLEAN, vr, n, value) : FMI_ERROR;
}

int fmi2GetString(void *c, const uint32_t vr[], size_t n, const char *value[]) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetString") ? instance_get_text(c, vr, n, value) : FMI_ERROR;
}

int fmi2SetString(void *c, const uint32_t vr[], size_t n, const char *const value[]) {
  return is_allowed(c, PHASES_TO_SET, "SetString") ? instance_set_text(c, vr, n, value) : FMI_ERROR;
}

// ---- States ----

int fmi2GetFMUstate(void *c, void **state) {
  return is_allowed(c, PHASES_WITH_VALUES, "GetFMUstate") ? instance_state_get(c, state) : FMI_ERROR;
}

int fmi2SetFMUstate(void *c, void *state) {
  return is_allowed(c, ALL_PHASES, "SetFMUstate") ? instance_state_set(c, state) : FMI_ERROR;
}

int fmi2FreeFMUstate(void *c, void **state) {
  if (!c)
    return FMI_ERROR;
  if (state) {
    free(*state);
    *state = NULL;
  }
  return FMI_OK;
}

int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size) {
  return is_allowed(c, ALL_PHASES, "SerializedFMUstateSize") ? instance_state_size(c, state, size)
                                                             : FMI_ERROR;
}

int fmi2SerializeFMUstate(void *c, void *state, char out[], size_t size) {
  return is_allowed(c, ALL_PHASES, "SerializeFMUstate") ? instance_state_write(c, state, out, size)
                                                        : FMI_ERROR;
}

int fmi2DeSerializeFMUstate(void *c, const char in[], size_t size, void **state) {
  return is_allowed(c, ALL_PHASES, "DeSerializeFMUstate") ? instance_state_read(c, in, size, state)
                                                          : FMI_ERROR;
}

// ---- Steps ----

int fmi2DoStep(void *c, double at, double step, int no_set_state_before) {
  (void)no_set_state_before;
  return is_allowed(c, PHASE_STEPPING, "DoStep") ? instance_step(c, at, step) : FMI_ERROR;
}

int fmi2CancelStep(void *c) {
  return c ? refuse(c, "fmi2CancelStep: no step is on; steps are not asynchronous") : FMI_ERROR;
}

static int no_status(void *c, const char *function) {
  if (!c)
    return FMI_ERROR;
  say(c, FMI_DISCARD, LOG_WARNING, "%s: steps are not asynchronous, there is no such status", function);
  return FMI_DISCARD;
}

int fmi2GetStatus(void *c, int kind, int *value) {
  (void)kind;
  (void)value;
  return no_status(c, "fmi2GetStatus");
}

int fmi2GetRealStatus(void *c, int kind, double *value) {
  if (!c || kind != FMI2_LAST_SUCCESSFUL_TIME || !value)
    return no_status(c, "fmi2GetRealStatus");
  *value = instance_time(c);
  return FMI_OK;
}

int fmi2GetIntegerStatus(void *c, int kind, int *value) {
  (void)kind;
  (void)value;
  return no_status(c, "fmi2GetIntegerStatus");
}

int fmi2GetBooleanStatus(void *c, int kind, int *value) {
  if (!c || kind != FMI2_TERMINATED || !value)
    return no_status(c, "fmi2GetBooleanStatus");
  *value = instance_has_fault(c);
  return FMI_OK;
}

int fmi2GetStringStatus(void *c, int kind, const char **value) {
  (void)kind;
  (void)value;
  return no_status(c, "fmi2GetStringStatus");
}

// ---- What this FMU does not provide, as its model description says ----

int fmi2GetDirectionalDerivative(void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[],
                                 size_t knowns, const double seed[], double out[]) {
  (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)out;
  return c ? refuse(c, "fmi2GetDirectionalDerivative: not provided") : FMI_ERROR;
}

int fmi2SetRealInputDerivatives(void *c, const uint32_t vr[], size_t n, const int order[],
                                const double value[]) {
  (void)vr, (void)n, (void)order, (void)value;
  return c ? refuse(c, "fmi2SetRealInputDerivatives: not provided; inputs are constant in a step")
           : FMI_ERROR;
}

int fmi2GetRealOutputDerivatives(void *c, const uint32_t vr[], size_t n, const int order[], double value[]) {
  (void)vr, (void)n, (void)order, (void)value;
  return c ? refuse(c, "fmi2GetRealOutputDerivatives: not provided") : FMI_ERROR;
}
