// Keys of peers: Z85, files, roles, and what is refused.
#include "os/files/files.h"

#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sagbend-keys-XXXXXX";
static struct reason why;

static const char *path(const char *name) {
  static char text[2][200];
  static int next;
  next ^= 1;
  snprintf(text[next], sizeof text[next], "%s/%s", folder, name);
  return text[next];
}

static void set_up(void) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  why.text[0] = 0;
}

static void tear_down(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void write_bytes(const char *name, const char *text, size_t size, mode_t mode) {
  FILE *file = fopen(path(name), "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
  ck_assert_int_eq(chmod(path(name), mode), 0);
}

static void write_file(const char *name, const char *text, mode_t mode) {
  write_bytes(name, text, strlen(text), mode);
}

static struct peer_key make(const char *name, enum peer_role role) {
  struct peer_key made;
  ck_assert_msg(peer_key_make(path(name), role, name, &made, &why) == STATUS_OK, "%s", why.text);
  return made;
}

// The public key of the client in libzmq's manual (zmq_curve), in both forms.
START_TEST(z85_agrees_with_libzmq) {
  static const char text[] = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
  static const uint8_t bytes[Z85_KEY_BYTES] = {
      0xbb, 0x88, 0x47, 0x1d, 0x65, 0xe2, 0x65, 0x9b, 0x30, 0xc5, 0x5a, 0x53, 0x21, 0xce, 0xbb, 0x5a,
      0xab, 0x2b, 0x70, 0xa3, 0x98, 0x64, 0x5c, 0x26, 0xdc, 0xa2, 0xb2, 0xfc, 0xb4, 0x3f, 0xc5, 0x18};
  uint8_t read[Z85_KEY_BYTES];
  char back[Z85_KEY_TEXT];
  ck_assert(z85_read_key(text, read));
  ck_assert_mem_eq(read, bytes, sizeof bytes);
  z85_write_key(bytes, back);
  ck_assert_str_eq(back, text);
}
END_TEST

START_TEST(z85_refuses_what_is_no_key) {
  uint8_t read[Z85_KEY_BYTES], zero[Z85_KEY_BYTES] = {0};
  ck_assert(!z85_read_key("", read));
  ck_assert(!z85_read_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf", read));
  ck_assert(!z85_read_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf77", read));
  ck_assert(!z85_read_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]y 7", read));
  ck_assert(!z85_read_key("#####>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", read)); // above 2^32
  ck_assert_mem_eq(read, zero, sizeof zero);
}
END_TEST

START_TEST(a_key_is_read_as_made) {
  struct peer_key made = make("dp-1", ROLE_CONTROLLER);
  struct peer_secret read;
  struct stat at;
  ck_assert_int_eq(stat(path("dp-1"), &at), 0);
  ck_assert_int_eq(at.st_mode & 07777, 0600);
  ck_assert_int_eq(peer_secret_read(path("dp-1"), &read, &why), STATUS_OK);
  ck_assert_mem_eq(&read.key, &made, sizeof made);

  struct admitted_keys list;
  ck_assert_int_eq(admitted_keys_read(path("dp-1.pub"), &list, &why), STATUS_OK);
  ck_assert_int_eq(list.count, 1);
  const struct peer_key *found = admitted_keys_find(&list, made.bytes);
  ck_assert_ptr_nonnull(found);
  ck_assert_str_eq(found->name, "dp-1");
  made.bytes[31] ^= 1;
  ck_assert_ptr_null(admitted_keys_find(&list, made.bytes));
}
END_TEST

START_TEST(a_key_is_never_replaced) {
  struct peer_key made;
  make("a", ROLE_OPERATOR);
  ck_assert_int_eq(peer_key_make(path("a"), ROLE_OPERATOR, "a", &made, &why), STATUS_BAD_INPUT);
  unlink(path("a"));
  ck_assert_int_eq(peer_key_make(path("a"), ROLE_OPERATOR, "a", &made, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "a.pub: exists already"));
  ck_assert_int_ne(access(path("a"), F_OK), 0);
}
END_TEST

static void refuses_secret(const char *text, mode_t mode, const char *expected) {
  struct peer_secret read;
  write_file("s", text, mode);
  ck_assert_int_eq(peer_secret_read(path("s"), &read, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, expected) != NULL, "'%s' expected in '%s'", expected, why.text);
  const struct peer_secret zero = {0};
  ck_assert_mem_eq(&read, &zero, sizeof read);
  unlink(path("s"));
}

#define PUBLIC "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define SECRET "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
#define KEYS   "public " PUBLIC "\nsecret " SECRET "\n"

START_TEST(a_secret_file_is_read_strictly) {
  struct peer_secret read;
  write_file("good", "# c\n\nrole server\nname s\n" KEYS, 0600); // the keys of libzmq's manual
  ck_assert_msg(peer_secret_read(path("good"), &read, &why) == STATUS_OK, "%s", why.text);
  refuses_secret("role server\nname s\n" KEYS, 0640, "mode 0600 expected, got 0640");
  refuses_secret("", 0600, "s:1: 'role ROLE' expected");
  refuses_secret("sagbend-log-secret-key 00\n", 0600, "s:1: a key of the network expected, got one for logs");
  refuses_secret("observer o " PUBLIC "\n", 0600, "got the public part");
  refuses_secret("role captain\nname s\n" KEYS, 0600,
                 "s:1: controller, operator, observer or server expected");
  refuses_secret("role server\nname a/b\n" KEYS, 0600, "s:2: a name of 1 to 23");
  refuses_secret("role server\nname s\npublic abc\n", 0600,
                 "s:3: public: 40 characters of Z85 expected, got 3");
  refuses_secret("role server\nname s\npublic " PUBLIC "\nsecret " PUBLIC "\n", 0600,
                 "s:4: the secret key does not belong");
  refuses_secret("role server\nname s\n" KEYS "x\n", 0600, "s:5: the secret key is the last line");
  refuses_secret("role server\nname s\npublic " PUBLIC "\n", 0600, "'secret' and a value expected");
  refuses_secret("role server a b c d\n", 0600, "s:1: at most 4 words");
  ck_assert_int_eq(peer_secret_read(folder, &read, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(peer_secret_read(path("none"), &read, &why), STATUS_BAD_INPUT);
}
END_TEST

static void refuses_bytes(const char *text, size_t size, mode_t mode, const char *expected) {
  struct admitted_keys list;
  write_bytes("l", text, size, mode);
  ck_assert_int_eq(admitted_keys_read(path("l"), &list, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, expected) != NULL, "'%s' expected in '%s'", expected, why.text);
  unlink(path("l"));
}

static void refuses_list(const char *text, mode_t mode, const char *expected) {
  refuses_bytes(text, strlen(text), mode, expected);
}

START_TEST(a_list_is_read_strictly) {
  refuses_list("controller a " PUBLIC "\n\noperator a " SECRET "\n", 0644, "l:3: a key above has the name");
  refuses_list("controller Dp-1 " PUBLIC "\noperator dP-1 " SECRET "\n", 0644,
               "l:2: a key above has the name");
  refuses_list("controller a " PUBLIC "\nobserver b " PUBLIC "\n", 0644, "l:2: this is the key of");
  refuses_list("server a " PUBLIC "\n", 0644, "l:1: a key of a controller, operator or observer expected");
  refuses_list("captain a " PUBLIC "\n", 0644, "l:1: 'ROLE NAME KEY', with the role");
  refuses_list("controller a " PUBLIC " b\n", 0644, "l:1: 'ROLE NAME KEY', with the role");
  refuses_list("controller a 1234\n", 0644, "l:1: a key of 40 characters of Z85 expected, got 4");
  refuses_list("role server\n", 0600, "got a secret file");
  refuses_list("controller a " PUBLIC "\n", 0664, "users other than its owner may change");
  refuses_list("", 0644, "l: at least one line 'ROLE NAME KEY' expected, got none");
  refuses_list("# controller a " PUBLIC "\n\n", 0644, "l: at least one line");
  static const char nul[] = "controller a " PUBLIC "\ncontroller b\0c\n",
                    last[] = "controller a " PUBLIC "\0";
  refuses_bytes(nul, sizeof nul - 1, 0644, "l:2: a line of text expected, got a NUL byte");
  refuses_bytes(last, sizeof last - 1, 0644, "l:1: a line of text expected, got a NUL byte");
  refuses_bytes("#\0\n", 3, 0644, "l:1: a line of text expected, got a NUL byte");
  char longest[300];
  memset(longest, '#', sizeof longest);
  refuses_bytes(longest, 255, 0644, "l:1: a line of at most 254 characters expected");
  refuses_bytes(longest, 254, 0644, "l: at least one line");
}
END_TEST

START_TEST(a_pair_of_keys_needs_the_right_roles) {
  static struct server_keys server;
  struct client_keys client;
  struct peer_key s = make("sim", ROLE_SERVER);
  make("dp", ROLE_CONTROLLER);
  char sim_public[200], text[Z85_KEY_TEXT];
  snprintf(sim_public, sizeof sim_public, "%s/sim.pub", folder);
  z85_write_key(s.bytes, text);
  ck_assert_int_eq(server_keys_read(path("sim"), path("dp.pub"), &server, &why), STATUS_OK);
  ck_assert_int_eq(client_keys_read(path("dp"), sim_public, &client, &why), STATUS_OK);
  ck_assert_mem_eq(client.server, s.bytes, PEER_KEY);
  ck_assert_int_eq(client_keys_read(path("dp"), text, &client, &why), STATUS_OK);
  ck_assert_mem_eq(client.server, s.bytes, PEER_KEY);
  ck_assert_int_eq(server_keys_read(path("dp"), path("dp.pub"), &server, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "the key of a server expected, got that of a controller"));
  ck_assert_int_eq(client_keys_read(path("sim"), sim_public, &client, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(client_keys_read(path("dp"), path("dp.pub"), &client, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(client_keys_read(path("dp"), "short", &client, &why), STATUS_BAD_INPUT);
}
END_TEST

int main(void) {
  Suite *s = suite_create("keys");
  TCase *c = tcase_create("keys");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, z85_agrees_with_libzmq);
  tcase_add_test(c, z85_refuses_what_is_no_key);
  tcase_add_test(c, a_key_is_read_as_made);
  tcase_add_test(c, a_key_is_never_replaced);
  tcase_add_test(c, a_secret_file_is_read_strictly);
  tcase_add_test(c, a_list_is_read_strictly);
  tcase_add_test(c, a_pair_of_keys_needs_the_right_roles);
  suite_add_tcase(s, c);
  return run_suite(s);
}
