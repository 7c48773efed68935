// The texts of endpoints, "tcp://HOST:PORT" or "ipc://PATH". They are parsed strictly here, because ZeroMQ
// accepts port 99999 as another port on all interfaces, and replaces any file at an ipc path with its socket.
// Nothing here opens a socket or asks the system.
#pragma once

#include "sagbend/base/status.h"

#include <sys/un.h>

enum { ENDPOINT_TEXT = 128 }; // size of a buffer for an endpoint, with its final zero

enum endpoint_use {
  ENDPOINT_LISTEN, // tcp HOST: *, a numeric IPv4 address, localhost or the name of a network interface;
                   // PORT: 1 to 65535, or 0 or * to let the system choose
  ENDPOINT_CONNECT // tcp HOST: an IPv4 address or a host name; PORT: 1 to 65535
};

// Checks the form of an endpoint. STATUS_BAD_INPUT: why names the part at fault and what it must be.
enum status endpoint_check(const char *text, enum endpoint_use use, struct reason *why);

// Parses a port number, 0 to 65535, from digits only. Returns -1 if the text is anything else.
int endpoint_port(const char *digits);

enum { ENDPOINT_HOST = 100 };

struct endpoint_parts {
  int is_ipc;
  char path[sizeof((struct sockaddr_un *)0)->sun_path]; // of ipc; with @ first it is an abstract name, not a
                                                        // file
  char host[ENDPOINT_HOST];
  int port; // 0: the system chooses
};

// Checks the form of an endpoint, and takes it apart.
enum status endpoint_read(const char *text, enum endpoint_use use, struct endpoint_parts *out,
                          struct reason *why);
