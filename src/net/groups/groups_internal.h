// Line counts of senders, for the reader of groups.
#pragma once

#include "net/groups/groups.h"

// The place of the sender of a line; a new one takes a free place, or that of the one that was silent for
// longest.
struct group_stream *group_stream_find(struct group_reader *reader, const struct group_moment *at,
                                       const char *source, int line, const struct group_sink *sink);

// Counts a line of this sender, with the hash of its sentence. Returns whether it acts: not if it came
// before, or after a later one.
int group_line_take(struct group_reader *reader, struct group_stream *stream, const struct group_moment *at,
                    int line, uint32_t hash, const struct group_sink *sink);
uint32_t group_line_hash(const char *text, size_t size);
// Whether the other network has brought this line just now, as one of another address: a sender whose address
// on one network is a new one.
int group_line_has_come(const struct group_reader *reader, const struct group_stream *stream,
                        const struct group_moment *at, int line, uint32_t hash);

// Notes that a network has brought a line, first (is_new) or again, and which network brings none.
void group_network_heard(struct group_reader *reader, const struct group_moment *at, int is_new,
                         const struct group_sink *sink);
// Of two networks that bring nothing for silent_ms both are lost.
void group_networks_check(struct group_reader *reader, int64_t now_ms, const struct group_sink *sink);

// Whether the other network has brought this line without a count or a source already.
int group_line_is_twin(struct group_reader *reader, const struct group_moment *at, const char *source,
                       const char *text, size_t size);
// The address that stands for a sender without a source.
struct sockaddr_in group_pair_address(const struct group_reader *reader, const struct group_moment *at);
