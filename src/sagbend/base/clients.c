#include "sagbend/base/clients.h"

#include "sagbend/base/words.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

struct network {
  uint32_t address, mask; // host byte order
};

// Parses "10.0.0.5", "10.0.0.0/24" or "any".
static int parse(const char *word, struct network *out) {
  char text[64];
  struct in_addr address;
  long bits = 32;
  if (strcmp(word, "any") == 0) {
    *out = (struct network){0, 0};
    return 1;
  }
  if (strlen(word) >= sizeof text)
    return 0;
  strcpy(text, word);
  char *slash = strchr(text, '/');
  if (slash) {
    char *end;
    *slash = 0;
    if (!slash[1] || strspn(slash + 1, "0123456789") != strlen(slash + 1))
      return 0;
    bits = strtol(slash + 1, &end, 10);
  }
  if (inet_pton(AF_INET, text, &address) != 1 || bits > 32)
    return 0;
  out->mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
  out->address = ntohl(address.s_addr) & out->mask;
  return 1;
}

int clients_are_valid(const char *list) {
  char word[64];
  struct network network;
  int count = 0;
  for (; words_next(&list, word, sizeof word); count++)
    if (!parse(word, &network))
      return 0;
  return count > 0;
}

int clients_admit(const char *list, uint32_t address) {
  char word[64];
  struct network network;
  if (address >> 24 == 127)
    return 1;
  while (words_next(&list, word, sizeof word))
    if (parse(word, &network) && (address & network.mask) == network.address)
      return 1;
  return 0;
}
