// Plays a log for each client by itself: position, rate, pause. What a client sees at a time is the newest
// message of each channel at that time, and the events up to it.
#pragma once

#include "view/server/log_series.h"

struct player;

// series must live as long as the player. NULL: out of memory.
struct player *player_create(const struct log_series *series);
void player_free(struct player *player); // accepts NULL
const struct log_series *player_series(const struct player *player);

// The hooks of the gateway; context: the player. Playing begins when a client joins, at the start of the log.
void player_joined(void *context, int client);
void player_left(void *context, int client);
void player_subscribed(void *context, int client, int channel);
void player_play(void *context, int client, const struct view_playback *playback);

// Sends what is due. Returns in how many milliseconds the next call is due at the latest.
int player_work(struct player *player, struct gateway *gateway, int64_t now_ms);

// A message could not be read again: the file has changed. "": none.
const char *player_trouble(const struct player *player);
