// The publishing socket: any ZeroMQ SUB connects to it, and none can harm it. What a subscriber costs is
// bounded, whatever it sends, reads or leaves: its topics are bits, what waits for it a queue of fixed size
// (what finds no room is dropped and counted), what it sends a budget (who exceeds it is cut off). One thread
// owns a publisher; nothing here blocks.
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
  PUBLISHER_SUBSCRIBERS = 32,             // at a time; beyond it the least use of them makes way
  PUBLISHER_QUEUE_BYTES = 1 << 20,        // for each, or four of the largest messages
  PUBLISHER_BUDGET_BYTES = 64 << 10,      // that one may send at once,
  PUBLISHER_BUDGET_BYTES_PER_S = 16 << 10 // and what it regains
};

struct publisher_counts {
  uint64_t subscribers; // now
  uint64_t dropped;     // messages, for each subscriber whose queue had no room
  uint64_t ignored;     // subscriptions to what is no topic
  uint64_t cut_off; // connections: no subscriber, over its budget, reading nothing for long, or making way
};

struct publisher;

// topics: a list that ends with NULL, and stays. largest: bytes of a message.
enum status publisher_open(const char *endpoint, const char *const *topics, size_t largest,
                           struct publisher **out, struct reason *why);
// Waits at most linger_ms for subscribers to take what is under way.
void publisher_close(struct publisher *p, int linger_ms);
const char *publisher_endpoint(const struct publisher *p); // as bound, with the port chosen
int publisher_is_local(const struct publisher *p);         // only this machine can connect
int publisher_file(const struct publisher *p); // readable when publisher_serve has something to do

// Takes in who connects and what subscribers send, and gives out what waits, a bounded amount of each.
void publisher_serve(struct publisher *p);
// Whether newcomers are let in; those that are there stay.
void publisher_admit(struct publisher *p, int on);
// As two frames, topic and message, to those that subscribe to the topic.
void publisher_send(struct publisher *p, const char *topic, const void *data, size_t size);
const struct publisher_counts *publisher_counts(const struct publisher *p);
