// The FMU in a process of its own: whatever it does, the parent sees it as a text and goes on.
#define _GNU_SOURCE // sigabbrev_np, nanosleep
#include "programs/fmu/fmu_program_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum request_kind { BEGIN, STEP };
struct request {
  int kind;
  double at_s, step_s, value[FMU_MOST_VALUES];
};
struct answer {
  int is_done;
  double value[FMU_MOST_VALUES];
  char why[FMU_TEXT_SIZE];
};

// ---- In the child ----

// Each end of the socket is open in one process only, and the child dies with the parent: it never stays
// behind.
static void serve(int socket, const struct fmu_model *model, const char *folder, const struct map *map) {
  static struct request request;
  static struct answer answer;
  struct slave *slave = NULL;
  while (recv(socket, &request, sizeof request, 0) == sizeof request) {
    memset(&answer, 0, sizeof answer);
    if (request.kind == BEGIN) {
      slave = slave_open(model, folder, map, request.at_s, answer.why);
      answer.is_done = slave != NULL;
    } else if (slave)
      answer.is_done =
          slave_step(slave, request.value, request.at_s, request.step_s, answer.value, answer.why);
    if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
      break;
  }
  if (slave)
    slave_close(slave);
}

static void be_child(int sockets[2], pid_t parent, const struct fmu_model *model, const char *folder,
                     const struct map *map) {
  close(sockets[0]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); // Ctrl-C is the parent's
  signal(SIGTERM, SIG_DFL);
  if (getppid() == parent)
    serve(sockets[1], model, folder, map);
  _exit(0);
}

// ---- In the parent ----

enum status child_start(struct child *c, const struct fmu_model *model, const char *folder,
                        const struct map *map, struct reason *why) {
  int sockets[2];
  const pid_t parent = getpid();
  *c = (struct child){.socket = -1, .timeout_s = map->timeout_s};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
    return fail(why, STATUS_IO, "the process of the FMU: %s", strerror(errno));
  c->id = fork();
  if (c->id == 0)
    be_child(sockets, parent, model, folder, map);
  close(sockets[1]);
  c->socket = sockets[0];
  return c->id > 0 ? STATUS_OK : fail(why, STATUS_IO, "the process of the FMU: %s", strerror(errno));
}

void child_end(struct child *c) {
  if (c->socket >= 0)
    close(c->socket);
  if (c->id > 0) {
    struct timespec tenth = {0, 100000000};
    int ended = 0;
    for (int i = 0; i < 10 && !(ended = waitpid(c->id, NULL, WNOHANG) != 0); i++)
      nanosleep(&tenth, NULL); // it frees its instance
    if (!ended) {
      kill(c->id, SIGKILL);
      waitpid(c->id, NULL, 0);
    }
  }
  *c = (struct child){.socket = -1};
}

static enum status has_ended(struct child *c, const char *where, struct reason *why) {
  int status = 0;
  waitpid(c->id, &status, 0);
  c->id = 0;
  if (WIFSIGNALED(status)) {
    const char *name = sigabbrev_np(WTERMSIG(status));
    return fail(why, STATUS_IO, "it ended in %s: SIG%s", where, name ? name : "?");
  }
  return fail(why, STATUS_IO, "it ended in %s: exit(%d)", where, WEXITSTATUS(status));
}

static enum status ask(struct child *c, const struct request *request, const char *where,
                       struct answer *answer, struct reason *why) {
  struct pollfd heard = {.fd = c->socket, .events = POLLIN};
  int ready;
  if (send(c->socket, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request)
    return has_ended(c, where, why);
  do
    ready = poll(&heard, 1, (int)(c->timeout_s * 1000));
  while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    kill(c->id, SIGKILL);
    return fail(why, STATUS_IO, "it hangs in %s: no answer within timeout_s, %g s", where, c->timeout_s);
  }
  if (recv(c->socket, answer, sizeof *answer, 0) != sizeof *answer)
    return has_ended(c, where, why);
  answer->why[sizeof answer->why - 1] = '\0';
  return answer->is_done ? STATUS_OK : fail(why, STATUS_IO, "in %s: %s", where, answer->why);
}

enum status child_begin(struct child *c, double start_s, struct reason *why) {
  static struct answer answer;
  const struct request request = {.kind = BEGIN, .at_s = start_s};
  return ask(c, &request, "its initialisation", &answer, why);
}

enum status child_step(struct child *c, const double *inputs, int input_count, double at_s, double step_s,
                       double *outputs, int output_count, struct reason *why) {
  static struct answer answer;
  struct request request = {.kind = STEP, .at_s = at_s, .step_s = step_s};
  char where[64];
  snprintf(where, sizeof where, "the step from %.3f s", at_s);
  memcpy(request.value, inputs, (size_t)input_count * sizeof *inputs);
  enum status status = ask(c, &request, where, &answer, why);
  memcpy(outputs, answer.value, (size_t)output_count * sizeof *outputs);
  return status;
}
