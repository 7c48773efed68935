// Lists of addresses that may send or connect: IPv4 addresses, networks such as 10.0.0.0/24, or any,
// separated by blanks. For protocols that have no security of their own.
#pragma once

#include <stdint.h>

// Whether the list has at least one word and each word is an address, a network or any.
int clients_are_valid(const char *list);
// Whether the list contains this address (host byte order). Addresses of the loopback interface always are.
int clients_admit(const char *list, uint32_t address);
