// A log for the player, or the parts of one: read once from end to end when it is opened, so that everything
// played has been checked. Kept of it: the times of each channel's messages, the events and the alarms.
#pragma once

#include "log/mcap/mcap.h"
#include "view/scene/alarm_list.h"
#include "view/server/server.h"
#include "view/server/past.h"

enum {
  SERIES_FILES = 1024,
  SERIES_EVENTS = 100000
}; // at most; further events are played but not sent after a seek

struct log_series;

struct series_event {
  int channel;
  uint64_t time_ns;
  const uint8_t *bytes;
  size_t size;
};

// paths: one log, or parts of one session in any order; parts may be missing. STATUS_IO: a file cannot be
// read, is damaged or not closed (why as 'sagbend log info' states it), or the files do not belong together.
enum status log_series_open(char *const *paths, int count, struct log_series **out, struct reason *why);
void log_series_close(struct log_series *series); // accepts NULL

// Channels of the log, then those of view/scene. /session is the log's /session_info.
const struct view_channel *log_series_channels(const struct log_series *series, int *count);
int log_series_own_count(const struct log_series *series); // of the log itself
int log_series_channel_of(const struct log_series *series, const struct mcap_channel *channel); // -1: none

// Quantities and extremes over the whole log.
const struct past *log_series_past(const struct log_series *series);

const char *log_series_session(const struct log_series *series);
void log_series_span(const struct log_series *series, uint64_t *start_ns, uint64_t *end_ns);
int log_series_file_count(const struct log_series *series);
unsigned log_series_part(const struct log_series *series,
                         int file); // its number, from 1; 0: the log is one file
const char *log_series_path(const struct log_series *series, int file);
int log_series_file_at(const struct log_series *series,
                       uint64_t time_ns); // the last that begins at or before a time

// All alarms of the log, with the times of their begin and end.
const struct alarm_list *log_series_alarms(const struct log_series *series);

// The newest message of a channel at a time: returns 0 if there is none, else its file and time.
int log_series_newest(const struct log_series *series, int channel, uint64_t time_ns, int *file,
                      uint64_t *found_ns);

// Events in the order of their times: their number up to and with a time, and one of them.
size_t log_series_events_to(const struct log_series *series, uint64_t time_ns);
const struct series_event *log_series_event(const struct log_series *series, size_t index);
