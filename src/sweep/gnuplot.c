#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np
#include "sweep/gnuplot.h"

#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int gnuplot_run(const char *folder, const char *script) {
  char *arguments[] = {(char *)"gnuplot", (char *)script, NULL};
  posix_spawn_file_actions_t files;
  pid_t process;
  int wait_status = 1;
  posix_spawn_file_actions_init(&files);
  if (folder)
    posix_spawn_file_actions_addchdir_np(&files, folder);
  int error = posix_spawnp(&process, "gnuplot", &files, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (error || waitpid(process, &wait_status, 0) != process)
    return -1;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

const char *gnuplot_text(int result) {
  return result < 0 || result == 127 ? "cannot be started" : "failed";
}
