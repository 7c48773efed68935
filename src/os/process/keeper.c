// The keeper, which ends what a program has left; the link to the service manager; entries of the journal.
#define _GNU_SOURCE // sigtimedwait
#include "os/process/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, ROUNDS = 100 }; // processes to end in a round; rounds at most

struct family {
  pid_t id[MOST];
  int count;
};

static int has(const struct family *f, pid_t id) {
  for (int i = 0; i < f->count; i++)
    if (f->id[i] == id)
      return 1;
  return 0;
}

// The children of a process, of each of its threads.
static void add_children(struct family *f, pid_t parent) {
  char path[64];
  int id;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE *file = fopen(path, "re");
  while (file && f->count < MOST && fscanf(file, "%d", &id) == 1)
    if (!has(f, (pid_t)id))
      f->id[f->count++] = (pid_t)id;
  if (file)
    fclose(file);
}

// Orphans come to this process, so that all are found from here.
static void find_all(struct family *f) {
  f->count = 0;
  add_children(f, getpid());
  for (int i = 0; i < f->count; i++)
    add_children(f, f->id[i]);
}

static void reap(pid_t main_id, int *has_ended, int *wait_status) {
  int status;
  for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;)
    if (id == main_id) {
      *has_ended = 1;
      *wait_status = status;
    }
}

// Stops all before it kills them: what is stopped starts nothing more.
static void end_all(pid_t main_id, int *has_ended, int *wait_status) {
  static struct family now, stopped;
  for (int round = 0; round < ROUNDS; round++) {
    stopped.count = 0;
    for (int more = 1; more;) {
      more = 0;
      find_all(&now);
      for (int i = 0; i < now.count && stopped.count < MOST; i++)
        if (!has(&stopped, now.id[i])) {
          kill(now.id[i], SIGSTOP);
          stopped.id[stopped.count++] = now.id[i];
          more = 1;
        }
    }
    if (!stopped.count)
      return;
    for (int i = 0; i < stopped.count; i++)
      kill(stopped.id[i], SIGKILL);
    for (int i = 0; i < 50; i++) { // until they have ended
      reap(main_id, has_ended, wait_status);
      find_all(&now);
      if (!now.count)
        return;
      usleep(2000);
    }
  }
}

static int end_as(int wait_status) {
  if (!WIFSIGNALED(wait_status))
    return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  sigset_t one;
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); // the core is that of the program
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  raise(number);
  return 128 + number;
}

static void report(int error) {
  if (write(KEEPER_REPORT, &error, sizeof error) < 0)
    errno = 0; // nobody is there
  close(KEEPER_REPORT);
}

int keeper_main(int count, char **arguments) {
  static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGCONT};
  struct process process;
  int has_ended = 0, wait_status = 0, number = 0;
  sigset_t set;
  if (count < 4)
    return 2;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, KEEPER_END);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
    sigaddset(&set, forwarded[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, KEEPER_END);
  if (getppid() != (pid_t)strtol(arguments[1], NULL, 10))
    return 1; // it has ended before the line above
  const struct process_start start = {.program = arguments[2], .arguments = arguments + 3, .is_apart = 1};
  if (process_start(&process, &start, NULL) != STATUS_OK) {
    report(errno ? errno : ENOENT);
    return 127;
  }
  const pid_t id = process.id;
  close(PROCESS_VOICE); // what it prints is heard on its streams
  report(0);
  while (!has_ended && number != KEEPER_END) {
    number = sigwaitinfo(&set, NULL);
    if (number > 0 && number != SIGCHLD && number != KEEPER_END)
      process_signal(&process, number);
    reap(id, &has_ended, &wait_status);
  }
  if (number == KEEPER_END && !has_ended)
    wait_status = SIGKILL;
  end_all(id, &has_ended, &wait_status);
  return end_as(wait_status);
}

// ------------------------------------------------------------
// systemd's protocols for programs without libsystemd, which it documents as stable (sd_notify(3); Native
// Journal Protocol): datagrams of lines NAME=TEXT. With the library each start maps five more, and a service
// without it would never count as started.

// A datagram to the socket of this path, or of this name if it begins with @. Returns 0, or -1 with errno.
static int tell(const char *place, struct iovec *parts, size_t count) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  const size_t length = strlen(place);
  errno = EINVAL;
  if ((*place != '/' && *place != '@') || length >= sizeof to.sun_path)
    return -1;
  memcpy(to.sun_path, place, length);
  if (*place == '@')
    to.sun_path[0] = '\0';
  const struct msghdr message = {
      .msg_name = &to,
      .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*place == '/')),
      .msg_iov = parts,
      .msg_iovlen = count};
  const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0)
    return -1;
  const ssize_t sent = sendmsg(file, &message, MSG_NOSIGNAL);
  const int error = errno;
  close(file);
  errno = error;
  return sent < 0 ? -1 : 0;
}

// Tells the service manager (printf format). Returns 0, or -1 with errno.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static int notify(const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return tell(getenv("NOTIFY_SOCKET"), &(struct iovec){text, strlen(text)}, 1);
}

// The period of the watchdog in us; 0: it does not watch this process.
static uint64_t watchdog_us(void) {
  const char *period = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
  if (!period || (process && strtoll(process, NULL, 10) != getpid()))
    return 0;
  return strtoull(period, NULL, 10);
}

// ------------------------------------------------------------
enum {
  STACK_BYTES = 256 * 1024,
  LOOK_NS = 50000000,    // between two looks, at most
  STATE_NS = 1000000000, // between two state lines
  FEEDS_PER_PERIOD = 4   // of the watchdog
};

struct supervisor {
  struct pulse *pulse;
  FILE *messages;
  struct os_thread thread;
  atomic_int end;

  uint64_t look_ns, feed_ns; // feed 0: no watchdog
  atomic_int ready;
  uint64_t next_state_ns, next_feed_ns;
  uint64_t main_seen, step_seen;         // beats at the last feeding
  uint64_t main_moved_ns, step_moved_ns; // when a look last saw more of them
  uint64_t main_now, step_now;           // beats at the last look
  const char *hanging;                   // thread that hangs, as reported; NULL: none
};

// Remembers when each thread last moved.
static void look(struct supervisor *s, uint64_t now_ns) {
  uint64_t main_beats = atomic_load(&s->pulse->main_beats), step_beats = atomic_load(&s->pulse->step_beats);
  if (main_beats != s->main_now)
    s->main_moved_ns = now_ns;
  if (step_beats != s->step_now)
    s->step_moved_ns = now_ns;
  s->main_now = main_beats;
  s->step_now = step_beats;
}

static void report_ready(struct supervisor *s, int phase) {
  int served = phase == PULSE_SERVING && s->main_now > 0;
  int stepped = phase == PULSE_STEPPING && s->main_now > 0 && s->step_now > 0;
  if (s->ready || (!served && !stepped))
    return;
  if (!atomic_exchange(&s->ready, 1))
    notify("READY=1");
}

static void write_state(struct supervisor *s, uint64_t now_ns) {
  const struct pulse *p = s->pulse;
  if (now_ns < s->next_state_ns)
    return;
  s->next_state_ns = now_ns + STATE_NS;
  if (s->hanging)
    notify("STATUS=the %s hangs at step %" PRIuFAST64 ", the watchdog is not fed", s->hanging,
           atomic_load(&p->step));
  else if (atomic_load(&p->phase) == PULSE_ENDING)
    notify("STATUS=ending after step %" PRIuFAST64, atomic_load(&p->step));
  else
    notify("STATUS=%sstep %" PRIuFAST64 ", lag %.3f s, %" PRIuFAST64 " late steps",
           atomic_load(&p->paused) ? "paused at " : "", atomic_load(&p->step),
           1e-6 * (double)atomic_load(&p->lag_us), atomic_load(&p->late_steps));
}

// The thread that has not moved since the last feeding; NULL: all is well.
static const char *find_hanging(const struct supervisor *s, int phase) {
  if (phase == PULSE_SERVING || phase == PULSE_STEPPING) {
    if (s->main_now == s->main_seen)
      return "main thread";
    if (phase == PULSE_STEPPING && s->step_now == s->step_seen)
      return "step thread";
  }
  return NULL;
}

static void report_hanging(struct supervisor *s, const char *hanging, uint64_t now_ns) {
  if (hanging) {
    uint64_t moved_ns = *hanging == 'm' ? s->main_moved_ns : s->step_moved_ns;
    fprintf(s->messages, "sagbend: the %s has not moved for %.1f s: the watchdog is not fed\n", hanging,
            1e-9 * (double)(now_ns - moved_ns));
  } else {
    fprintf(s->messages, "sagbend: the %s moves again: the watchdog is fed\n", s->hanging);
  }
  fflush(s->messages);
  s->hanging = hanging;
  s->next_state_ns = 0;
}

static void feed(struct supervisor *s, int phase, uint64_t now_ns) {
  if (!s->feed_ns || now_ns < s->next_feed_ns)
    return;
  const char *hanging = find_hanging(s, phase);
  if (hanging != s->hanging)
    report_hanging(s, hanging, now_ns);
  if (hanging)
    return; // looks again soon
  notify("WATCHDOG=1");
  s->next_feed_ns = now_ns + s->feed_ns;
  s->main_seen = s->main_now;
  s->step_seen = s->step_now;
}

static void supervise(void *context) {
  struct supervisor *s = context;
  os_name_thread("supervisor");
  while (!atomic_load(&s->end)) {
    uint64_t now_ns = os_now_ns();
    int phase = atomic_load(&s->pulse->phase);
    look(s, now_ns);
    report_ready(s, phase);
    if (s->ready) {
      feed(s, phase, now_ns);
      write_state(s, now_ns);
    }
    os_sleep_until_ns(now_ns + s->look_ns);
  }
}

enum status supervisor_start(struct pulse *pulse, FILE *messages, struct supervisor **out,
                             struct reason *why) {
  *out = NULL;
  if (!getenv("NOTIFY_SOCKET"))
    return STATUS_OK;
  if (notify("STATUS=starting") != 0)
    return fail(why, STATUS_IO, "the service manager at NOTIFY_SOCKET does not hear: %s", strerror(errno));

  struct supervisor *s = calloc(1, sizeof *s);
  if (!s)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the supervisor");
  s->pulse = pulse;
  s->messages = messages;
  s->main_moved_ns = s->step_moved_ns = os_now_ns();
  s->feed_ns = 1000 * watchdog_us() / FEEDS_PER_PERIOD;
  s->look_ns = s->feed_ns && s->feed_ns < LOOK_NS ? s->feed_ns : LOOK_NS;
  enum status status = os_thread_start(&s->thread, STACK_BYTES, supervise, s, why);
  if (status == STATUS_OK)
    *out = s;
  else
    free(s);
  return status;
}

void supervisor_stopping(struct supervisor *s) {
  if (!s)
    return;
  notify("%s", atomic_exchange(&s->ready, 1) ? "STOPPING=1" : "READY=1\nSTOPPING=1"); // a very short run
}

void supervisor_free(struct supervisor *s) {
  if (!s)
    return;
  atomic_store(&s->end, 1);
  os_thread_join(&s->thread);
  free(s);
}

// ------------------------------------------------------------
// JOURNAL_STREAM is "device:inode" of the stream that systemd has connected.
int journal_is_stderr(void) {
  const char *stream = getenv("JOURNAL_STREAM");
  char found[64];
  struct stat s;
  if (!stream || fstat(STDERR_FILENO, &s) != 0)
    return 0;
  snprintf(found, sizeof found, "%ju:%ju", (uintmax_t)s.st_dev, (uintmax_t)s.st_ino);
  return strcmp(stream, found) == 0;
}

enum { MOST_FIELDS = 6, FIELD_BYTES = 1100 };

struct fields {
  char text[MOST_FIELDS][FIELD_BYTES + 1]; // and the newline behind it
  struct iovec list[MOST_FIELDS];
  int count;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void add(struct fields *f, const char *format, ...) {
  char *text = f->text[f->count];
  va_list args;
  va_start(args, format);
  vsnprintf(text, FIELD_BYTES, format, args);
  va_end(args);
  const size_t length = strlen(text);
  for (size_t i = 0; i < length; i++)
    text[i] = text[i] == '\n' ? ' ' : text[i]; // a field ends there
  text[length] = '\n';
  f->list[f->count++] = (struct iovec){text, length + 1};
}

int journal_write(const struct journal_entry *entry) {
  struct fields f;
  f.count = 0;
  add(&f, "MESSAGE=%s", entry->text);
  add(&f, "PRIORITY=%d", (int)entry->priority);
  add(&f, "SYSLOG_IDENTIFIER=sagbend");
  if (*entry->session)
    add(&f, "SAGBEND_SESSION=%s", entry->session);
  if (entry->event) {
    add(&f, "SAGBEND_EVENT=%s", entry->event);
    add(&f, "SAGBEND_STEP=%" PRIu64, entry->step);
  }
  return tell("/run/systemd/journal/socket", f.list, (size_t)f.count) == 0;
}
