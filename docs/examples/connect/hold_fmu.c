// A controller as an FMU of FMI 2.0 for co-simulation (docs/connect.md): PID about the first position, in world axes.
//
//   mkdir -p hold/binaries/linux64 && cp modelDescription.xml hold
//   cc -shared -fPIC -o hold/binaries/linux64/hold.so hold_fmu.c && cd hold && python3 -m zipfile -c ../hold.fmu *
//   sagbend start configs/jlay-900m.yaml --controller hold.fmu           # with hold.fmu.yaml beside hold.fmu
// It has the functions that its variables need; an FMU for other importers has all those of the standard.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK, ERROR = 3 };
#define NOTHING(name) int name(void) { return OK; }
static const double KP[3] = {1.5e5, 1.5e5, 2e7}, KD[3] = {1e6, 1e6, 2e8}, KI[3] = {4e3, 4e3, 2e5};

// Value references: 0 to 2 north, east, heading less those of the start; 3 to 5 their rates; 6 to 8 the force that holds the
// vessel at the start; 9 to 11 the force to north and east and the moment.
struct controller {
  double value[12], integral[3];
};

NOTHING(fmi2SetupExperiment) NOTHING(fmi2EnterInitializationMode) NOTHING(fmi2Terminate)
NOTHING(fmi2GetInteger) NOTHING(fmi2SetInteger) NOTHING(fmi2GetBoolean) NOTHING(fmi2SetBoolean)

void *fmi2Instantiate(void) {
  return calloc(1, sizeof(struct controller));
}

void fmi2FreeInstance(void *c) {
  free(c);
}

int fmi2ExitInitializationMode(struct controller *c) {
  memcpy(c->integral, c->value + 6, sizeof c->integral); // what holds the vessel goes on
  return OK;
}

int fmi2SetReal(struct controller *c, const uint32_t *reference, size_t count, const double *value) {
  for (size_t i = 0; i < count; i++)
    if (reference[i] < 12)
      c->value[reference[i]] = value[i];
    else
      return ERROR;
  return OK;
}

int fmi2GetReal(struct controller *c, const uint32_t *reference, size_t count, double *value) {
  for (size_t i = 0; i < count; i++)
    value[i] = c->value[reference[i] % 12];
  return OK;
}

int fmi2DoStep(struct controller *c, double time_s, double step_s) {
  for (int i = 0; i < 3; i++) {
    c->integral[i] -= KI[i] * c->value[i] * step_s;
    c->value[9 + i] = c->integral[i] - KP[i] * c->value[i] - KD[i] * c->value[3 + i];
  }
  return OK;
}
