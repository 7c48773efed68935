// Sockets of groups: on one interface, which is the loopback interface unless the configuration names
// another.
#define _DEFAULT_SOURCE // struct ip_mreq, IP_MULTICAST_ALL
#include "net/groups/groups.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef IP_MULTICAST_ALL
#define IP_MULTICAST_ALL 49 // linux/in.h, which does not go together with netinet/in.h
#endif

struct sockaddr_in group_address(int group) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(60001 + group))};
  at.sin_addr.s_addr = htonl(0xEFC00001u + (uint32_t)group); // 239.192.0.1
  return at;
}

int group_is_multicast(const struct sockaddr_in *at) {
  return ntohl(at->sin_addr.s_addr) >> 28 == 0xE;
}

int group_is_same(const struct sockaddr_in *a, const struct sockaddr_in *b) {
  return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

int group_is_interface(const char *text) {
  struct in_addr at;
  return inet_pton(AF_INET, text, &at) == 1 && ntohl(at.s_addr) >> 28 < 0xE && at.s_addr != 0;
}

int group_is_loopback(const char *interface) {
  struct in_addr at;
  return inet_pton(AF_INET, interface, &at) == 1 && ntohl(at.s_addr) >> 24 == 127;
}

double group_utc_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int group_join(int file, const struct sockaddr_in *at, const char *interface) {
  struct ip_mreq request = {.imr_multiaddr = at->sin_addr};
  if (inet_pton(AF_INET, interface, &request.imr_interface) != 1) {
    errno = EINVAL;
    return -1;
  }
  if (setsockopt(file, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) == 0 || errno == EADDRINUSE)
    return 0;
  return -1;
}

// Closes without changing errno.
static int close_failed(int file) {
  const int error = errno;
  if (file >= 0)
    close(file);
  errno = error;
  return -1;
}

// Bound to the address of the group: what is sent to another one at the same port does not come here, nor
// what comes to this group by an interface on which another program has joined it.
int group_open_receiver(const struct sockaddr_in *at, const char *interface) {
  const int yes = 1, no = 0;
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      setsockopt(file, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof no) != 0 ||
      bind(file, (const struct sockaddr *)at, sizeof *at) != 0 || group_join(file, at, interface) != 0)
    return close_failed(file);
  return file;
}

// Bound to the address of the interface, so that the system refuses one that is not there.
int group_open_sender(const struct network_def *network) {
  struct sockaddr_in from = {.sin_family = AF_INET};
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (inet_pton(AF_INET, network->interface, &from.sin_addr) != 1) {
    errno = EINVAL;
    return close_failed(file);
  }
  const unsigned char ttl = (unsigned char)network->ttl, loop = (unsigned char)network->loop;
  if (file < 0 || bind(file, (const struct sockaddr *)&from, sizeof from) != 0 ||
      setsockopt(file, IPPROTO_IP, IP_MULTICAST_IF, &from.sin_addr, sizeof from.sin_addr) != 0 ||
      setsockopt(file, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl) != 0 ||
      setsockopt(file, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof loop) != 0)
    return close_failed(file);
  return file;
}
