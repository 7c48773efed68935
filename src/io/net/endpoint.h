// Where a socket listens or connects: "tcp://HOST:PORT" or "ipc://PATH", read strictly. ZeroMQ takes port
// 99999 for another one, on all interfaces, and puts its socket in the place of whatever file has the path;
// so nothing is left to it.
#pragma once

#include "core/base/status.h"

#include <sys/types.h>

enum { ENDPOINT_TEXT = 128 };

enum endpoint_use {
  ENDPOINT_LISTEN, // tcp: HOST *, a numeric IPv4 address, localhost or a network interface; PORT 0 or *: the
                   // system chooses
  ENDPOINT_CONNECT // tcp: HOST an IPv4 address or a name; PORT from 1
};

// STATUS_BAD_INPUT: why says what was expected of which part.
enum status endpoint_check(const char *text, enum endpoint_use use, struct reason *why);
// The form of an endpoint to listen at, and whether this machine has its place: an interface of that name, a
// path at which there is a socket or nothing. Nothing is removed.
enum status endpoint_check_here(const char *text, struct reason *why);
// A port in digits alone, 0 to 65535; -1: it is none.
int endpoint_port(const char *digits);

// A socket that listens, does not block and is not inherited.
struct listener {
  int file;                     // -1: none
  char endpoint[ENDPOINT_TEXT]; // as bound: numeric, with the port chosen
  int local;                    // only this machine can connect
  dev_t device;                 // of an ipc path's socket, so that no other is removed
  ino_t inode;
};

// A socket that nobody listens at any more, left at an ipc path by a program that was killed, makes way;
// nothing else does. STATUS_BAD_INPUT: the endpoint is none, or something else has the path; STATUS_IO: it is
// in use, or the system refuses.
enum status listener_open(const char *text, struct listener *out, struct reason *why);
// Removes an ipc path if it is still this listener's. The file is closed unless somebody else took it over.
void listener_close(struct listener *l, int taken_over);
