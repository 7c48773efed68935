// The help of sagbend-fmu, which is its page of the manual too.
#include "programs/fmu/fmu_program.h"

void fmu_controller_describe(struct help *h) {
  static const char *const usages[] = {"ENDPOINT X.fmu [MAP.yaml]", NULL};
  static const char *const examples[] = {
      "sagbend-fmu tcp://127.0.0.1:47700 DPController.fmu",
      "sagbend start configs/osv-83m-weather.yaml --controller DPController.fmu", NULL};
  help_begin(
      h, "sagbend-fmu",
      "Run an FMU of FMI 1.0, 2.0 or 3.0 for co-simulation as the controller of a session, over the "
      "protocol of proto/sagbend/v1, in a separate process. To export a case as an FMU: 'sagbend fmu'.",
      usages);
  help_text(h,
            "ENDPOINT is the command socket of the simulator. MAP.yaml says which measurement goes to which "
            "input of the FMU, and which output is which part of the command (docs/fmu.md). Default: "
            "X.fmu.yaml; an FMU whose variables have the names of exported ones needs none. 'sagbend start' "
            "and plans of 'sagbend trials' run this program for a controller "
            "whose command ends in .fmu.");
  help_heading(h, "options", HELP_OPTION_COLUMN);
  help_row(h, "--name NAME", "Name of the controller in the session. Default: that of the FMU's model.");
  help_row(h, "--help", "Print this help.");
  help_statuses(
      h, "0 the session ended or a signal stopped the program; 1 the FMU or the connection has failed; 2 "
         "wrong usage, FMU or map");
  help_examples(h, examples);
}
