// Fuzzes what the other controller of a pair sends: its state with alterations, whose hash is right again;
// then samples from it. An input: 1 byte, the size of the message; 1 byte, whether its hash is recomputed;
// then 13 bytes each: offset, kind, value.

#include "net/case/case.h"
#include "programs/dp/dp_program_internal.h"

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 13, SAMPLES = 3, BEFORE = 40 };
static struct dp standby;         // as the fuzz begins
static struct pair_message truth; // of the other one then
static uint64_t step;

static void sample(struct dp *d) {
  static struct dp_sensors s;
  memset(&s, 0, sizeof s);
  s.step = step;
  s.time_s = 0.01 * (double)step;
  const struct navigation_def *def = &d->config.def.navigation;
  s.readings.instrument_count = def->count;
  for (int i = 0; i < def->count; i++) {
    struct reading *r = &s.readings.instrument[i];
    memcpy(r->name, def->instrument[i].name, sizeof r->name);
    r->kind = def->instrument[i].kind;
    r->valid = 1;
    r->sequence = step;
    r->time_s = s.time_s;
    r->value[0] = 1e-3 * (double)(step % 7);
  }
  dp_sample(&d->state, &d->config.def, &s, &d->work, &d->answer);
  d->has_answer = 1;
}

static void begin(void) {
  static struct dp_options options = {.quiet = 1};
  FILE *errors = fopen("/dev/null", "w");
  if (!errors || dp_config_load(TEST_SOURCE_DIR "/configs/osv-83m-dp.yaml", NULL, 0, &standby.config,
                                errors) != STATUS_OK)
    abort();
  fclose(errors);
  standby.options = &options;
  standby.pair.room = calloc(1 + PAIR_HELD, sizeof *standby.pair.room);
  if (!standby.pair.room)
    abort();
  standby.pair.held = standby.pair.room + 1;
  strcpy(standby.session, "fuzz");
  strcpy(standby.redundancy.commander, "dp-a");
  dp_init(&standby.state);
  for (int i = 0; i < BEFORE; i++) {
    step += 10;
    sample(&standby);
  }
  standby.has_redundancy = standby.redundancy.in_command = 1;
  strcpy(standby.name, "dp-a");
  dp_pair_fill(&standby, &truth);
  strcpy(standby.name, "dp-b");
  standby.redundancy.in_command = 0;
}

static void alter(struct pair_message *m, const uint8_t *record) {
  static const uint64_t odd[] = {0,
                                 1,
                                 0x7fffffff,
                                 0xffffffff,
                                 UINT64_C(1) << 52,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX,
                                 0x7ff8000000000000,
                                 0xfff0000000000000,
                                 0x7fefffffffffffff,
                                 0x7e37e43c8800759c,
                                 0xbff0000000000000};
  uint32_t offset;
  uint64_t value;
  memcpy(&offset, record, sizeof offset);
  memcpy(&value, record + 5, sizeof value);
  const size_t size = record[4] & 1 ? 4 : 8;
  if (record[4] & 2)
    value = odd[value % (sizeof odd / sizeof *odd)];
  memcpy((char *)m + (offset % (sizeof *m - 8)) / size * size, &value, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct dp d;
  if (!standby.options)
    begin();
  if (size < 2)
    return 0;
  const uint64_t at = step;
  struct pair_message *m =
      malloc(sizeof *m); // exact size, so that the sanitizer detects a read beyond the end
  if (!m)
    abort();
  *m = truth;
  d = standby;
  dp_pair_begin(&d);
  d.pair.own_step = step;
  d.pair.has_sample = 1;
  for (size_t i = 2; i + RECORD <= size; i += RECORD)
    alter(m, data + i);
  if (data[1])
    dp_pair_seal(m);
  dp_pair_take_message(&d, m, data[0] < 250 ? sizeof *m : (size_t)data[0] - 250);
  const int is_plain = size < 2 + RECORD && data[0] < 250;
  if (is_plain && !d.pair.heard)
    abort(); // the truth is taken
  if (!d.pair.heard == !d.pair.refused && !d.pair.elsewhere)
    abort();                              // all else is counted
  dp_pair_take_message(&d, m, sizeof *m); // the same again never counts
  if (d.pair.heard && d.pair.refused != 1)
    abort();
  free(m);
  dp_pair_follow(&d);
  if (is_plain && d.pair.followed != 1)
    abort();
  for (int i = 0; i < SAMPLES; i++) {
    step += 10;
    sample(&d);
    dp_alarms(&d.state, &d.config.def, &d.alarms);
  }
  step = at;
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  enum { RECORDS = 4 };
  const size_t size = 2 + RECORD * (size_t)(index % 2 ? RECORDS : 0);
  if (index >= 64 || capacity < size)
    return 0;
  memset(out, 0, size);
  out[1] = index != 3;
  out[0] = index == 5 ? 251 : 0;
  for (size_t i = 2; i < size; i++)
    out[i] = (uint8_t)(index * 37 + (int)i * 101);
  for (size_t i = 2; i + RECORD <= size; i += RECORD)
    out[i + 3] = 0;
  return size;
}
