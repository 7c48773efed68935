// Listening sockets, and what of an endpoint only this machine can tell.
#pragma once

#include "sagbend/base/endpoint_text.h"

#include <stdint.h>
#include <sys/types.h>

// Checks the form of an endpoint to listen at, and that this machine can provide it: the network interface
// exists, or the ipc path is free or holds a socket. Opens and removes nothing.
enum status endpoint_check_here(const char *text, struct reason *why);

// Whether only this machine can connect to a socket that listens at this endpoint: ipc, or the loopback
// interface. An endpoint that is not valid here is not local.
int endpoint_is_local(const char *text);

// A non-blocking listening socket that child processes do not inherit.
struct listener {
  int file;                     // -1: not open
  char endpoint[ENDPOINT_TEXT]; // as bound: numeric, with the port that the system chose
  int local;                    // only this machine can connect
  dev_t device;                 // device and inode of the socket file at an ipc path, so that closing removes
  ino_t inode;                  // no other file; inode 0: no socket file
};

// Opens a listening socket. A socket file that a killed program left at an ipc path is replaced; any other
// file, and a socket that a program listens at, stays untouched. STATUS_BAD_INPUT: the text is not a valid
// endpoint, or another file occupies the path; STATUS_IO: the endpoint is in use, or the system refuses.
enum status listener_open(const char *text, struct listener *out, struct reason *why);

// Stops or resumes accepting connections while the socket stays bound: attempts to connect are dropped, and a
// peer's system repeats them. It works on TCP only. Returns 0 if it is not possible.
int listener_shut(const struct listener *listener, int shut);
uint64_t listener_dropped(const struct listener *listener); // attempts so far, repeated ones included

// Removes the socket file at an ipc path if it is still this listener's, and closes the socket.
void listener_close(struct listener *listener);
