// Fuzzes the telemetry that reaches the live view: the first byte of an input selects a topic, the rest is
// the message. What passes is valid; what does not is counted.
#include "fuzz.h"

#include "view/server/live.h"

#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <stdlib.h>
#include <string.h>

static int channel_count;

static void begin_session(void *context, const char *session) {
  (void)context;
  if (strlen(session) > 63)
    abort();
}

static void take(void *context, const struct view_message *message) {
  (void)context;
  if (message->channel < 0 || message->channel >= channel_count || (message->size && !message->bytes))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct live_source *source;
  static const struct view_channel *channels;
  static int64_t now_ms;
  const struct live_sink sink = {NULL, begin_session, take};
  char note[LIVE_NOTE];
  if (!source) {
    channels = live_channels(&channel_count);
    if (live_open(NULL, NULL, &source, NULL) != STATUS_OK)
      abort();
  }
  if (size == 0)
    return 0;
  uint8_t *bytes = malloc(size);
  if (!bytes)
    return 0;
  memcpy(bytes, data + 1, size - 1);
  live_take_message(source, &sink, channels[*data % channel_count].topic + 1, bytes, size - 1, now_ms++);
  live_note(source, now_ms, note);
  free(bytes);
  return 0;
}

static size_t seed_of(const char *topic, const ProtobufCMessage *message, uint8_t *out, size_t capacity) {
  const struct view_channel *channels = live_channels(&channel_count);
  for (int i = 0; i < channel_count; i++)
    if (!strcmp(channels[i].topic, topic))
      out[0] = (uint8_t)i;
  size_t size = protobuf_c_message_get_packed_size(message);
  return size < capacity ? 1 + protobuf_c_message_pack(message, out + 1) : 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  Sagbend__V1__Header header = SAGBEND__V1__HEADER__INIT;
  Sagbend__V1__Truth truth = SAGBEND__V1__TRUTH__INIT;
  Sagbend__V1__Nodes nodes = SAGBEND__V1__NODES__INIT;
  Sagbend__V1__Session session = SAGBEND__V1__SESSION__INIT;
  Sagbend__V1__SeabedInfo seabed = SAGBEND__V1__SEABED_INFO__INIT;
  Sagbend__V1__Event event = SAGBEND__V1__EVENT__INIT;
  double numbers[4] = {1, 2, 3, 4};
  header.protocol = 1;
  header.session = "a";
  header.sequence = header.step = 7;
  header.time_s = 0.5;
  truth.header = nodes.header = session.header = event.header = &header;
  nodes.n_north_m = nodes.n_east_m = nodes.n_down_m = nodes.n_effective_tension_n = nodes.n_bending_2_nm =
      nodes.n_bending_3_nm = nodes.n_curvature_1pm = 4;
  nodes.north_m = nodes.east_m = nodes.down_m = nodes.effective_tension_n = nodes.bending_2_nm =
      nodes.bending_3_nm = nodes.curvature_1pm = numbers;
  session.seabed = &seabed;
  event.name = "fault_begins";
  event.text = "text";
  const struct {
    const char *topic;
    const ProtobufCMessage *message;
  } seeds[] = {
      {"/truth", &truth.base}, {"/nodes", &nodes.base}, {"/session", &session.base}, {"/event", &event.base}};
  if (index >= (int)(sizeof seeds / sizeof *seeds))
    return 0;
  return seed_of(seeds[index].topic, seeds[index].message, out, capacity);
}
