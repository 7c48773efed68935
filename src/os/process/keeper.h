// A process between this one and another, which ends together with all that the other has started, also with
// what has left its group, its session or its parent, and with what outlives this process. Linux gives it
// every orphan below it (prctl PR_SET_CHILD_SUBREAPER). Who kills the keeper itself by SIGKILL gets no end of
// the others.
#pragma once

#include <signal.h>

// The first argument of a program that is started as a keeper; those that follow are of keeper_main.
#define KEEPER_WORD "keep-processes"

enum {
  KEEPER_REPORT = 4,    // descriptor: the keeper says there whether the program could be started
  KEEPER_END = SIGUSR1, // ends all at once; SIGTERM, SIGINT, SIGHUP and SIGCONT reach the program itself
};

// arguments: KEEPER_WORD, number of the process that starts it, program, its arguments. Returns the exit
// status of the program; where that was ended by a signal, so is the keeper.
int keeper_main(int count, char **arguments);
