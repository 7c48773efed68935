// Fuzzes a configuration, which may extend the shipped ones.
#define _GNU_SOURCE

#include "net/case/case.h"

#include "seeds.h"

#include <stdlib.h>

static const char *const shipped[] = {"vessel-only.yaml",          "jlay-900m.yaml",
                                      "osv-83m-weather.yaml",      "jlay-segments.yaml",
                                      "jlay-uneven.yaml",          "paper-iii.yaml",
                                      "jlay-circle.yaml",          "scenarios/sensors.yaml",
                                      "scenarios/network.yaml",    "scenarios/thrusters-and-power.yaml",
                                      "scenarios/common/osv.yaml", "osv-83m.yaml",
                                      "osv-83m-instruments.yaml"};
enum { SHIPPED = sizeof shipped / sizeof *shipped };
static const char *const beside[] = {"osv-83m.yaml", "osv-83m-instruments.yaml", "common/osv.yaml",
                                     "uneven-900m.asc"};
enum { BESIDE = sizeof beside / sizeof *beside };
static struct config_files files;

static void prepare(void) {
  static uint8_t room[FUZZ_LARGEST];
  for (; files.count < BESIDE; files.count++) {
    char path[512];
    snprintf(path, sizeof path, CONFIGS "%s%s", files.count == 2 ? "scenarios/" : "", beside[files.count]);
    size_t size = seed_of_file(path, room, sizeof room);
    files.file[files.count] =
        (struct config_file){.path = strdup(beside[files.count]), .text = malloc(size + 1), .size = size};
    memcpy(files.file[files.count].text, room, size);
    files.file[files.count].text[size] = '\0';
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct config c;
  struct reason why = {""};
  prepare();
  FILE *errors = fopen("/dev/null", "w");
  if (config_load_text("fuzz", (const char *)data, size, &files, NULL, 0, &c, errors) == 0) {
    size_t memory;
    sim_memsize(&c.sim, &memory, &why);
    sensor_suite_memsize(&c.suite, c.sim.step_s);
  }
  config_free(&c);
  fclose(errors);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char small[] =
      "extends: osv-83m-instruments.yaml\nname: x\nevents:\n  - {name: a, at_s: 1, duration_s: 2, fault: "
      "bias, target: gyro-1, bias: 1}\nverdicts:\n  - {name: v, quantity: offset_m, below: 5}\n";
  char path[512];
  if (index == SHIPPED) {
    memcpy(out, small, sizeof small - 1);
    return sizeof small - 1;
  }
  if (index > SHIPPED)
    return 0;
  snprintf(path, sizeof path, CONFIGS "%s", shipped[index]);
  return seed_of_file(path, out, capacity);
}
