#define _GNU_SOURCE
#include "net/zmtp/peer_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { PROBES = 3 };

int peer_socket_accept(int listener, int *is_short) {
  *is_short = 0;
  for (;;) {
    int file = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file >= 0)
      return file;
    *is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (errno != EINTR && errno != ECONNABORTED)
      return -1;
  }
}

void peer_socket_limit(int file, const struct peer_socket_limits *limits) {
  const struct {
    int level, option, value;
  } options[] = {{SOL_SOCKET, SO_SNDBUF, limits->send_buffer},
                 {SOL_SOCKET, SO_RCVBUF, limits->receive_buffer},
                 {SOL_SOCKET, SO_KEEPALIVE, 1},
                 {IPPROTO_TCP, TCP_NODELAY, 1},
                 {IPPROTO_TCP, TCP_KEEPIDLE, limits->keepalive_s},
                 {IPPROTO_TCP, TCP_KEEPINTVL, limits->keepalive_s},
                 {IPPROTO_TCP, TCP_KEEPCNT, PROBES},
                 {IPPROTO_TCP, TCP_USER_TIMEOUT, limits->unacknowledged_ms}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) // TCP options have no effect on ipc sockets
    if (options[i].value)
      setsockopt(file, options[i].level, options[i].option, &options[i].value, sizeof options[i].value);
}

void peer_socket_address(int file, char out[PEER_ADDRESS]) {
  struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
  socklen_t size = sizeof address;
  char host[INET_ADDRSTRLEN] = "";
  out[0] = '\0';
  if (getpeername(file, (struct sockaddr *)&address, &size) != 0)
    return;
  if (address.ss_family == AF_INET) {
    struct sockaddr_in in;
    memcpy(&in, &address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    snprintf(out, PEER_ADDRESS, "%s:%d", host, (int)ntohs(in.sin_port));
  } else {
    snprintf(out, PEER_ADDRESS, "this machine");
  }
}
