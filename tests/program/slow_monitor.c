// Preloaded library (LD_PRELOAD): after a monitor's socket (a PAIR) has been closed, the file
// SAGBEND_TEST_CLOSED appears, and a second passes before the program goes on.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TYPE = 16, PAIR = 0 }; // ZMQ_TYPE, ZMQ_PAIR

static int (*close_socket)(void *);
static int (*getsockopt)(void *, int, void *, size_t *);

static int close_slowly(void *socket) {
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

// The program asks libzmq for its functions by this one.
void *dlsym(void *library, const char *name) {
  void *(*next)(void *, const char *);
  *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  void *found = next(library, name);
  if (!found || strcmp(name, "zmq_close") != 0)
    return found;
  *(void **)&close_socket = found;
  *(void **)&getsockopt = next(library, "zmq_getsockopt");
  void *replaced;
  *(int (**)(void *))&replaced = close_slowly;
  return replaced;
}
