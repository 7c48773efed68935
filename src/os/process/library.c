// Loads a shared library that few runs need.
#include "os/process/process.h"

#include <dlfcn.h>
#include <string.h>

static void set(const struct library_function *function, void *found) {
  memcpy(function->place, &found,
         sizeof found); // POSIX: pointers to functions and data have one representation
}

static int find_all(void *handle, const struct library *library) {
  for (int i = 0; i < library->count; i++) {
    void *found = dlsym(handle, library->functions[i].name);
    if (!found)
      return 0;
    set(&library->functions[i], found);
  }
  return 1;
}

enum status library_load(struct library *library, struct reason *why) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  enum status status = STATUS_OK;
  pthread_mutex_lock(&one_at_a_time);
  if (!library->is_loaded) {
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    library->is_loaded = handle && find_all(handle, library);
    if (!library->is_loaded) {
      const char *error = dlerror();
      status = fail(why, STATUS_IO, "%s needs %s (Debian: apt-get install %s): %s", library->user,
                    library->file, library->package, error ? error : "");
      for (int i = 0; i < library->count; i++)
        set(&library->functions[i], NULL);
      if (handle)
        dlclose(handle);
    }
  }
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}
