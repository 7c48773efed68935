// Fuzzes what comes as NMEA sentences and lines: a datagram with whatever it contains, for the thrusters, and
// as a telegram of each kind of instrument.

#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"
#include "net/case/case.h"

#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct config config;
static struct gate gate;
static struct nmea_inputs *inputs;

static void on_event(void *context, const char *name, const char *text) {
  (void)context;
  if (strlen(name) >= GATE_NAME || strlen(text) >= GATE_TEXT)
    abort();
}

static void on_command(void *context, const struct command *command) {
  struct reason why = {""};
  (void)context;
  if (!command_is_valid(&gate.rules, command, &why))
    abort(); // an accepted sentence is a valid command
}

static void prepare(void) {
  static struct thruster_setpoint none[MAX_THRUSTERS];
  struct reason why;
  if (inputs)
    return;
  if (config_load(TEST_SOURCE_DIR "/configs/osv-83m-modbus.yaml", NULL, 0, &config, stderr))
    abort();
  plant_command_rules(&config.sim.vessel.plant, config.sim.step_s, &gate.rules);
  gate.on_event = on_event;
  gate.timeout_ms = 1000;
  gate_init(&gate);
  ((struct config_run *)config.more)->nmea.input_count = 0;
  const struct nmea_session session = {
      .def = &config_run(&config)->nmea, .setpoints = none, .names = &config.scenario.names, .gate = &gate};
  if (nmea_inputs_open(&session, &inputs, &why))
    abort();
}

// What a controller reads is refused with a reason, or has numbers.
static void read_telegrams(const char *text, size_t size) {
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
    size--;
  for (int kind = 0; kind < INSTRUMENT_COUNT; kind++) {
    struct telegram telegram;
    struct reason why = {""};
    const enum status status = telegram_read(text, size, (enum instrument)kind, &telegram, &why);
    if (status != STATUS_OK && !*why.text)
      abort();
    for (int k = 0; status == STATUS_OK && k < READING_CHANNELS; k++)
      if (!isfinite(telegram.value[k]))
        abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct bus_master master = {.name = "nmea:fuzz"};
  prepare();
  char *exact = malloc(size ? size : 1); // exact size, so that the sanitizer detects a read beyond the end
  if (!exact)
    abort();
  memcpy(exact, data, size);
  const struct bus_inbox inbox = {&gate, 7, on_command, NULL};
  nmea_inputs_take(inputs, &master, exact, size, &inbox);
  read_telegrams(exact, size);
  struct reason why = {""};
  if (!dp_alarm_list_is_valid(&master.alarms, &why))
    abort(); // what it reports is possible
  free(exact);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const char *const bodies[] = {
      "IITRC,1,50.5,R,,,,B,C",
      "IITRC,3,-25,P,,V,330.0,S,C",
      "IITRC,2,,V,10,P,,,C",
      "RCTRC,4,30,R,,,90,E,R",
      "IITRC,1,140.1,R,,,,B,C",
      "GPGLL,A",
      "IITRC,9,1,R,,,,B,C",
      "IITRC,1,1,R,5,D,,B,C",
      "IIALF,2,1,0,120003.00,B,A,V,,10002,4,1,0,POWER",
      "IIALF,2,2,0,,,,,,10002,4,1,0,a text^2C",
      "IIALF,1,1,0,,C,W,N,ABC,512,,,,link",
      "RLS,-030.00,+040.00,A,270.000,A,0FA1",
      "RLS,,,V,,V,0000",
      "YXXDR,A,1.500,D,w,A,-0.500,D,w_X,D,301.20,M,w_L,F,4000,N,w_T,S,0,,w_S",
      "YXXDR,F,180,N,w_T,S,1,,w_S",
      "PSIMSSB,180554.432,M44,A,,C,N,M,-61.300,39.017,34.026,0.072,T,0.05,",
      "PSXRAD,1,174512.00,02,00,150,0123.45,00.3,301.20,00.1,-2.50,00.2,-0.12,24,9"};
  static const char *const lines[] = {"012346 301200 7", "01 0097.80 217.11", "01 0097.80 217.11 13"};
  enum { COUNT = sizeof bodies / sizeof *bodies, LINES = sizeof lines / sizeof *lines };
  size_t used = 0;
  if (index > COUNT && index <= COUNT + LINES)
    return (size_t)snprintf((char *)out, capacity, "%s\r\n", lines[index - COUNT - 1]);
  for (int i = 0; i < COUNT && used + 100 < capacity; i++) {
    unsigned sum = 0;
    if (index < COUNT && i != index)
      continue;
    for (const char *c = bodies[i]; *c; c++)
      sum ^= (unsigned char)*c;
    used += (size_t)snprintf((char *)out + used, capacity - used, "$%s*%02X\r\n", bodies[i], sum);
  }
  return index <= COUNT ? used : 0; // the seed before the lines contains all of them
}
