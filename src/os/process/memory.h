// Memory that a real-time thread touches must exist before: a first touch costs a page fault.
#pragma once

#include "sagbend/base/status.h"

// Maps every page that the process has reserved so far: stacks, heap, code. Unlike os_lock_memory it needs no
// privilege, and the system may take pages away again. STATUS_IO: the system cannot (Linux before 5.14).
enum status memory_populate(struct reason *why);
