// The commands that sagbend hands over to a program beside it: X(word, what its help says). Verification is a
// program of its own, the others are sagbend-lab.
#pragma once

#define LAB_PROGRAM    "sagbend-lab"
#define VERIFY_PROGRAM "sagbend-verify"
#define VERIFY_PURPOSE "Run the verification cases, each against an independent reference."
#define SWEEP_PURPOSE                                                                                        \
  "Run many variants of a configuration, one for each processor at a time, and collect their results "       \
  "(docs/sweeps.md)."
#define HYDRO_PURPOSE                                                                                        \
  "Import the files of a diffraction code, ShipX/VERES, WAMIT, Nemoh, Capytaine or OrcaFlex: check them, "   \
  "fit the memory of the radiation, and write one hydro file (docs/hydro.md)."
#define RAO_PURPOSE                                                                                          \
  "Compute the motions of a vessel with a hydro file in regular waves, in the time domain, and compare "     \
  "them with the linear answer and with the file's own motions (docs/hydro.md)."

#define TRIALS_PURPOSE                                                                                       \
  "Try every failure of a DP system in every condition of a plan, judge each run against the one without a " \
  "failure, and write the report (docs/trials.md)."

#define CAPABILITY_PURPOSE                                                                                   \
  "Find the weather in which a vessel holds its position, in every direction, intact and after every "       \
  "failure (docs/capability.md)."

#define VERIFY_COMMAND_TABLE(X) X(verify, VERIFY_PURPOSE)
#define LAB_COMMAND_TABLE(X)                                                                                 \
  X(sweep, SWEEP_PURPOSE)                                                                                    \
  X(hydro, HYDRO_PURPOSE) X(rao, RAO_PURPOSE) X(trials, TRIALS_PURPOSE) X(capability, CAPABILITY_PURPOSE)
