// Private to the room: where a port sends, as the system has it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <termios.h>

speed_t nmea_speed(int baud);                                  // B0: not supported
int nmea_open_serial(const char *device, int baud, int flags); // raw, 8N1, non-blocking; -1 with errno set
int nmea_parse_listening(const char *text, struct sockaddr_in *out); // as nmea_parse_udp; port * is 0
int nmea_parse_udp(const char *text, struct sockaddr_in *out);       // 0: not "HOST:PORT" with a numeric host
