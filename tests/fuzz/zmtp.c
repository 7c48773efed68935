// Fuzzes what a telemetry subscriber sends, with and without keys. An input is a list of steps, each an
// operation, a size and that many bytes: bytes as they are, or the handshake and messages of a real client
// with these bytes in them, so that mutation reaches what the encryption protects.

#include "net/zmtp/zmtp.h"
#include "../curve_client.h"

#include "fuzz.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

enum operation { RAW, HELLO, INITIATE, MESSAGE, ALTERED, OPERATIONS };

static const char *const TOPICS[] = {"sensors", "truth", "event", "end"};
enum { TOPIC_COUNT = sizeof TOPICS / sizeof *TOPICS, MOST_REPLIES = 64 };

struct scene {
  struct zmtp_peer peer;
  struct curve_client client;
  int is_admitted, initiated;
  uint8_t replies[4096];
  size_t reply_size;
};

static struct zmtp_keys keys;

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct scene *scene = context;
  if (!scene->initiated)
    abort(); // a key is proved by a client's handshake only
  if (memcmp(key, scene->client.own_public, CURVE_KEY) != 0)
    return ZMTP_UNKNOWN_KEY;
  *out = (struct zmtp_admission){.topics = 1, .who = "fuzz"};
  return scene->is_admitted ? ZMTP_NO_FAILURE : ZMTP_UNKNOWN_KEY;
}

static void on_reply(void *context, const void *data, size_t size) {
  struct scene *scene = context;
  if (scene->reply_size + size > sizeof scene->replies)
    scene->reply_size = 0;
  if (size > sizeof scene->replies)
    abort(); // no answer is as large
  memcpy(scene->replies + scene->reply_size, data, size);
  scene->reply_size += size;
}

// A frame of the client: the operation, with the bytes of the input in it.
static size_t frame_of(struct scene *scene, enum operation operation, const uint8_t *bytes, size_t size,
                       uint8_t out[1024]) {
  uint8_t body[512];
  size_t length = 0;
  if (operation == HELLO) {
    length = client_hello(&scene->client, body);
  } else if (operation == INITIATE) {
    for (size_t at = 0; at + CURVE_WELCOME <= scene->reply_size; at++)
      if (client_take_welcome(&scene->client, scene->replies + at))
        break;
    length = client_initiate(&scene->client, bytes, size, body);
    scene->initiated = 1;
  } else {
    length =
        client_message(&scene->client, size ? bytes[0] : 0, bytes + (size > 0), size ? size - 1 : 0, body);
  }
  if (operation == ALTERED && length)
    body[size * 7 % length] ^= 1;
  out[0] = (uint8_t)(length > 255 ? 6 : 4);
  size_t header = length > 255 ? 9 : 2;
  memset(out + 1, 0, 8);
  if (length > 255) {
    out[7] = (uint8_t)(length >> 8);
    out[8] = (uint8_t)length;
  } else {
    out[1] = (uint8_t)length;
  }
  memcpy(out + header, body, length);
  return header + length;
}

static void run(struct scene *scene, const struct zmtp_reader *reader, const uint8_t *data, size_t size) {
  uint8_t frame[1024], out[2048];
  while (size >= 2) {
    enum operation operation = (enum operation)(data[0] % OPERATIONS);
    size_t length = data[1] < size - 2 ? data[1] : size - 2;
    const uint8_t *bytes = data + 2;
    size_t sent = operation == RAW ? length : frame_of(scene, operation, bytes, length, frame);
    uint8_t *exact = malloc(sent ? sent : 1);
    if (!exact)
      abort();
    memcpy(exact, operation == RAW ? bytes : frame, sent);
    int good = zmtp_take(&scene->peer, reader, exact, sent);
    free(exact);
    if (!good && scene->peer.failure == ZMTP_NO_FAILURE)
      abort(); // each end has a reason
    if (!good)
      return;
    if (reader->keys && scene->peer.state == ZMTP_OPEN && !scene->is_admitted)
      abort();
    for (int i = 1; i < TOPIC_COUNT; i++)
      if (reader->keys && zmtp_wants(&scene->peer, i))
        abort(); // only the first topic is for this key
    if (scene->peer.state == ZMTP_OPEN)
      zmtp_put_frame(&scene->peer, bytes, length, 1, out);
    data += 2 + length;
    size -= 2 + length;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t secret[CURVE_KEY];
  if (!keys.admit) {
    if (sodium_init() < 0)
      abort();
    crypto_box_keypair(keys.own.public_key, secret);
    memcpy(keys.own.secret, secret, CURVE_KEY);
    keys.admit = admit;
  }
  struct scene *scene = calloc(1, sizeof *scene);
  if (!scene || !size) {
    free(scene);
    return 0;
  }
  client_init(&scene->client, keys.own.public_key);
  scene->is_admitted = data[0] >> 1 & 1;
  keys.context = scene;
  const struct zmtp_reader reader = {.role = &ZMTP_PUBLISHER,
                                     .keys = data[0] & 1 ? &keys : NULL,
                                     .reply = on_reply,
                                     .context = scene,
                                     .topics = TOPICS,
                                     .topic_count = TOPIC_COUNT};
  run(scene, &reader, data + 1, size - 1);
  zmtp_forget(&scene->peer);
  free(scene);
  return 0;
}

size_t fuzz_seed(int index, uint8_t *out, size_t capacity) {
  static const uint8_t curve[64] = {0xff, [9] = 0x7f, 3, 1, 'C', 'U', 'R', 'V', 'E'};
  static const uint8_t null[64] = {0xff, [9] = 0x7f, 3, 1, 'N', 'U', 'L', 'L'};
  static const uint8_t metadata[] = "\x0bSocket-Type\0\0\0\3SUB";
  static const uint8_t ready[] = "\x04\x19\x05READY\x0bSocket-Type\0\0\0\3SUB";
  static const uint8_t subscribe[] = "\0\1sensors", command[] = "\2\x09SUBSCRIBEtruth",
                       ping[] = "\2\4PING\0\1abc";
  size_t at = 1;
  if (capacity < 1024 || index > 3)
    return 0;
  out[0] = index == 0 ? 0 : index == 1 ? 1 : 3;
  at = seed_step(out, at, RAW, index == 0 ? null : curve, 64);
  if (index == 0) {
    at = seed_step(out, at, RAW, ready, sizeof ready - 1);
    at = seed_step(out, at, RAW, "\0\6\1truth", 8);
    return seed_step(out, at, RAW, "\4\7\4PING\0\1", 9);
  }
  at = seed_step(out, at, HELLO, "", 0);
  at = seed_step(out, at, INITIATE, metadata, sizeof metadata - 1);
  at = seed_step(out, at, MESSAGE, subscribe, sizeof subscribe - 1);
  at = seed_step(out, at, MESSAGE, command, sizeof command - 1);
  at = seed_step(out, at, MESSAGE, ping, sizeof ping - 1);
  return index == 3 ? seed_step(out, at, ALTERED, subscribe, sizeof subscribe - 1) : at;
}
