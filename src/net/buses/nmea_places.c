// Where sentences go and come from: addresses of UDP, groups, serial lines and their rates.
#define _DEFAULT_SOURCE // the higher baud rates
#include "net/buses/buses.h"
#include "net/buses/buses_internal.h"

#include "sagbend/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct {
  int baud;
  speed_t code;
} SPEEDS[] = {{4800, B4800},   {9600, B9600},   {19200, B19200},
              {38400, B38400}, {57600, B57600}, {115200, B115200}};

// B0: the rate is not supported.
static speed_t nmea_speed(int baud) {
  for (size_t i = 0; i < sizeof SPEEDS / sizeof *SPEEDS; i++)
    if (SPEEDS[i].baud == baud)
      return SPEEDS[i].code;
  return B0;
}

int nmea_is_baud(int baud) {
  return nmea_speed(baud) != B0;
}

int nmea_parse_listening(const char *text, struct sockaddr_in *out) {
  char host[INET_ADDRSTRLEN] = "";
  const char *colon = strchr(text, ':');
  int port = !colon ? -1 : strcmp(colon, ":*") == 0 ? 0 : endpoint_port(colon + 1);
  *out = (struct sockaddr_in){.sin_family = AF_INET};
  if (port < 0 || (size_t)(colon - text) >= sizeof host)
    return 0;
  memcpy(host, text, (size_t)(colon - text));
  if (inet_pton(AF_INET, host, &out->sin_addr) != 1)
    return 0;
  out->sin_port = htons((uint16_t)port);
  return 1;
}

// 0: not "HOST:PORT" with a numeric host.
static int nmea_parse_udp(const char *text, struct sockaddr_in *out) {
  return nmea_parse_listening(text, out) && out->sin_port != 0;
}

int nmea_is_listening(const char *text) {
  struct sockaddr_in address;
  return nmea_parse_listening(text, &address);
}

int nmea_is_udp(const char *text) {
  struct sockaddr_in address;
  const char *colon = strchr(text, ':');
  return nmea_parse_udp(text, &address) ||
         (colon && !strcmp(colon, ":*") && nmea_parse_listening(text, &address) &&
          ntohl(address.sin_addr.s_addr) >> 24 == 127);
}

int nmea_known_sentences(const char *text, char word[16]) {
  while (words_next(&text, word, 16)) {
    int known = 0;
    for (int s = 0; s < NMEA_SENTENCE_COUNT; s++)
      known |= !strcmp(word, nmea_name((enum nmea_sentence)s));
    if (!known)
      return 0;
  }
  return 1;
}

int nmea_is_group(const char *udp, const char *serial) {
  return !*udp && !*serial;
}

int nmea_is_multicast(const char *udp) {
  struct sockaddr_in at;
  return nmea_parse_listening(udp, &at) && group_is_multicast(&at);
}

int nmea_has_groups(const struct nmea_def *def) {
  int has = 0;
  for (int i = 0; i < def->port_count; i++)
    has |= nmea_is_group(def->ports[i].udp, def->ports[i].serial) || nmea_is_multicast(def->ports[i].udp);
  for (int i = 0; i < def->input_count; i++)
    has |= nmea_is_group(def->inputs[i].udp, def->inputs[i].serial) || nmea_is_multicast(def->inputs[i].udp);
  return has;
}

int nmea_open_serial(const char *device, int baud, int flags) {
  struct termios line;
  speed_t speed = nmea_speed(baud);
  int file = open(device, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return -1;
  int is_good = tcgetattr(file, &line) == 0;
  if (is_good) {
    line.c_iflag = 0;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cflag = CS8 | CLOCAL | CREAD;
    is_good = cfsetospeed(&line, speed) == 0 && cfsetispeed(&line, speed) == 0 &&
              tcsetattr(file, TCSANOW, &line) == 0;
  }
  if (is_good)
    return file;
  int error = errno;
  close(file);
  errno = error;
  return -1;
}
