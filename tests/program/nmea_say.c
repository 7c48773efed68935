// Transmits given readings as NMEA 0183 sentences: nmea_say (udp HOST:PORT | serial DEVICE) [TALKER]. Lines
// of standard input:
//   LATITUDE_DEG LONGITUDE_DEG START_UTC        (first)
//   KIND VALID TIME_S VALUE...                  (one measurement each, six values)
#include "net/buses/buses.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int kind_of(const char *name) {
  for (int k = 0; k < INSTRUMENT_COUNT; k++)
    if (!strcmp(name, instrument_name(k)))
      return k;
  return -1;
}

int main(int argc, char **argv) {
  static struct nmea_def def = {.port_count = 1};
  static struct readings all;
  struct nmea_ports *ports;
  struct reason why = {""};
  char start[32], kind[24];
  if (argc < 3 || scanf("%lf %lf %31s", &def.origin.latitude_rad, &def.origin.longitude_rad, start) != 3 ||
      !nmea_parse_utc(start, &def.origin.start_utc_s))
    return 2;
  def.origin.latitude_rad *= 3.14159265358979323846 / 180;
  def.origin.longitude_rad *= 3.14159265358979323846 / 180;
  struct nmea_port_def *port = &def.ports[0];
  snprintf(!strcmp(argv[1], "udp") ? port->udp : port->serial, sizeof port->udp, "%s", argv[2]);
  port->baud = 115200;
  snprintf(port->talker, sizeof port->talker, "%s", argc > 3 ? argv[3] : "");
  for (int k = 0; k < INSTRUMENT_COUNT; k++) {
    all.instrument[k].kind = k;
    snprintf(all.instrument[k].name, SIGNAL_NAME, "%s", instrument_name(k));
    strcat(strcat(port->instruments, " "), instrument_name(k));
  }
  all.instrument_count = INSTRUMENT_COUNT;
  if (nmea_ports_open(&def, &ports, &why) != STATUS_OK) {
    fprintf(stderr, "%s\n", why.text);
    return 1;
  }
  struct reading r;
  memset(&r, 0, sizeof r);
  while (scanf("%23s %d %lf %lf %lf %lf %lf %lf %lf", kind, &r.valid, &r.time_s, &r.value[0], &r.value[1],
               &r.value[2], &r.value[3], &r.value[4], &r.value[5]) == 9) {
    struct reading *to = &all.instrument[kind_of(kind)];
    r.sequence = to->sequence + 1;
    r.kind = to->kind;
    strcpy(r.name, to->name);
    *to = r;
    nmea_ports_send(ports, &all, r.time_s, NULL, 0);
    usleep(300);
  }
  const struct nmea_counts *counts = nmea_ports_counts(ports);
  fprintf(stderr, "%llu sent, %llu lost\n", (unsigned long long)counts->sent,
          (unsigned long long)counts->lost);
  const int has_lost = counts->lost > 0;
  nmea_ports_close(ports);
  return has_lost;
}
