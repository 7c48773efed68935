// Preloaded library (LD_PRELOAD): each fdatasync takes SLOW_DISK_MS longer.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int fdatasync(int file) {
  const char *text = getenv("SLOW_DISK_MS");
  long ms = text ? atol(text) : 0;
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  nanosleep(&time, NULL);
  int (*real)(int);
  *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
  return real(file);
}
