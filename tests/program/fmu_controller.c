// An FMU that is a controller, good or bad, in FMI 1.0, 2.0 and 3.0: KIND names what goes wrong, in the step
// from 1 s. A PD law of the place: inputs north (1), east (2), their rates (3, 4) and heading (5); outputs
// surge (6), sway (7), yaw (8); parameter stiffness (9).
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IS(kind) (!strcmp(KIND, kind))
#define EXPORT   __attribute__((visibility("default")))
enum { OK, DISCARD = 2, ERROR = 3 };
static double value[10] = {[9] = 2e5};

static int step(double at) {
  if (at > 0.99) {
    if (IS("crash"))
      *(volatile int *)8 = 1;
    while (IS("hang"))
      sleep(1);
    if (IS("exit"))
      exit(7);
    if (IS("discard"))
      return DISCARD;
    if (IS("error"))
      return ERROR;
  }
  value[6] = -value[9] * value[1] - 10 * value[9] * value[3];
  value[7] = -value[9] * value[2] - 10 * value[9] * value[4];
  value[8] = -1e7 * value[5];
  if (at > 0.99 && IS("nan"))
    value[7] = NAN;
  return OK;
}

static int set(const uint32_t *vr, size_t n, const double *v) {
  for (size_t i = 0; i < n; i++)
    value[vr[i]] = v[i];
  return OK;
}

static int get(const uint32_t *vr, size_t n, double *v) {
  for (size_t i = 0; i < n; i++)
    v[i] = value[vr[i]];
  return OK;
}

static int nothing(void) {
  return OK;
}

#if FMI == 1
struct callbacks {
  void (*logger)(void *c, const char *name, int status, const char *category, const char *message, ...);
  void *rest[3];
};
EXPORT void *m_fmiInstantiateSlave(const char *a, const char *b, const char *c, const char *d, double e,
                                   char f, char g, struct callbacks h, char i) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i;
  return value;
}
EXPORT int m_fmiInitializeSlave(void *c, double start, char has_stop, double stop) {
  (void)c, (void)start, (void)has_stop, (void)stop;
  return IS("initialisation") ? ERROR : OK;
}
EXPORT int m_fmiDoStep(void *c, double at, double h, char is_new) {
  (void)c, (void)h, (void)is_new;
  return step(at);
}
EXPORT int m_fmiSetReal(void *c, const uint32_t *vr, size_t n, const double *v) {
  (void)c;
  return set(vr, n, v);
}
EXPORT int m_fmiGetReal(void *c, const uint32_t *vr, size_t n, double *v) {
  (void)c;
  return get(vr, n, v);
}
EXPORT int m_fmiGetInteger(void) {
  return nothing();
}
EXPORT int m_fmiGetBoolean(void) {
  return nothing();
}
EXPORT int m_fmiSetInteger(void) {
  return nothing();
}
EXPORT int m_fmiSetBoolean(void) {
  return nothing();
}
EXPORT int m_fmiTerminateSlave(void) {
  return nothing();
}
EXPORT void m_fmiFreeSlaveInstance(void) {}
#elif FMI == 2
EXPORT void *fmi2Instantiate(void) {
  return value;
}
EXPORT void fmi2FreeInstance(void) {}
EXPORT int fmi2SetupExperiment(void) {
  return nothing();
}
EXPORT int fmi2EnterInitializationMode(void) {
  return nothing();
}
EXPORT int fmi2ExitInitializationMode(void) {
  return IS("initialisation") ? ERROR : OK;
}
EXPORT int fmi2Terminate(void) {
  return nothing();
}
EXPORT int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *v) {
  (void)c;
  return set(vr, n, v);
}
EXPORT int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *v) {
  (void)c;
  return get(vr, n, v);
}
EXPORT int fmi2GetInteger(void) {
  return nothing();
}
EXPORT int fmi2GetBoolean(void) {
  return nothing();
}
EXPORT int fmi2SetInteger(void) {
  return nothing();
}
EXPORT int fmi2SetBoolean(void) {
  return nothing();
}
EXPORT int fmi2DoStep(void *c, double at, double h, int no) {
  (void)c, (void)h, (void)no;
  return step(at);
}
#else
EXPORT void *fmi3InstantiateCoSimulation(void) {
  return value;
}
EXPORT void fmi3FreeInstance(void) {}
EXPORT int fmi3EnterInitializationMode(void) {
  return nothing();
}
EXPORT int fmi3ExitInitializationMode(void) {
  return IS("initialisation") ? ERROR : OK;
}
EXPORT int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *v, size_t m) {
  (void)c, (void)m;
  return set(vr, n, v);
}
EXPORT int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *v, size_t m) {
  (void)c, (void)m;
  return get(vr, n, v);
}
EXPORT int fmi3DoStep(void *c, double at, double h, bool no, bool *event, bool *end, bool *early,
                      double *last) {
  (void)c, (void)no;
  *event = *end = *early = false;
  *last = at + h;
  return step(at);
}
#endif
