// Fuzzes a checkpoint: restores one whose hashes are recomputed, so that alterations pass them; then makes
// steps and messages from it. An input selects a session and alterations of its checkpoint: 1 byte, then 13
// bytes each: offset, kind, value.

#include "net/messages/messages.h"

#include "checkpoint_scene.h"
#include "fuzz.h"

#include <math.h>

enum { RECORD = 13, SESSIONS = 3, STEPS = 3 };
static const char *const configs[SESSIONS] = {"scenarios/sensors.yaml", "jlay-900m.yaml",
                                              "scenarios/thrusters-and-power.yaml"};
static const int steps[SESSIONS] = {700, 400, 900};
static struct checkpoint_scene scenes[SESSIONS];

static struct checkpoint_scene *scene_of(int k) {
  char path[512];
  if (scenes[k].size)
    return &scenes[k];
  snprintf(path, sizeof path, "%s/configs/%s", TEST_SOURCE_DIR, configs[k]);
  if (!scene_open(&scenes[k], path, steps[k]))
    abort();
  return &scenes[k];
}

static void alter(struct checkpoint_scene *x, const uint8_t *record) {
  static const uint64_t odd[] = {0,
                                 1,
                                 2,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 UINT64_C(1) << 31,
                                 UINT64_C(1) << 40,
                                 UINT64_C(1) << 52,
                                 UINT64_C(1) << 62,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX,
                                 UINT64_MAX - 1,
                                 0x7ff8000000000000,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7fefffffffffffff,
                                 0x7e37e43c8800759c,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x0000000000000001,
                                 0x43e0000000000000};
  uint32_t offset;
  uint64_t value;
  memcpy(&offset, record, sizeof offset);
  memcpy(&value, record + 5, sizeof value);
  size_t size = record[4] & 1 ? 4 : 8, room = x->parts.end - x->parts.state;
  size_t at = x->parts.state + (offset % (room - 8)) / size * size;
  if (record[4] & 2)
    value = odd[value % (sizeof odd / sizeof *odd)];
  if (record[4] & 4) { // close to the previous value
    uint64_t was = 0;
    memcpy(&was, x->altered + at, size);
    value = was + (uint64_t)(int64_t)(int8_t)record[5];
  }
  memcpy(x->altered + at, &value, size);
}

static void use(struct checkpoint_scene *x) {
  static uint8_t bytes[1 << 16];
  struct wire_header header = {.session = "fuzz", .sequence = 1};
  for (int i = 0; i < STEPS; i++) {
    wire_pack_sensors(&header, &x->closed_loop.frame, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE);
    wire_pack_truth(&header, &x->closed_loop.frame, bytes, sizeof bytes);
    closed_loop_step(&x->closed_loop, NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 + RECORD)
    return 0;
  struct checkpoint_scene *x = scene_of(data[0] % SESSIONS);
  struct reason why = {""};
  memcpy(x->altered, x->base, x->size);
  for (size_t at = 1, n = 0; at + RECORD <= size && n < 64; at += RECORD, n++)
    alter(x, data + at);
  if (scene_restore(x, x->altered, &why) == STATUS_OK)
    use(x);
  memcpy(x->altered, x->base, x->size);
  if (scene_restore(x, x->altered, &why) != STATUS_OK) // the unaltered checkpoint always restores
    abort();
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  size_t size = 1 + RECORD * (1 + (size_t)index % 4);
  if (index >= 240 || capacity < size)
    return 0;
  struct checkpoint_scene *x = scene_of(index % SESSIONS);
  out[0] = (uint8_t)(index % SESSIONS);
  for (size_t at = 1; at < size; at += RECORD) {
    uint32_t offset = (uint32_t)((size_t)index * 2654435761u % (x->parts.end - x->parts.state));
    uint64_t value = (uint64_t)index;
    memcpy(out + at, &offset, 4);
    out[at + 4] = (uint8_t)(2 + index % 2);
    memcpy(out + at + 5, &value, 8);
  }
  return size;
}
