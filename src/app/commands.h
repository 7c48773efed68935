// The program's commands: each reads its own options and returns the exit status.
#pragma once

int cmd_run(int argc, char **argv);
int cmd_statics(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_outputs(int argc, char **argv);
int cmd_keygen(int argc, char **argv);
