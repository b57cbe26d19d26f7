/* One side of TLS connections with a pre-shared key, on OpenSSL and a TCP socket of 127.0.0.1.
 *
 *     link listen VERSION SUITE [FAULT]
 *     link connect VERSION SUITE PORT [FAULT]
 *
 * VERSION and SUITE are the numbers of the wire, in decimal: the only version and the only suite that this side offers and
 * accepts. The first line of standard input is the key in hexadecimal, the second the identity.
 *
 * A listener writes "port N", then accepts connections one after the other until it is ended from outside. Both sides write
 * one line about each connection:
 *
 *     open VERSION SUITE EXCHANGE TICKETS     EXCHANGE is "ephemeral" or "alone"; TICKETS counts what a server has issued
 *     failed SENT RECEIVED                    the numbers of the last alert in each direction, or 0
 *
 * The key serves one connection: it is used up when its identity was first sent or received. A fault changes that: "again"
 * serves several connections with it, "tickets" issues tickets, "any-suite" adds another suite, "no-exchange" also offers
 * to do without the ephemeral exchange. Exit code 2 says that this program could not do what it was asked.
 */
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEY_BYTES = 32, LONGEST_LINE = 160, HANG_SECONDS = 600 };

static const char question[] = "the words of the side that connects";
static const char answer[] = "the words of the side that listens";

static struct {
    unsigned char key[KEY_BYTES];
    char identity[LONGEST_LINE];
    int version;
    const SSL_CIPHER *suite;
    int used;
    const char *fault;
} side;

static struct {
    int sent, received, tickets;
} seen;

static void stop(const char *why) {
    fprintf(stderr, "link: %s\n", why);
    ERR_print_errors_fp(stderr);
    exit(2);
}

static int has_fault(const char *name) { return side.fault != NULL && strcmp(side.fault, name) == 0; }

/* Whether the key may be used for this identity. The first use is the only one. */
static int use(const unsigned char *identity, size_t length) {
    if (side.used && !has_fault("again")) return 0;
    if (length != strlen(side.identity) || CRYPTO_memcmp(identity, side.identity, length) != 0) return 0;
    side.used = 1;
    return 1;
}

static unsigned int client_key(SSL *ssl, const char *hint, char *identity, unsigned int room, unsigned char *key,
                               unsigned int key_room) {
    (void)ssl, (void)hint;
    size_t length = strlen(side.identity);
    if (length >= room || key_room < KEY_BYTES || !use((unsigned char *)side.identity, length)) return 0;
    memcpy(identity, side.identity, length + 1);
    memcpy(key, side.key, KEY_BYTES);
    return KEY_BYTES;
}

static unsigned int server_key(SSL *ssl, const char *identity, unsigned char *key, unsigned int room) {
    (void)ssl;
    if (room < KEY_BYTES || !use((const unsigned char *)identity, strlen(identity))) return 0;
    memcpy(key, side.key, KEY_BYTES);
    return KEY_BYTES;
}

/* TLS 1.3 takes an external key as the session that is resumed. */
static SSL_SESSION *session_of_key(void) {
    SSL_SESSION *session = SSL_SESSION_new();
    if (session == NULL || !SSL_SESSION_set1_master_key(session, side.key, KEY_BYTES) ||
        !SSL_SESSION_set_cipher(session, side.suite) || !SSL_SESSION_set_protocol_version(session, side.version))
        stop("no session for the key");
    return session;
}

static int client_session(SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *length,
                          SSL_SESSION **session) {
    (void)ssl;
    *session = NULL;
    if (hash != NULL && EVP_MD_get_type(hash) != NID_sha256) return 0;
    *identity = (const unsigned char *)side.identity;
    *length = strlen(side.identity);
    if (use(*identity, *length)) *session = session_of_key();
    return 1;
}

static int server_session(SSL *ssl, const unsigned char *identity, size_t length, SSL_SESSION **session) {
    (void)ssl;
    *session = use(identity, length) ? session_of_key() : NULL;
    return 1;
}

static void note_alert(const SSL *ssl, int where, int value) {
    (void)ssl;
    if (!(where & SSL_CB_ALERT)) return;
    if ((value & 0xff) == SSL_AD_CLOSE_NOTIFY) return;
    if (where & SSL_CB_WRITE) seen.sent = value & 0xff;
    else seen.received = value & 0xff;
}

/* A session that a server has issued for a later connection. */
static int note_session(SSL *ssl, SSL_SESSION *session) {
    (void)ssl, (void)session;
    seen.tickets++;
    return 0;
}

static SSL_CTX *context(int is_server, int version, unsigned int suite) {
    SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (context == NULL) stop("no context");
    if (!SSL_CTX_set_min_proto_version(context, version) || !SSL_CTX_set_max_proto_version(context, version))
        stop("no such version");

    SSL *any = SSL_new(context);
    const unsigned char number[2] = {(unsigned char)(suite >> 8), (unsigned char)suite};
    side.suite = any == NULL ? NULL : SSL_CIPHER_find(any, number);
    SSL_free(any);
    if (side.suite == NULL) stop("no such suite");
    char suites[LONGEST_LINE];
    const char *other = version == TLS1_3_VERSION ? ":TLS_CHACHA20_POLY1305_SHA256" : ":PSK-CHACHA20-POLY1305";
    snprintf(suites, sizeof suites, "%s%s", SSL_CIPHER_get_name(side.suite), has_fault("any-suite") ? other : "");
    side.version = version;

    if (version == TLS1_3_VERSION) {
        if (!SSL_CTX_set_ciphersuites(context, suites)) stop("the suite is not of this version");
        if (is_server) SSL_CTX_set_psk_find_session_callback(context, server_session);
        else SSL_CTX_set_psk_use_session_callback(context, client_session);
    } else {
        if (!SSL_CTX_set_cipher_list(context, suites)) stop("the suite is not of this version");
        if (is_server) SSL_CTX_set_psk_server_callback(context, server_key);
        else SSL_CTX_set_psk_client_callback(context, client_key);
    }

    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    if (has_fault("no-exchange")) SSL_CTX_set_options(context, SSL_OP_ALLOW_NO_DHE_KEX);
    if (!has_fault("tickets")) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        if (!SSL_CTX_set_num_tickets(context, 0)) stop("tickets cannot be turned off");
    }
    /* A server keeps no session. A client does neither, but is told of each that a server issues. */
    SSL_CTX_set_session_cache_mode(
        context, is_server ? SSL_SESS_CACHE_OFF : SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, note_session);
    SSL_CTX_set_info_callback(context, note_alert);
    return context;
}

/* Both sides say something, so that the records of both directions and what a server sends after the handshake are read. */
static int converse(SSL *ssl, int is_server) {
    char heard[LONGEST_LINE];
    const char *expected = is_server ? question : answer;
    if (!is_server && SSL_write(ssl, question, sizeof question) != sizeof question) return 0;
    int count = SSL_read(ssl, heard, sizeof heard);
    if (count <= 0 || (size_t)count != strlen(expected) + 1 || memcmp(heard, expected, (size_t)count) != 0) return 0;
    return !is_server || SSL_write(ssl, answer, sizeof answer) == sizeof answer;
}

static void serve(SSL_CTX *context, int socket, int is_server) {
    memset(&seen, 0, sizeof seen);
    SSL *ssl = SSL_new(context);
    if (ssl == NULL || !SSL_set_fd(ssl, socket)) stop("no connection");
    int is_open = (is_server ? SSL_accept(ssl) : SSL_connect(ssl)) == 1 && converse(ssl, is_server);
    if (is_open) {
        int ephemeral = SSL_get_negotiated_group(ssl) != 0;
        printf("open %d %u %s %d\n", SSL_version(ssl), SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl)),
               ephemeral ? "ephemeral" : "alone", seen.tickets);
        SSL_shutdown(ssl);
    } else {
        printf("failed %d %d\n", seen.sent, seen.received);
    }
    fflush(stdout);
    ERR_clear_error();
    SSL_free(ssl);
    close(socket);
}

static void read_key(void) {
    char line[LONGEST_LINE];
    if (fgets(line, sizeof line, stdin) == NULL || strcspn(line, "\n") != 2 * KEY_BYTES) stop("no key of 32 bytes");
    for (int at = 0; at < KEY_BYTES; at++) {
        unsigned int byte;
        if (sscanf(line + 2 * at, "%2x", &byte) != 1) stop("the key is not hexadecimal");
        side.key[at] = (unsigned char)byte;
    }
    if (fgets(side.identity, sizeof side.identity, stdin) == NULL) stop("no identity");
    side.identity[strcspn(side.identity, "\n")] = 0;
    OPENSSL_cleanse(line, sizeof line);
}

int main(int count, char **words) {
    int is_server = count > 1 && strcmp(words[1], "listen") == 0;
    int is_client = count > 1 && strcmp(words[1], "connect") == 0;
    int last = is_server ? 4 : 5;
    if (!(is_server || is_client) || count < last || count > last + 1) stop("usage: see the head of link.c");
    if (count > last) side.fault = words[last];
    signal(SIGPIPE, SIG_IGN);
    alarm(HANG_SECONDS);
    read_key();
    SSL_CTX *made = context(is_server, atoi(words[2]), (unsigned int)atoi(words[3]));

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_ < 0) stop("no socket");
    if (is_client) {
        address.sin_port = htons((uint16_t)atoi(words[4]));
        if (connect(socket_, (struct sockaddr *)&address, length) != 0) stop("nobody listens");
        serve(made, socket_, 0);
    } else {
        if (bind(socket_, (struct sockaddr *)&address, length) != 0 || listen(socket_, 4) != 0 ||
            getsockname(socket_, (struct sockaddr *)&address, &length) != 0)
            stop("no port");
        printf("port %d\n", ntohs(address.sin_port));
        fflush(stdout);
        for (int next; (next = accept(socket_, NULL, NULL)) >= 0;) serve(made, next, 1);
    }
    SSL_CTX_free(made);
    OPENSSL_cleanse(side.key, sizeof side.key);
    return 0;
}
