// Starts, hears, signals and awaits processes; finds the programs beside this one; build ids.
#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addclosefrom_np, posix_spawn_file_actions_addchdir_np
#include "os/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The descriptors of the new process from PROCESS_VOICE on, each 0 or above these places; all others are
// closed.
enum { PLACES = 3, AFTER_PLACES = PROCESS_VOICE + PLACES };
struct places {
  int voice, report, held;
};

static void choose_files(posix_spawn_file_actions_t *files, const struct process_start *start,
                         const struct places *given) {
  const int each[PLACES] = {given->voice, given->report, given->held};
  posix_spawn_file_actions_init(files);
  if (start->folder)
    posix_spawn_file_actions_addchdir_np(files, start->folder);
  if (start->is_apart)
    posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (start->output > 0) {
    posix_spawn_file_actions_adddup2(files, start->output, 1);
    posix_spawn_file_actions_adddup2(files, start->output, 2);
  }
  if (given->voice && start->is_overheard) {
    posix_spawn_file_actions_adddup2(files, given->voice, 1);
    posix_spawn_file_actions_adddup2(files, given->voice, 2);
  }
  for (int i = 0; i < PLACES; i++)
    if (each[i])
      posix_spawn_file_actions_adddup2(files, each[i], PROCESS_VOICE + i);
    else
      posix_spawn_file_actions_addclose(files, PROCESS_VOICE + i);
  posix_spawn_file_actions_addclosefrom_np(files, AFTER_PLACES);
}

// The signals that this process blocks or ignores are its own affair.
static void choose_signals(posix_spawnattr_t *attributes, int is_apart) {
  static const int own[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    sigaddset(&standard, own[i]);
  posix_spawnattr_init(attributes);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &standard);
  posix_spawnattr_setflags(attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                               (is_apart ? POSIX_SPAWN_SETPGROUP : 0)));
}

static int spawn(const struct process_start *start, const struct places *given, pid_t *id) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  const char *program = start->program ? start->program : "/proc/self/exe";
  choose_files(&files, start, given);
  choose_signals(&attributes, start->is_apart);
  int error = posix_spawnp(id, program, &files, &attributes, start->arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// A copy above the places of a new process; 0 of 0. Negative: there is none.
static int above_places(int descriptor) {
  return descriptor ? fcntl(descriptor, F_DUPFD_CLOEXEC, AFTER_PLACES) : 0;
}

static void close_all(const int *descriptors, int count) {
  for (int i = 0; i < count; i++)
    if (descriptors[i] > 0)
      close(descriptors[i]);
}

// Returns an errno, or 0 and the process. voice: the end that it writes to.
static int spawn_with(const struct process_start *start, int voice, int report, pid_t *id) {
  const int copy[PLACES] = {above_places(voice), above_places(report), above_places(start->held)};
  int error = copy[0] < 0 || copy[1] < 0 || copy[2] < 0 ? errno : 0;
  if (!error)
    error = spawn(start, &(struct places){copy[0], copy[1], copy[2]}, id);
  close_all(copy, PLACES);
  return error;
}

// The keeper reports whether the program could be started, and closes its end.
static int spawn_kept(const struct process_start *start, int voice, pid_t *id) {
  char number[24];
  int ends[2], count = 0, error = 0;
  while (start->arguments[count])
    count++;
  const char **words = malloc((size_t)(count + 5) * sizeof *words);
  if (!words || pipe2(ends, O_CLOEXEC) < 0) {
    error = errno;
    free(words);
    return error;
  }
  snprintf(number, sizeof number, "%ld", (long)getpid());
  words[0] = "keeper";
  words[1] = KEEPER_WORD;
  words[2] = number;
  words[3] = start->program ? start->program : "/proc/self/exe";
  for (int i = 0; i <= count; i++)
    words[4 + i] = start->arguments[i];
  struct process_start keeper = *start;
  keeper.program = NULL;
  keeper.arguments = (char *const *)words;
  error = spawn_with(&keeper, voice, ends[1], id);
  close(ends[1]);
  free(words);
  ssize_t got = 0;
  while (!error && (got = read(ends[0], &number, sizeof error)) < 0 && errno == EINTR)
    ;
  close(ends[0]);
  if (error)
    return error;
  if (got == (ssize_t)sizeof error)
    memcpy(&error, number, sizeof error);
  else
    error = ECHILD; // it has ended before it could report
  if (error)
    waitpid(*id, NULL, 0);
  return error;
}

enum status process_start(struct process *process, const struct process_start *start, struct reason *why) {
  int ends[2] = {0, 0}; // no pipe has the descriptor of standard input (os_survive_closed_streams)
  pid_t id = 0;
  *process = (struct process){.is_kept = start->is_kept};
  signal(SIGCHLD, SIG_DFL); // the caller of the program may have it ignored, and then no end is reported
  int error = start->is_heard && pipe2(ends, O_CLOEXEC) < 0 ? errno : 0;
  if (!error)
    error = start->is_kept ? spawn_kept(start, ends[1], &id) : spawn_with(start, ends[1], 0, &id);
  if (ends[1])
    close(ends[1]);
  if (error) {
    if (ends[0])
      close(ends[0]);
    fail(why, STATUS_IO, "%s cannot be started: %s", start->arguments[0], strerror(error));
    errno = error;
    return STATUS_IO;
  }
  if (ends[0])
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  process->id = id;
  process->voice = ends[0];
  return STATUS_OK;
}

void process_forget(struct process *process) {
  if (process->voice)
    close(process->voice);
  process->voice = 0;
}

// Byte by byte: what follows the line stays in the pipe.
const char *process_hear(struct process *process) {
  char byte;
  ssize_t got = -1;
  while (process->voice && (got = read(process->voice, &byte, 1)) == 1) {
    if (byte != '\n' && process->size + 1 < sizeof process->said)
      process->said[process->size++] = byte;
    if (byte != '\n')
      continue;
    process->said[process->size] = '\0';
    process->size = 0;
    return process->said;
  }
  if (got == 0)
    process_forget(process);
  return NULL;
}

void process_signal(const struct process *process, int number) {
  if (process->id)
    kill(process->id, process->is_kept && number == SIGKILL ? KEEPER_END : number);
}

int process_has_ended(struct process *process, int *wait_status) {
  if (!process->id || waitpid(process->id, wait_status, WNOHANG) != process->id)
    return 0;
  process->id = 0;
  return 1;
}

int process_wait(struct process *process) {
  int wait_status = 0;
  while (process->id && waitpid(process->id, &wait_status, 0) < 0 && errno == EINTR)
    ;
  process->id = 0;
  return wait_status;
}

int process_run(const struct process_start *start) {
  struct process process;
  if (process_start(&process, start, NULL) != STATUS_OK)
    return -1;
  int wait_status = process_wait(&process);
  process_forget(&process);
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

// ------------------------------------------------------------
enum status program_beside(const char *name, char out[PROGRAM_PATH], struct reason *why) {
  char self[PROGRAM_PATH];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  self[size > 0 ? size : 0] = '\0';
  char *slash = strrchr(self, '/');
  if (!slash)
    return fail(why, STATUS_IO, "/proc/self/exe: %s", strerror(errno));
  *slash = '\0';
  if (snprintf(out, PROGRAM_PATH, "%s/%s", self, name) >= PROGRAM_PATH)
    return fail(why, STATUS_IO, "the path of %s beside this program is too long", name);
  return STATUS_OK;
}

// Finds the build id in a segment of ELF notes. Name and content of each note are padded to 4 bytes.
static int find_build_id(const unsigned char *at, const unsigned char *end, char out[OS_BUILD_ID_SIZE]) {
  while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const unsigned char *name = at + sizeof note;
    size_t name_bytes = (note.n_namesz + 3u) & ~3u, bytes = (note.n_descsz + 3u) & ~3u;
    if ((size_t)(end - name) < name_bytes + bytes)
      return 0;
    const unsigned char *id = name + name_bytes;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
      for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < OS_BUILD_ID_SIZE; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
      return 1;
    }
    at = id + bytes;
  }
  return 0;
}

static int look_at_program(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const unsigned char *start = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && find_build_id(start, start + segment->p_memsz, out))
      break;
  }
  return 1; // the first object is the program itself, the others are its libraries
}

void os_build_id(char out[OS_BUILD_ID_SIZE]) {
  strcpy(out, "unknown");
  dl_iterate_phdr(look_at_program, out);
}

// Reads the headers of an ELF file and looks at its notes; those of a linker are some 100 bytes.
static void look_at_file(int file, char out[OS_BUILD_ID_SIZE]) {
  ElfW(Ehdr) head;
  ElfW(Phdr) segment;
  unsigned char notes[4096];
  const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (pread(file, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != class)
    return;
  for (size_t i = 0; i < head.e_phnum; i++) {
    if (pread(file, &segment, sizeof segment, (off_t)(head.e_phoff + i * sizeof segment)) != sizeof segment)
      return;
    if (segment.p_type != PT_NOTE || segment.p_filesz > sizeof notes)
      continue;
    ssize_t size = pread(file, notes, segment.p_filesz, (off_t)segment.p_offset);
    if (size > 0 && find_build_id(notes, notes + size, out))
      return;
  }
}

void os_build_id_of(const char *path, char out[OS_BUILD_ID_SIZE]) {
  strcpy(out, "unknown");
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  look_at_file(file, out);
  close(file);
}

// ------------------------------------------------------------
// Limit and count of the files and sockets that the process may have open.

enum { ENOUGH_FOR_ALL = 4096, BLOCK = 256, LOOK_AT_MOST = 1 << 20 };

static rlim_t limit(void) {
  struct rlimit l;
  return getrlimit(RLIMIT_NOFILE, &l) ? 0 : l.rlim_cur;
}

enum status os_ask_for_descriptors(int needed, struct reason *why) {
  struct rlimit l;
  if (getrlimit(RLIMIT_NOFILE, &l))
    return fail(why, STATUS_IO, "the limit of open files cannot be asked for: %s", strerror(errno));
  rlim_t wanted = l.rlim_max < ENOUGH_FOR_ALL ? l.rlim_max : ENOUGH_FOR_ALL;
  if (l.rlim_cur < wanted) {
    rlim_t had = l.rlim_cur;
    l.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &l))
      l.rlim_cur = had;
  }
  if (os_free_descriptors(needed) >= needed)
    return STATUS_OK;
  return fail(
      why, STATUS_IO,
      "the run needs %d more open files, and the limit of %llu leaves %d; raise it (ulimit -n, LimitNOFILE=)",
      needed, (unsigned long long)l.rlim_cur, os_free_descriptors(needed));
}

// Counts from the highest number downwards, where descriptors are free as long as there are enough. The query
// itself needs no descriptor.
int os_free_descriptors(int enough) {
  rlim_t end = limit();
  int found = 0;
  for (int top = end < LOOK_AT_MOST ? (int)end : LOOK_AT_MOST; top > 0 && found < enough; top -= BLOCK) {
    struct pollfd look[BLOCK];
    int count = top < BLOCK ? top : BLOCK;
    for (int i = 0; i < count; i++)
      look[i] = (struct pollfd){.fd = top - 1 - i};
    if (poll(look, (nfds_t)count, 0) < 0)
      continue;
    for (int i = 0; i < count; i++)
      found += (look[i].revents & POLLNVAL) != 0;
  }
  return found < enough ? found : enough;
}

void os_spare_take(struct os_spare *s) {
  for (int i = 0; i < 2; i++)
    if (s->descriptor[i] < 0)
      s->descriptor[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void os_spare_give(struct os_spare *s) {
  for (int i = 0; i < 2; i++) {
    if (s->descriptor[i] >= 0)
      close(s->descriptor[i]);
    s->descriptor[i] = -1;
  }
}
