// Fuzzes the telemetry that reaches the live view, to its last readers: an input is messages one after the
// other, each with the number of its topic, two bytes of length and the message. What passes is valid, and
// reaches metrics, alarms, extremes and histories as in the program; what does not is counted. The same
// messages reach them unchecked as well, as those of a log.

#include "view/scene/scene.h"
#include "view/server/server.h"

#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 12 }; // of an input, at most

static const struct view_channel *channels;
static int channel_count;

static struct readers {
  struct metrics *metrics;
  struct alarms *alarms;
  struct past past;
} live, logged;

static void open_readers(struct readers *r, int is_log) {
  r->metrics = metrics_create();
  r->alarms = alarms_create();
  if (!r->metrics || !r->alarms || past_open(&r->past, is_log, NULL) != STATUS_OK)
    abort();
}

static void begin_session(void *context, const char *session) {
  struct readers *r = context;
  if (strlen(session) > 63)
    abort();
  metrics_begin_session(r->metrics, session);
  alarms_begin_session(r->alarms);
  past_begin_session(&r->past);
}

static void take(void *context, const struct view_message *message) {
  struct readers *r = context;
  if (message->channel < 0 || message->channel >= channel_count || (message->size && !message->bytes))
    abort();
  const char *type = channels[message->channel].schema_name;
  metrics_take(r->metrics, type, message->bytes, message->size);
  alarms_take(r->alarms, type, message->bytes, message->size);
  past_take(&r->past, type, message->bytes, message->size, message->time_ns);
}

static void ask(const struct readers *r) {
  static const char *const questions[][2] = {{"envelope", ""},
                                             {"envelope", "at=0.4"},
                                             {"quantities", ""},
                                             {"history", "names=offset_m,hangoff_tension_n&after=0"}};
  static char text[1 << 16];
  const struct metrics_view view = {.has_data = 1};
  if (metrics_write(r->metrics, &view, text, sizeof text) > sizeof text)
    abort();
  free(alarm_json(alarms_list(r->alarms)));
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    char *answer = NULL;
    struct reason why = {""};
    past_response(&r->past, questions[i][0], questions[i][1], &answer, &why);
    free(answer);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct live_source *source;
  const struct live_sink sink = {&live, begin_session, take};
  char note[LIVE_NOTE];
  if (!channels) {
    channels = live_channels(&channel_count);
    open_readers(&live, 0);
    open_readers(&logged, 1);
  }
  if (live_open(NULL, NULL, &source, NULL) != STATUS_OK)
    abort();
  begin_session(&live, "");
  begin_session(&logged, "");
  for (int k = 0; k < MESSAGES && size >= 3; k++) {
    const int channel = data[0] % channel_count;
    size_t length = data[1] + 256u * data[2];
    data += 3, size -= 3;
    length = length < size ? length : size;
    uint8_t *bytes = malloc(length + !length); // exactly, so that a read beyond it is seen
    if (!bytes)
      abort();
    memcpy(bytes, data, length);
    live_take_message(source, &sink, channels[channel].topic + 1, bytes, length, k);
    const struct view_message of_a_log = {channel, bytes, length, 400000000u * (uint64_t)k};
    take(&logged, &of_a_log);
    live_note(source, k, note);
    free(bytes);
    data += length, size -= length;
  }
  ask(&live);
  ask(&logged);
  live_close(source);
  return 0;
}

static size_t seed_of(const char *topic, const ProtobufCMessage *message, uint8_t *out, size_t capacity) {
  int count;
  const struct view_channel *all = live_channels(&count);
  for (int i = 0; i < count; i++)
    if (!strcmp(all[i].topic, topic))
      out[0] = (uint8_t)i;
  size_t size = protobuf_c_message_get_packed_size(message);
  if (size + 3 > capacity || size > 65535)
    return 0;
  out[1] = (uint8_t)size;
  out[2] = (uint8_t)(size >> 8);
  return 3 + protobuf_c_message_pack(message, out + 3);
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
      nodes.n_bending_3_nm = nodes.n_curvature_1pm = nodes.n_arc_length_m = nodes.n_penetration_m = 4;
  nodes.north_m = nodes.east_m = nodes.down_m = nodes.effective_tension_n = nodes.bending_2_nm =
      nodes.bending_3_nm = nodes.curvature_1pm = nodes.arc_length_m = nodes.penetration_m = numbers;
  session.seabed = &seabed;
  event.name = "fault_begins";
  event.text = "text";
  const struct {
    const char *topic;
    const ProtobufCMessage *message;
  } seeds[] = {
      {"/truth", &truth.base}, {"/nodes", &nodes.base}, {"/session", &session.base}, {"/event", &event.base}};
  enum { COUNT = sizeof seeds / sizeof *seeds };
  if (index == COUNT) { // all of them, twice
    size_t used = 0;
    for (int i = 0; i < 2 * COUNT; i++)
      used += seed_of(seeds[i % COUNT].topic, seeds[i % COUNT].message, out + used, capacity - used);
    return used;
  }
  if (index > COUNT)
    return 0;
  return seed_of(seeds[index].topic, seeds[index].message, out, capacity);
}
