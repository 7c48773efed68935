// How simulated time relates to the wall clock.
#pragma once

enum run_mode {
  RUN_REALTIME, // one simulated second takes one second of the wall clock
  RUN_LOCKSTEP, // each control period waits for the controller's answer to its sensors
  RUN_FAST      // as fast as the processor steps, with the controller inside the program or none
};
