// Preloaded library (LD_PRELOAD): after a monitor's socket (a PAIR) has been closed, the file
// SAGBEND_TEST_CLOSED appears, and a second passes before the program goes on.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TYPE = 16, PAIR = 0 }; // ZMQ_TYPE, ZMQ_PAIR

int zmq_close(void *socket); // as zmq.h has it

int zmq_close(void *socket) {
  int (*close_socket)(void *);
  int (*getsockopt)(void *, int, void *, size_t *);
  *(void **)&close_socket = dlsym(RTLD_NEXT, "zmq_close");
  *(void **)&getsockopt = dlsym(RTLD_NEXT, "zmq_getsockopt");
  int type = -1;
  size_t size = sizeof type;
  int is_monitor = getsockopt(socket, TYPE, &type, &size) == 0 && type == PAIR;
  int result = close_socket(socket);
  const char *path = getenv("SAGBEND_TEST_CLOSED");
  if (is_monitor && path) {
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0)
      close(file);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  }
  return result;
}
