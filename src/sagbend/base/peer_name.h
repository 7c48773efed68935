// Names by which people tell controllers, operators and keys apart. Two that look alike are one name.
#pragma once

// Whether a name is printable ASCII without blanks at its ends, and not empty.
int peer_name_is_valid(const char *name);

// Whether two names are one: the case of letters does not count.
int peer_name_is_same(const char *a, const char *b);
