// Preloaded: what a program sends to the journal's socket arrives at the socket of SAGBEND_TEST_JOURNAL.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

ssize_t sendmsg(int socket, const struct msghdr *message, int flags);

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  static ssize_t (*next)(int, const struct msghdr *, int);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "sendmsg");
  const struct sockaddr_un *to = message->msg_name;
  const char *test = getenv("SAGBEND_TEST_JOURNAL");
  if (!test || !to || to->sun_family != AF_UNIX || strcmp(to->sun_path, "/run/systemd/journal/socket") != 0)
    return next(socket, message, flags);

  struct sockaddr_un other = {.sun_family = AF_UNIX};
  struct msghdr changed = *message;
  snprintf(other.sun_path, sizeof other.sun_path, "%s", test);
  changed.msg_name = &other;
  changed.msg_namelen = sizeof other;
  return next(socket, &changed, flags);
}
