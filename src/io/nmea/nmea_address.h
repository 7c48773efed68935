// Private to the room: where a port sends, as the system has it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <termios.h>

speed_t nmea_speed(int baud);                                  // B0: not supported
int nmea_parse_udp(const char *text, struct sockaddr_in *out); // 0: not "HOST:PORT" with a numeric host
