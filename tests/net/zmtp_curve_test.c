// The server's end of CurveZMQ against a client that can lie, byte by byte.
#include "net/zmtp/zmtp.h"

#include "curve_client.h"
#include "suite.h"

static const uint8_t SUBSCRIBER[] = "\x0bSocket-Type\0\0\0\3SUB";
enum { METADATA = sizeof SUBSCRIBER - 1 };

static struct curve_server_keys keys;
static struct curve_client client;
static struct curve_peer peer;
static uint8_t hello[CLIENT_HELLO], welcome[CURVE_WELCOME], initiate[CLIENT_INITIATE + METADATA],
    ready[CURVE_READY_MOST];

static void set_up(void) {
  ck_assert_int_ge(sodium_init(), 0);
  crypto_box_keypair(keys.public_key, keys.secret);
  client_init(&client, keys.public_key);
  memset(&peer, 0, sizeof peer);
}

static void exchange_hello(void) {
  client_hello(&client, hello);
  ck_assert(curve_take_hello(&peer, &keys, hello, sizeof hello, welcome));
  ck_assert(client_take_welcome(&client, welcome));
}

static int take_initiate(const uint8_t *body, size_t size, const uint8_t **metadata, size_t *metadata_size) {
  static uint8_t copy[2 * sizeof initiate]; // it is decrypted in place
  memcpy(copy, body, size);
  return curve_take_initiate(&peer, &keys, copy, size, metadata, metadata_size);
}

static void exchange_all(void) {
  const uint8_t *metadata;
  size_t size;
  exchange_hello();
  ck_assert_uint_eq(client_initiate(&client, SUBSCRIBER, METADATA, initiate), sizeof initiate);
  ck_assert(take_initiate(initiate, sizeof initiate, &metadata, &size));
  ck_assert_uint_eq(size, METADATA);
  ck_assert_mem_eq(metadata, SUBSCRIBER, METADATA);
  ck_assert_mem_eq(peer.client, client.own_public, CURVE_KEY);
  ck_assert_uint_eq(curve_admit(&peer, SUBSCRIBER, METADATA, ready), 6 + 8 + 16 + METADATA);
}

START_TEST(a_handshake_ends_in_messages_both_ways) {
  uint8_t body[200], flags, *content;
  size_t size;
  exchange_all();
  for (int i = 0; i < 3; i++) {
    size_t sent = client_message(&client, 1, (const uint8_t *)"subscribe", 9, body);
    ck_assert(curve_take_message(&peer, body, sent, &flags, &content, &size));
    ck_assert_uint_eq(flags, 1);
    ck_assert_uint_eq(size, 9);
    ck_assert_mem_eq(content, "subscribe", 9);
  }
  uint8_t out[100 + CURVE_BOX_OVERHEAD], plain[101 + 32];
  for (size_t length = 0; length <= 100; length += 50) {
    memset(body, (int)length, sizeof body);
    curve_put_message(&peer, 2, body, length, out);
    ck_assert_uint_eq(client_take_message(&client, out, length + CURVE_BOX_OVERHEAD, plain), length + 1);
    ck_assert_uint_eq(plain[0], 2);
    ck_assert_mem_eq(plain + 1, body, length);
  }
}
END_TEST

// Every single bit of HELLO that carries meaning: the server answers none of the altered ones.
START_TEST(no_altered_hello_is_answered) {
  client_hello(&client, hello);
  for (size_t byte = 0; byte < sizeof hello; byte++) {
    if (byte >= 8 && byte < 80)
      continue; // padding
    for (int bit = 0; bit < 8; bit++) {
      if (byte == 111 && bit == 7)
        continue; // the highest bit of a public key has no meaning (RFC 7748)
      struct curve_peer fresh = {.state = CURVE_AWAITS_HELLO};
      hello[byte] ^= (uint8_t)(1 << bit);
      ck_assert_msg(!curve_take_hello(&fresh, &keys, hello, sizeof hello, welcome), "bit %d of byte %zu", bit,
                    byte);
      hello[byte] ^= (uint8_t)(1 << bit);
    }
  }
  for (size_t size = 0; size < sizeof hello; size++)
    ck_assert(!curve_take_hello(&peer, &keys, hello, size, welcome));
  ck_assert(curve_take_hello(&peer, &keys, hello, sizeof hello, welcome));
  ck_assert(!curve_take_hello(&peer, &keys, hello, sizeof hello, welcome)); // a second one
}
END_TEST

START_TEST(a_hello_for_another_server_is_not_answered) {
  struct curve_server_keys other;
  crypto_box_keypair(other.public_key, other.secret);
  client_hello(&client, hello);
  ck_assert(!curve_take_hello(&peer, &other, hello, sizeof hello, welcome));
}
END_TEST

// Every byte of INITIATE: cookie, number, box with key, voucher and metadata.
START_TEST(no_altered_initiate_is_accepted) {
  const uint8_t *metadata;
  size_t size;
  exchange_hello();
  client_initiate(&client, SUBSCRIBER, METADATA, initiate);
  const struct curve_peer before = peer;
  for (size_t byte = 0; byte < sizeof initiate; byte++)
    for (int bit = 0; bit < 8; bit += 7) {
      peer = before;
      initiate[byte] ^= (uint8_t)(1 << bit);
      ck_assert_msg(!take_initiate(initiate, sizeof initiate, &metadata, &size), "bit %d of byte %zu", bit,
                    byte);
      initiate[byte] ^= (uint8_t)(1 << bit);
    }
  for (size_t cut = 0; cut < sizeof initiate; cut++) {
    peer = before;
    ck_assert(!take_initiate(initiate, cut, &metadata, &size));
  }
  peer = before;
  ck_assert(take_initiate(initiate, sizeof initiate, &metadata, &size));
  ck_assert(!take_initiate(initiate, sizeof initiate, &metadata, &size)); // a second one
}
END_TEST

// The same INITIATE on another connection, whose HELLO is a replay as well: its cookie is not from there.
START_TEST(a_replayed_handshake_is_refused) {
  struct curve_peer first;
  const uint8_t *metadata;
  size_t size;
  exchange_all();
  first = peer;
  memset(&peer, 0, sizeof peer);
  ck_assert(curve_take_hello(&peer, &keys, hello, sizeof hello, welcome));
  ck_assert_mem_ne(peer.own_public, first.own_public, CURVE_KEY);
  ck_assert(!take_initiate(initiate, sizeof initiate, &metadata, &size));
}
END_TEST

// A client that does not have the secret key of the public key that it states.
START_TEST(a_borrowed_public_key_is_refused) {
  const uint8_t *metadata;
  uint8_t other_secret[32];
  size_t size;
  exchange_hello();
  crypto_box_keypair(client.own_public, other_secret);
  client_initiate(&client, SUBSCRIBER, METADATA, initiate);
  ck_assert(!take_initiate(initiate, sizeof initiate, &metadata, &size));
}
END_TEST

// A voucher that was given to another server: that server cannot use it here.
START_TEST(a_voucher_for_another_server_is_refused) {
  const uint8_t *metadata;
  size_t size;
  exchange_hello();
  randombytes_buf(client.server, sizeof client.server);
  client_initiate(&client, SUBSCRIBER, METADATA, initiate);
  ck_assert(!take_initiate(initiate, sizeof initiate, &metadata, &size));
}
END_TEST

START_TEST(a_voucher_for_another_transient_key_is_refused) {
  const uint8_t *metadata;
  size_t size;
  exchange_hello();
  client.lie = 1;
  client_initiate(&client, SUBSCRIBER, METADATA, initiate);
  ck_assert(!take_initiate(initiate, sizeof initiate, &metadata, &size));
}
END_TEST

START_TEST(messages_come_once_and_in_order) {
  uint8_t first[50], second[50], copy[50], flags, *content;
  size_t size;
  exchange_all();
  size_t sent = client_message(&client, 0, (const uint8_t *)"one", 3, first);
  client_message(&client, 0, (const uint8_t *)"two", 3, second);
  memcpy(copy, second, sizeof copy);
  ck_assert(curve_take_message(&peer, copy, sent, &flags, &content, &size));
  memcpy(copy, second, sizeof copy);
  ck_assert(!curve_take_message(&peer, copy, sent, &flags, &content, &size)); // again
  memcpy(copy, first, sizeof copy);
  ck_assert(!curve_take_message(&peer, copy, sent, &flags, &content, &size)); // an older one
  size_t third = client_message(&client, 0, (const uint8_t *)"three", 5, first);
  for (size_t byte = 0; byte < third; byte++) {
    struct curve_peer before = peer;
    memcpy(copy, first, sizeof copy);
    copy[byte] ^= 1;
    ck_assert(!curve_take_message(&peer, copy, third, &flags, &content, &size));
    memcpy(copy, first, sizeof copy);
    ck_assert(!curve_take_message(&peer, copy, byte, &flags, &content, &size));
    ck_assert_mem_eq(&before, &peer, sizeof peer);
  }
  ck_assert(curve_take_message(&peer, first, third, &flags, &content, &size));
}
END_TEST

START_TEST(nothing_comes_before_its_turn) {
  uint8_t body[CLIENT_INITIATE + METADATA], flags, *content;
  const uint8_t *metadata;
  size_t size, sent = client_message(&client, 0, (const uint8_t *)"x", 1, body);
  ck_assert(!curve_take_message(&peer, body, sent, &flags, &content, &size));
  client_initiate(&client, SUBSCRIBER, METADATA, body);
  ck_assert(!take_initiate(body, sizeof body, &metadata, &size));
  exchange_hello();
  sent = client_message(&client, 0, (const uint8_t *)"x", 1, body);
  ck_assert(!curve_take_message(&peer, body, sent, &flags, &content, &size));
  client_initiate(&client, SUBSCRIBER, METADATA, body);
  ck_assert(take_initiate(body, sizeof body, &metadata, &size));
  sent = client_message(&client, 0, (const uint8_t *)"x", 1, body); // proved, but not admitted yet
  ck_assert(!curve_take_message(&peer, body, sent, &flags, &content, &size));
}
END_TEST

START_TEST(a_forgotten_connection_has_no_keys) {
  const struct curve_peer zero = {.state = CURVE_AWAITS_HELLO};
  exchange_all();
  const uint8_t none[CURVE_KEY] = {0};
  ck_assert_mem_eq(peer.cookie, none, CURVE_KEY);
  curve_forget(&peer);
  ck_assert_mem_eq(&peer, &zero, sizeof peer);
}
END_TEST

int main(void) {
  Suite *s = suite_create("curve");
  TCase *c = tcase_create("curve");
  tcase_add_checked_fixture(c, set_up, NULL);
  tcase_add_test(c, a_handshake_ends_in_messages_both_ways);
  tcase_add_test(c, no_altered_hello_is_answered);
  tcase_add_test(c, a_hello_for_another_server_is_not_answered);
  tcase_add_test(c, no_altered_initiate_is_accepted);
  tcase_add_test(c, a_replayed_handshake_is_refused);
  tcase_add_test(c, a_borrowed_public_key_is_refused);
  tcase_add_test(c, a_voucher_for_another_server_is_refused);
  tcase_add_test(c, a_voucher_for_another_transient_key_is_refused);
  tcase_add_test(c, messages_come_once_and_in_order);
  tcase_add_test(c, nothing_comes_before_its_turn);
  tcase_add_test(c, a_forgotten_connection_has_no_keys);
  suite_add_tcase(s, c);
  return run_suite(s);
}
