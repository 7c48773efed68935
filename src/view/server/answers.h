// The server's messages of the Foxglove protocol. The texts are parcels; NULL: out of memory.
#pragma once

#include "view/server/server.h"
#include "view/server/parcel.h"

struct parcel *answer_server_info(const char *name, const char *session, int is_log);
struct parcel *answer_advertise(const struct view_channel *channels, int count);

enum answer_level { LEVEL_INFO, LEVEL_WARNING, LEVEL_ERROR };
// id: a later status with the same one replaces it; NULL: none.
struct parcel *answer_status(enum answer_level level, const char *text, const char *id);

enum { ANSWER_MESSAGE_HEAD = 13, ANSWER_TIME = 9 }; // bytes
void answer_pack_message_head(uint8_t out[ANSWER_MESSAGE_HEAD], uint32_t subscription, uint64_t time_ns);
void answer_pack_time(uint8_t out[ANSWER_TIME], uint64_t time_ns);
