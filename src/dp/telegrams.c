#include "dp/telegrams.h"

#include "io/telegrams/telegram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAMS = 200, DATAGRAM_MAX = 1500 };
enum { FIXES_ALONE = 10 }; // that a receiver may send without its velocity

static const struct dp_instrument *instrument_of(const struct dp_telegrams *t, int i) {
  const struct navigation_def *navigation = &t->config->def.navigation;
  for (int k = 0; k < navigation->count; k++)
    if (!strcmp(navigation->instrument[k].name, t->config->telegram[i].instrument))
      return &navigation->instrument[k];
  return NULL; // never: the DP file was checked
}

void dp_telegrams_begin(struct dp_telegrams *t) {
  memset(t->newest, 0, sizeof t->newest);
  memset(t->fixes_alone, 0, sizeof t->fixes_alone);
  for (int i = 0; i < t->config->telegram_count; i++) {
    const struct dp_instrument *d = instrument_of(t, i);
    memcpy(t->newest[i].name, d->name, sizeof d->name);
    t->newest[i].kind = d->kind;
  }
}

enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why) {
  memset(t, 0, sizeof *t);
  t->config = config;
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    t->file[i] = -1;
  for (int i = 0; i < config->telegram_count; i++) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)config->telegram[i].port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    t->file[i] = socket(AF_INET, SOCK_DGRAM, 0);
    if (t->file[i] < 0 || bind(t->file[i], (const struct sockaddr *)&at, sizeof at) != 0)
      return fail(why, STATUS_IO, "telegrams of %s at UDP port %d: %s", config->telegram[i].instrument,
                  config->telegram[i].port, strerror(errno));
  }
  dp_telegrams_begin(t);
  return STATUS_OK;
}

void dp_telegrams_close(struct dp_telegrams *t) {
  for (int i = 0; i < MAX_DP_TELEGRAMS; i++)
    if (t->file[i] >= 0)
      close(t->file[i]);
}

static double heading_of(const struct readings *readings) {
  for (int i = 0; i < readings->instrument_count; i++)
    if (readings->instrument[i].kind == INSTRUMENT_GYRO && readings->instrument[i].valid)
      return readings->instrument[i].value[0];
  return 0;
}

static void refuse(struct dp_telegrams *t, int i, const char *why) {
  t->refused++;
  snprintf(t->problem, sizeof t->problem, "%s: %s", t->newest[i].name, why);
}

// A fix without a velocity beside it would be held for one of a vessel at rest.
static void place_fix(struct dp_telegrams *t, int i, const struct telegram *telegram) {
  struct reading *to = &t->newest[i];
  if (!telegram->valid)
    return;
  t->fixes_alone[i] += t->fixes_alone[i] < 2 * FIXES_ALONE;
  to->valid = telegram_in_plane(t->config->origin_rad, telegram->value, to->value);
  if (!to->valid)
    refuse(t, i, "a position within 1000 km of nmea.origin_deg expected in GGA");
  else if (t->fixes_alone[i] > FIXES_ALONE) {
    to->valid = 0;
    refuse(t, i, "VTG expected beside GGA: the velocity is missing");
  }
}

static void take_line(struct dp_telegrams *t, int i, const char *line, size_t size, double time_s,
                      const struct readings *readings) {
  struct reading *to = &t->newest[i];
  struct telegram telegram;
  struct reason why = {""};
  if (telegram_read(line, size, to->kind, &telegram, &why) != STATUS_OK) {
    refuse(t, i, why.text);
    return;
  }
  t->received++;
  for (int k = 0; k < READING_CHANNELS; k++)
    to->value[k] = telegram.channels >> k & 1u ? telegram.value[k] : to->value[k];
  if (to->kind == INSTRUMENT_GNSS && telegram.channels >> 3 & 1u)
    t->fixes_alone[i] = 0;
  if (!(telegram.channels & 1u))
    return;
  to->valid = telegram.valid;
  to->sequence++;
  to->time_s = fmax(0, time_s - t->config->telegram[i].latency_s);
  if (telegram.axes == AXES_GEOGRAPHIC)
    place_fix(t, i, &telegram);
  if (to->kind == INSTRUMENT_HYDROACOUSTIC && telegram.axes == AXES_NORTH) {
    double c = cos(heading_of(readings)), s = sin(heading_of(readings));
    to->value[0] = c * telegram.value[0] + s * telegram.value[1];
    to->value[1] = c * telegram.value[1] - s * telegram.value[0];
  }
}

static void take_datagram(struct dp_telegrams *t, int i, const char *data, size_t size, double time_s,
                          const struct readings *readings) {
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && data[end] != '\n' && data[end] != '\r')
      end++;
    if (end > begin)
      take_line(t, i, data + begin, end - begin, time_s, readings);
    begin = end + 1;
  }
}

static void replace(struct readings *readings, const struct reading *newest) {
  for (int k = 0; k < readings->instrument_count; k++)
    if (readings->instrument[k].kind == newest->kind && !strcmp(readings->instrument[k].name, newest->name)) {
      readings->instrument[k] = *newest;
      return;
    }
  if (readings->instrument_count > 0 && readings->instrument_count < MAX_INSTRUMENTS)
    readings->instrument[readings->instrument_count++] = *newest;
}

void dp_telegrams_take(struct dp_telegrams *t, double time_s, struct readings *readings) {
  char data[DATAGRAM_MAX];
  for (int i = 0; i < t->config->telegram_count; i++) {
    for (int n = 0; n < DATAGRAMS; n++) {
      ssize_t size = recv(t->file[i], data, sizeof data, MSG_DONTWAIT);
      if (size < 0)
        break;
      take_datagram(t, i, data, (size_t)size, time_s, readings);
    }
    replace(readings, &t->newest[i]);
  }
}
