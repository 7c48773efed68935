#define _GNU_SOURCE // pipe2
// src/rt/process: children of several kinds, each a real process.
#include "os/process/process.h"

#include "suite.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct process start_shell(const char *script, int is_heard) {
  char *arguments[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
  const struct process_start start = {
      .program = "sh", .arguments = arguments, .is_apart = 1, .is_heard = is_heard};
  struct process process = {0};
  struct reason why;
  ck_assert_msg(process_start(&process, &start, &why) == STATUS_OK, "%s", why.text);
  ck_assert_int_gt(process.id, 0);
  return process;
}

// The next line, or NULL at the end of what is said.
static const char *next_line(struct process *process) {
  const char *line = NULL;
  while (!(line = process_hear(process)) && process->voice)
    poll(&(struct pollfd){.fd = process->voice, .events = POLLIN}, 1, 10000);
  return line;
}

START_TEST(lines_are_heard_whole_and_one_by_one) {
  struct process process = start_shell("printf 'one\\ntw' >&3; sleep 0.05; printf 'o\\n\\n' >&3", 1);
  ck_assert_str_eq(next_line(&process), "one");
  ck_assert_str_eq(next_line(&process), "two");
  ck_assert_str_eq(next_line(&process), "");
  ck_assert_ptr_null(next_line(&process));
  ck_assert_int_eq(process.voice, 0);
  ck_assert_int_eq(process_wait(&process), 0);
  ck_assert_int_eq(process.id, 0);
}
END_TEST

START_TEST(a_child_that_dies_first_or_in_a_line_has_said_nothing) {
  static const char *const scripts[] = {"exit 3", "printf 'half a line' >&3; exit 3", "exec 3>&-; exit 3",
                                        "kill -9 $$"};
  for (int i = 0; i < 4; i++) {
    struct process process = start_shell(scripts[i], 1);
    ck_assert_ptr_null(next_line(&process));
    int wait_status = process_wait(&process);
    if (i < 3)
      ck_assert_int_eq(WEXITSTATUS(wait_status), 3);
    else
      ck_assert_int_eq(WTERMSIG(wait_status), SIGKILL);
  }
}
END_TEST

START_TEST(a_line_without_end_is_cut) {
  struct process process =
      start_shell("head -c 100000 /dev/zero | tr '\\0' x >&3; printf '\\nnext\\n' >&3", 1);
  ck_assert_uint_eq(strlen(next_line(&process)), PROCESS_LINE - 1);
  ck_assert_str_eq(next_line(&process), "next");
  process_wait(&process);
  process_forget(&process);
}
END_TEST

START_TEST(what_ended_is_reaped_once_and_leaves_nothing) {
  int wait_status = -1;
  struct process process = start_shell("exit 7", 1);
  ck_assert_int_eq(process_has_ended(&(struct process){0}, &wait_status), 0);
  while (!process_has_ended(&process, &wait_status))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  ck_assert_int_eq(WEXITSTATUS(wait_status), 7);
  ck_assert_int_eq(process_has_ended(&process, &wait_status), 0);
  process_signal(&process, SIGKILL); // to nobody
  process_forget(&process);
  process_forget(&process);
  errno = 0;
  ck_assert_int_eq(waitpid(-1, &wait_status, WNOHANG), -1); // no child, not even a dead one
  ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(an_ignored_end_of_children_is_seen_all_the_same) {
  signal(SIGCHLD, SIG_IGN);
  struct process process = start_shell("exit 5", 0);
  ck_assert_int_eq(WEXITSTATUS(process_wait(&process)), 5);
}
END_TEST

START_TEST(a_child_has_three_descriptors_and_its_voice) {
  int kept = open("/dev/null", O_RDONLY); // without CLOEXEC
  ck_assert_int_gt(kept, 2);
  struct process process = start_shell("exec ls /proc/self/fd >&3", 1);
  for (int i = 0; i < 5; i++) { // the last is the folder that ls reads
    const char number[] = {(char)('0' + i), '\0'};
    ck_assert_str_eq(next_line(&process), number);
  }
  ck_assert_ptr_null(next_line(&process));
  process_wait(&process);
  close(kept);
}
END_TEST

START_TEST(signals_that_are_blocked_here_end_the_child) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  struct process process = start_shell("echo >&3; exec sleep 60", 1);
  ck_assert_ptr_nonnull(next_line(&process));
  ck_assert_int_eq(getpgid(process.id), process.id);
  process_signal(&process, SIGTERM);
  ck_assert_int_eq(WTERMSIG(process_wait(&process)), SIGTERM);
  process_forget(&process);
}
END_TEST

START_TEST(output_folder_and_status_of_a_run) {
  char *arguments[] = {(char *)"sh", (char *)"-c", (char *)"pwd; pwd >&2; exit 9", NULL}, text[32] = "";
  int ends[2];
  ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
  const struct process_start start = {
      .program = "sh", .arguments = arguments, .folder = "/", .output = ends[1]};
  ck_assert_int_eq(process_run(&start), 9);
  ck_assert_int_eq((int)read(ends[0], text, sizeof text - 1), 4);
  ck_assert_str_eq(text, "/\n/\n");
}
END_TEST

START_TEST(a_program_that_is_not_there_is_an_error) {
  char *arguments[] = {(char *)"no-such-program", NULL};
  const struct process_start start = {.program = "no-such-program", .arguments = arguments, .is_heard = 1};
  struct process process = {0};
  struct reason why;
  ck_assert_int_eq(process_start(&process, &start, &why), STATUS_IO);
  ck_assert_str_eq(why.text, "no-such-program cannot be started: No such file or directory");
  ck_assert(process.id == 0 && process.voice == 0);
  ck_assert_int_eq(process_run(&start), -1);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rt_process");
  TCase *all = add_case(suite, "all", 60);
  tcase_add_test(all, lines_are_heard_whole_and_one_by_one);
  tcase_add_test(all, a_child_that_dies_first_or_in_a_line_has_said_nothing);
  tcase_add_test(all, a_line_without_end_is_cut);
  tcase_add_test(all, what_ended_is_reaped_once_and_leaves_nothing);
  tcase_add_test(all, an_ignored_end_of_children_is_seen_all_the_same);
  tcase_add_test(all, a_child_has_three_descriptors_and_its_voice);
  tcase_add_test(all, signals_that_are_blocked_here_end_the_child);
  tcase_add_test(all, output_folder_and_status_of_a_run);
  tcase_add_test(all, a_program_that_is_not_there_is_an_error);
  return run_suite(suite);
}
