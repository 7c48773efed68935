// Sockets of groups: on one interface for each network, which is the loopback interface unless the
// configuration names another.
#define _DEFAULT_SOURCE // struct ip_mreq, IP_MULTICAST_ALL, SO_RXQ_OVFL
#include "net/groups/groups.h"

#include "net/zmtp/zmtp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
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

struct sockaddr_in group_moved(struct sockaddr_in at, const struct network_def *network) {
  at.sin_port = htons((uint16_t)(ntohs(at.sin_port) + network->port_offset));
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

int group_networks(const struct network_def *network) {
  return *network->interface[1] ? 2 : 1;
}

// The device with this address; "": none.
static void find_device(const struct ifaddrs *all, const char *interface, char device[GROUP_DEVICE]) {
  struct in_addr wanted;
  *device = '\0';
  if (group_is_loopback(interface) || inet_pton(AF_INET, interface, &wanted) != 1)
    return;
  for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
    struct sockaddr_in at;
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET)
      continue;
    memcpy(&at, one->ifa_addr, sizeof at);
    if (at.sin_addr.s_addr == wanted.s_addr) // a second address may have a label behind a colon
      snprintf(device, GROUP_DEVICE, "%.*s", (int)strcspn(one->ifa_name, ":"), one->ifa_name);
  }
}

int group_networks_are_one(const struct network_def *network, char device[GROUP_DEVICE]) {
  struct ifaddrs *all = NULL;
  char other[GROUP_DEVICE];
  if (group_networks(network) < NETWORKS || getifaddrs(&all) != 0)
    return 0;
  find_device(all, network->interface[0], device);
  find_device(all, network->interface[1], other);
  freeifaddrs(all);
  return *device && !strcmp(device, other);
}

// Closes without changing errno.
static void close_failed(int *file) {
  const int error = errno;
  if (*file >= 0)
    close(*file);
  *file = -1;
  errno = error;
}

static int set_int(int file, int level, int option, int value) {
  return setsockopt(file, level, option, &value, sizeof value) == 0;
}

// ------------------------------------------------------------
// Receiving.

// Two networks on the loopback interface are one device.
static int is_one_device(const struct network_def *network) {
  return group_networks(network) == 2 && group_is_loopback(network->interface[0]) &&
         group_is_loopback(network->interface[1]);
}

// Returns 1, also if it is still joined. On one device the address that a program sends from tells the
// networks apart: what comes by the other one takes no room in the socket.
static int join(int file, const struct sockaddr_in *at, const struct network_def *network, int which) {
  struct ip_mreq_source request = {.imr_multiaddr = at->sin_addr};
  if (inet_pton(AF_INET, network->interface[which], &request.imr_interface) != 1) {
    errno = EINVAL;
    return 0;
  }
  request.imr_sourceaddr = request.imr_interface;
  if (is_one_device(network))
    return setsockopt(file, IPPROTO_IP, IP_ADD_SOURCE_MEMBERSHIP, &request, sizeof request) == 0 ||
           errno == EADDRNOTAVAIL;
  const struct ip_mreq all = {.imr_multiaddr = at->sin_addr, .imr_interface = request.imr_interface};
  return setsockopt(file, IPPROTO_IP, IP_ADD_MEMBERSHIP, &all, sizeof all) == 0 || errno == EADDRINUSE;
}

// Bound to the address of the group: what is sent to another one at the same port does not come here, nor
// what comes to this group by an interface on which another program has joined it.
static int open_way(struct group_receiver *receiver, int which) {
  struct group_receiver_way *way = &receiver->way[which];
  way->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int is_open = way->file >= 0 && set_int(way->file, SOL_SOCKET, SO_REUSEADDR, 1) &&
                      set_int(way->file, IPPROTO_IP, IP_MULTICAST_ALL, 0) &&
                      set_int(way->file, SOL_SOCKET, SO_RXQ_OVFL, 1) &&
                      set_int(way->file, SOL_SOCKET, SO_TIMESTAMPNS, 1) &&
                      bind(way->file, (const struct sockaddr *)&receiver->at, sizeof receiver->at) == 0 &&
                      join(way->file, &receiver->at, receiver->network, which);
  if (!is_open)
    close_failed(&way->file);
  way->join_ms = clock_ms() + GROUP_JOIN_AGAIN_MS;
  return is_open;
}

int group_receiver_open(struct group_receiver *receiver, const struct sockaddr_in *at,
                        const struct network_def *network, int *failed) {
  *receiver = (struct group_receiver){.at = *at, .network = network};
  for (int i = 0; i < NETWORKS; i++)
    receiver->way[i].file = -1;
  for (*failed = 0; *failed < group_networks(network); ++*failed)
    if (!open_way(receiver, *failed))
      return -1;
  return 0;
}

void group_receiver_close(struct group_receiver *receiver) {
  for (int i = 0; i < NETWORKS; i++) {
    if (receiver->way[i].file >= 0)
      close(receiver->way[i].file);
    receiver->way[i].file = -1;
  }
}

int group_receiver_join(struct group_receiver *receiver, int network) {
  struct group_receiver_way *way = &receiver->way[network];
  const int was_apart = way->is_apart;
  if (way->file < 0 || clock_ms() < way->join_ms)
    return 0;
  way->is_apart = !join(way->file, &receiver->at, receiver->network, network);
  way->join_ms = clock_ms() + (way->is_apart ? GROUP_JOIN_RETRY_MS : GROUP_JOIN_AGAIN_MS);
  return way->is_apart != was_apart;
}

void group_receiver_begin(struct group_receiver *receiver, int is_limited) {
  const int64_t now_ms = clock_ms();
  const int is_new_slice = now_ms - receiver->budget_ms >= GROUP_SLICE_MS;
  if (is_new_slice)
    receiver->budget_ms = now_ms;
  for (int i = 0; i < NETWORKS; i++) {
    struct group_receiver_way *way = &receiver->way[i];
    way->turn = GROUP_PER_TURN;
    if (is_new_slice || !is_limited)
      way->slice = GROUP_PER_SLICE;
  }
}

int group_receiver_rests(const struct group_receiver *receiver, int network) {
  return receiver->way[network].slice <= 0 && clock_ms() - receiver->budget_ms < GROUP_SLICE_MS;
}

// Reads what waits first; flags MSG_PEEK: it stays, and out has nothing but when it came. *at_ns: when it
// came, by the system's clock.
static ssize_t read_way(struct group_receiver_way *way, struct group_datagram *out, int flags,
                        int64_t *at_ns) {
  char control[128];
  struct iovec part = {out->data, flags ? 0 : sizeof out->data};
  struct msghdr head = {.msg_name = &out->from,
                        .msg_namelen = sizeof out->from,
                        .msg_iov = &part,
                        .msg_iovlen = 1,
                        .msg_control = control,
                        .msg_controllen = sizeof control};
  const ssize_t size = recvmsg(way->file, &head, MSG_DONTWAIT | MSG_TRUNC | flags);
  struct timespec at = {0};
  uint32_t overrun = way->overrun;
  for (struct cmsghdr *c = size < 0 ? NULL : CMSG_FIRSTHDR(&head); c; c = CMSG_NXTHDR(&head, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
      memcpy(&overrun, CMSG_DATA(c), sizeof overrun);
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS)
      memcpy(&at, CMSG_DATA(c), sizeof at);
  }
  *at_ns = (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
  if (flags || size < 0)
    return size;
  out->dropped = (uint32_t)(overrun - way->overrun);
  way->dropped += out->dropped;
  way->overrun = overrun;
  return size;
}

// The network whose first datagram came before that of the other; -1: nothing waits.
static int first_of(struct group_receiver *receiver, struct group_datagram *scratch) {
  int first = -1;
  const int count = group_networks(receiver->network);
  for (int i = 0; i < count; i++) {
    struct group_receiver_way *way = &receiver->way[i];
    if (way->file < 0 || way->turn <= 0 || way->slice <= 0)
      continue;
    if (count == 1)
      return i;
    if (!way->head_ns && read_way(way, scratch, MSG_PEEK, &way->head_ns) < 0) {
      way->head_ns = 0;
      way->turn = 0; // nothing waits
      continue;
    }
    if (first < 0 || way->head_ns < receiver->way[first].head_ns)
      first = i;
  }
  return first;
}

int group_receiver_take(struct group_receiver *receiver, struct group_datagram *out) {
  int64_t at_ns;
  int network;
  while ((network = first_of(receiver, out)) >= 0) {
    struct group_receiver_way *way = &receiver->way[network];
    way->turn--;
    way->slice--;
    way->head_ns = 0;
    const ssize_t size = read_way(way, out, 0, &at_ns);
    if (size < 0) { // nothing waits, or an error that the next datagram does not have
      way->turn = 0;
      continue;
    }
    out->network = network;
    out->size = (size_t)size;
    return 1;
  }
  return 0;
}

// ------------------------------------------------------------
// Sending.

// Bound to the address of the interface, so that the system refuses one that is not there.
static int open_sender_way(const struct network_def *network, int which, struct group_sender_way *way) {
  struct sockaddr_in from = {.sin_family = AF_INET};
  const unsigned char ttl = (unsigned char)network->ttl, loop = (unsigned char)network->loop;
  socklen_t size = sizeof from;
  way->file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (inet_pton(AF_INET, network->interface[which], &from.sin_addr) != 1)
    errno = EINVAL;
  else if (way->file >= 0 && bind(way->file, (const struct sockaddr *)&from, sizeof from) == 0 &&
           setsockopt(way->file, IPPROTO_IP, IP_MULTICAST_IF, &from.sin_addr, sizeof from.sin_addr) == 0 &&
           setsockopt(way->file, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl) == 0 &&
           setsockopt(way->file, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof loop) == 0 &&
           getsockname(way->file, (struct sockaddr *)&from, &size) == 0) {
    way->from_port = from.sin_port;
    return 1;
  }
  close_failed(&way->file);
  return 0;
}

int group_sender_open(struct group_sender *sender, const struct sockaddr_in *to,
                      const struct network_def *network, int *failed) {
  *sender = (struct group_sender){.to = *to, .network = network};
  for (int i = 0; i < NETWORKS; i++)
    sender->way[i].file = -1;
  for (*failed = 0; *failed < group_networks(network); ++*failed)
    if (!open_sender_way(network, *failed, &sender->way[*failed]))
      return -1;
  return 0;
}

void group_sender_close(struct group_sender *sender) {
  for (int i = 0; i < NETWORKS; i++) {
    if (sender->way[i].file >= 0)
      close(sender->way[i].file);
    sender->way[i].file = -1;
  }
}

// Returns whether it fails from now on.
static int fail_way(struct group_sender_way *way, double clock_s) {
  const int is_new = !way->has_failed;
  close_failed(&way->file);
  way->retry_s = clock_s + 1;
  way->failed += (uint64_t)is_new;
  way->has_failed = 1;
  return is_new;
}

unsigned group_sender_send(struct group_sender *sender, const char *data, size_t size, double clock_s,
                           int *taken) {
  unsigned failed = 0;
  *taken = 0;
  for (int i = 0; i < group_networks(sender->network); i++) {
    struct group_sender_way *way = &sender->way[i];
    const int times = sender->pass ? sender->pass(sender->context, i, data, size) : 1;
    if (times > 1)
      group_sender_send_by(sender, i, data, size);
    if (times == 0 && way->file >= 0) { // as far as this end knows
      way->sent++;
      ++*taken;
      continue;
    }
    const ssize_t sent = way->file < 0 ? -1
                                       : sendto(way->file, data, size, 0,
                                                (const struct sockaddr *)&sender->to, sizeof sender->to);
    if (sent == (ssize_t)size) {
      way->sent++;
      ++*taken;
      continue;
    }
    way->lost++;
    const int is_slow = sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR);
    if (way->file >= 0 && !is_slow && fail_way(way, clock_s))
      failed |= 1u << i;
  }
  return failed;
}

void group_sender_send_by(const struct group_sender *sender, int network, const char *data, size_t size) {
  if (sender->way[network].file >= 0)
    (void)sendto(sender->way[network].file, data, size, 0, (const struct sockaddr *)&sender->to,
                 sizeof sender->to);
}

void group_sender_retry(struct group_sender *sender, double clock_s) {
  for (int i = 0; i < group_networks(sender->network); i++) {
    struct group_sender_way *way = &sender->way[i];
    if (way->file >= 0 || clock_s < way->retry_s)
      continue;
    if (open_sender_way(sender->network, i, way)) {
      way->restored += (uint64_t)way->has_failed;
      way->has_failed = 0;
    } else {
      fail_way(way, clock_s);
    }
  }
}

int group_sender_is(const struct group_sender *sender, const struct sockaddr_in *from) {
  struct in_addr interface;
  for (int i = 0; i < group_networks(sender->network); i++)
    if (sender->way[i].file >= 0 && sender->way[i].from_port == from->sin_port &&
        inet_pton(AF_INET, sender->network->interface[i], &interface) == 1 &&
        interface.s_addr == from->sin_addr.s_addr)
      return 1;
  return 0;
}
