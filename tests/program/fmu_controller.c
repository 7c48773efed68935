// An FMU that is a controller, good or bad, in FMI 1.0, 2.0 and 3.0: `kind`, which the test writes into the
// binary, names what goes wrong, in the step from 1 s. A PD law of the place: inputs north (1), east (2),
// their rates (3, 4) and heading (5); outputs surge (6), sway (7), yaw (8, an integer), on (12, a boolean);
// parameters stiffness (9), gear (10, an enumeration) and active (11, a boolean), without which it gives no
// force.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const volatile char kind[32] = "KIND:";
#define IS(word) (!strcmp((const char *)kind + 5, word))
#define EXPORT   __attribute__((visibility("default")))
enum { OK, DISCARD = 2, ERROR = 3 };
static double value[13] = {[9] = 2e5};

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
  const double stiffness = value[9] * value[10] * value[11];
  value[6] = -stiffness * value[1] - 10 * stiffness * value[3];
  value[7] = -stiffness * value[2] - 10 * stiffness * value[4];
  value[8] = (int)(-1e7 * value[5]);
  value[12] = 1;
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

// The same for variables of another type, of which the first only is asked for.
#define TYPED(prefix, name, type, ...)                                                                       \
  EXPORT int prefix##Set##name(void *c, const uint32_t *vr, size_t n, const type *v __VA_ARGS__) {           \
    const double one = (double)v[0];                                                                         \
    (void)c;                                                                                                 \
    return n == 1 ? set(vr, 1, &one) : ERROR;                                                                \
  }                                                                                                          \
  EXPORT int prefix##Get##name(void *c, const uint32_t *vr, size_t n, type *v __VA_ARGS__) {                 \
    double one = 0;                                                                                          \
    (void)c;                                                                                                 \
    get(vr, 1, &one);                                                                                        \
    *v = (type)one;                                                                                          \
    return n == 1 ? OK : ERROR;                                                                              \
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
TYPED(m_fmi, Integer, int)
TYPED(m_fmi, Boolean, char)
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
TYPED(fmi2, Integer, int)
TYPED(fmi2, Boolean, int)
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
TYPED(fmi3, Int32, int32_t, , size_t m)
TYPED(fmi3, Int64, int64_t, , size_t m) // an enumeration
TYPED(fmi3, Boolean, bool, , size_t m)
EXPORT int fmi3DoStep(void *c, double at, double h, bool no, bool *event, bool *end, bool *early,
                      double *last) {
  (void)c, (void)no;
  *event = *end = *early = false;
  *last = at + h;
  return step(at);
}
#endif
