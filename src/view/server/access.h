// Which requests a server on this machine answers: a page of another site must not read it through the
// visitor's browser, neither by a name that resolves to this machine nor by a WebSocket of its own.
#pragma once

struct access {
  const char *const *hosts, *const *origins; // of --allow-host, --allow-origin
  int host_count, origin_count;
};

// Whether the value of a Host field names this machine: localhost, 127.0.0.1, [::1] or an allowed host, with
// any port or none.
int access_is_host_known(const struct access *access, const char *host);

// Whether a page of this origin may connect: one that this server served at host (http, or https behind a
// proxy), or an allowed one.
int access_is_origin_known(const struct access *access, const char *origin, const char *host);

// Whether it is the page of this server itself.
int access_is_own_origin(const char *origin, const char *host);

// Whether text can be the value of --allow-host (a name or an address, without a port) or of --allow-origin
// (scheme://host[:port]).
int access_host_is_valid(const char *text);
int access_origin_is_valid(const char *text);
