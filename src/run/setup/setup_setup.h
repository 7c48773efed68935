// A setup as the commands run, replay, statics and check load it, with what only a program asks of it: its
// files, and names of sessions.
#pragma once

#include "os/cli/case_options.h"
#include "sagbend/engine/setup.h"
#include "net/case/case.h"
#include "os/files/file_claims.h"

#include <stdio.h>

struct loaded { // for commands that need one plant only
  struct setup setup;
  struct plant plant;
};

// Loads configuration and DP file. STATUS_BAD_INPUT after a line on errors for each error in them.
// Release with setup_free in every case.
enum status setup_load(struct setup *setup, const struct case_options *options, FILE *errors);

// Adds the files that the configuration names to claims; command_claim adds those of the command line.
enum status setup_claim(const struct setup *setup, const char *config_path, struct file_claims *claims,
                        struct reason *why);

void loaded_free(struct loaded *loaded);

// A random session name: 16 hexadecimal digits.
enum status session_make_id(char id[17], struct reason *why);
