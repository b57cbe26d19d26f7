#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CDeliveryPeers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEED(condition) do { if (!(condition)) return __LINE__; } while (0)
#define TAG 16

// A connected pair of sockets of the loopback interface.
static int connect_pair(int ends[2]) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    NEED(listener >= 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    NEED(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0);
    NEED(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    NEED(ends[0] >= 0 && connect(ends[0], (struct sockaddr *)&address, sizeof address) == 0);
    ends[1] = accept(listener, NULL, NULL);
    NEED(ends[1] >= 0);
    close(listener);
    for (int end = 0; end < 2; end++) setsockopt(ends[end], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return 0;
}

static bool write_all(int file, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(file, bytes, count);
        if (done <= 0) return false;
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

// Answers whether `count` bytes were there; `ended` says whether the stream ended before the first.
static bool read_all(int file, uint8_t *bytes, size_t count, bool *ended) {
    size_t at = 0;
    while (at < count) {
        ssize_t done = read(file, bytes + at, count - at);
        if (done <= 0) {
            if (ended) *ended = done == 0 && at == 0;
            return false;
        }
        at += (size_t)done;
    }
    return true;
}

// One direction of a sealed stream: a key, and a counter as nonce.
typedef struct {
    int cipher;
    EVP_CIPHER_CTX *context;
    uint64_t counter;
} seal_state;

static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8};

static bool seal_begin(seal_state *state, int cipher, bool seals) {
    *state = (seal_state){.cipher = cipher};
    if (cipher != PEERS_AES_GCM_OPENSSL && cipher != PEERS_CHACHA_OPENSSL) return true;
    state->context = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *kind = cipher == PEERS_AES_GCM_OPENSSL ? EVP_aes_256_gcm() : EVP_chacha20_poly1305();
    return state->context && EVP_CipherInit_ex(state->context, kind, NULL, key, NULL, seals) == 1;
}

// Works in place; the tag is behind the bytes.
static bool seal_step(seal_state *state, uint8_t *bytes, size_t count, bool seals) {
    uint8_t nonce[12] = {0};
    memcpy(nonce + 4, &state->counter, 8);
    state->counter++;
    if (state->cipher == PEERS_PLAIN) return true;
    if (state->cipher == PEERS_CHACHA_SODIUM) {
        if (seals)
            return crypto_aead_chacha20poly1305_ietf_encrypt(bytes, NULL, bytes, count, NULL, 0, NULL, nonce, key) == 0;
        return crypto_aead_chacha20poly1305_ietf_decrypt(bytes, NULL, NULL, bytes, count + TAG, NULL, 0, nonce, key) == 0;
    }
    int length;
    if (EVP_CipherInit_ex(state->context, NULL, NULL, NULL, nonce, -1) != 1) return false;
    if (!seals && EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_SET_TAG, TAG, bytes + count) != 1) return false;
    if (EVP_CipherUpdate(state->context, bytes, &length, bytes, (int)count) != 1) return false;
    if (EVP_CipherFinal_ex(state->context, bytes + length, &length) != 1) return false;
    return !seals || EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_GET_TAG, TAG, bytes + count) == 1;
}

typedef struct {
    int link;
    const char *to;
    int cipher;
    size_t frame, synced;
    int failed;
    uint8_t digest[32];
} receiving;

static int receive_frames(receiving *work) {
    int file = open(work->to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    uint8_t *bytes = malloc(work->frame + TAG);
    seal_state state;
    NEED(file >= 0 && bytes && seal_begin(&state, work->cipher, false));
    const size_t tag = work->cipher == PEERS_PLAIN ? 0 : TAG;
    SHA256_CTX hash;
    SHA256_Init(&hash);
    uint64_t stored = 0, announced = 0;
    uint32_t length;
    bool ended = false;
    while (read_all(work->link, (uint8_t *)&length, sizeof length, &ended)) {
        NEED(length <= work->frame && read_all(work->link, bytes, length + tag, NULL));
        NEED(seal_step(&state, bytes, length, false) && write_all(file, bytes, length));
        stored += length;
        if (work->synced == 0) continue;
        SHA256_Update(&hash, bytes, length);
        if (stored - announced < work->synced) continue;
        NEED(fdatasync(file) == 0);
        announced = stored;
        NEED(write_all(work->link, (uint8_t *)&announced, sizeof announced));
    }
    NEED(ended);
    if (work->synced > 0) {
        SHA256_Final(work->digest, &hash);
        NEED(fdatasync(file) == 0);
    }
    EVP_CIPHER_CTX_free(state.context);
    free(bytes);
    close(file);
    return 0;
}

static void *receive_main(void *argument) {
    receiving *work = argument;
    work->failed = receive_frames(work);
    if (work->failed) shutdown(work->link, SHUT_RDWR);
    return NULL;
}

static int send_frames(const char *from, int link, int cipher, size_t frame, size_t synced, uint8_t digest[32]) {
    int file = open(from, O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = malloc(4 + frame + TAG);
    seal_state state;
    NEED(file >= 0 && bytes && seal_begin(&state, cipher, true));
    const size_t tag = cipher == PEERS_PLAIN ? 0 : TAG;
    SHA256_CTX hash;
    SHA256_Init(&hash);
    uint64_t sent = 0, stored = 0;
    for (;;) {
        ssize_t count = read(file, bytes + 4, frame);
        NEED(count >= 0);
        if (count == 0) break;
        uint32_t length = (uint32_t)count;
        memcpy(bytes, &length, 4);
        if (synced > 0) {
            SHA256_Update(&hash, bytes + 4, length);
            while (sent + length - stored > 2 * synced)
                NEED(read_all(link, (uint8_t *)&stored, sizeof stored, NULL));
        }
        NEED(seal_step(&state, bytes + 4, length, true) && write_all(link, bytes, 4 + length + tag));
        sent += length;
    }
    if (synced > 0) SHA256_Final(digest, &hash);
    shutdown(link, SHUT_WR);
    EVP_CIPHER_CTX_free(state.context);
    free(bytes);
    close(file);
    return 0;
}

int peers_copy_file(const char *from, const char *to, int cipher, size_t frame, size_t synced) {
    int ends[2];
    NEED(connect_pair(ends) == 0);
    receiving work = {.link = ends[1], .to = to, .cipher = cipher, .frame = frame, .synced = synced};
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, receive_main, &work) == 0);
    uint8_t digest[32] = {0};
    int failed = send_frames(from, ends[0], cipher, frame, synced, digest);
    if (failed) shutdown(ends[0], SHUT_RDWR);
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
    if (failed || work.failed) return failed ? failed : work.failed;
    NEED(memcmp(digest, work.digest, 32) == 0);
    return 0;
}

// Keeps a digest from being left out.
static volatile uint8_t sink;

int peers_digest_file(const char *path, uint64_t count) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    NEED(file >= 0);
    static uint8_t bytes[65536];
    uint8_t digest[32];
    SHA256_CTX hash;
    SHA256_Init(&hash);
    while (count > 0) {
        ssize_t done = read(file, bytes, count < sizeof bytes ? (size_t)count : sizeof bytes);
        NEED(done > 0);
        SHA256_Update(&hash, bytes, (size_t)done);
        count -= (uint64_t)done;
    }
    SHA256_Final(digest, &hash);
    close(file);
    sink = digest[0];
    return 0;
}

int peers_commit(const char *path, const peers_change *changes, size_t count) {
    sqlite3 *database;
    sqlite3_stmt *put, *removal, *begin, *commit;
    static uint8_t bytes[70000];
    NEED(sqlite3_open(path, &database) == SQLITE_OK);
    const char *setup =
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE rows(name BLOB PRIMARY KEY, sealed BLOB) WITHOUT ROWID;";
    NEED(sqlite3_exec(database, setup, NULL, NULL, NULL) == SQLITE_OK);
    NEED(sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO rows VALUES (?, ?)", -1, &put, NULL) == SQLITE_OK);
    NEED(sqlite3_prepare_v2(database, "DELETE FROM rows WHERE name = ?", -1, &removal, NULL) == SQLITE_OK);
    NEED(sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL) == SQLITE_OK);
    NEED(sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL) == SQLITE_OK);
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        if (is_first) NEED(sqlite3_step(begin) == SQLITE_DONE && sqlite3_reset(begin) == SQLITE_OK);
        sqlite3_stmt *statement = changes[i].length > 0 ? put : removal;
        NEED(sqlite3_bind_blob(statement, 1, changes[i].name, 16, SQLITE_STATIC) == SQLITE_OK);
        if (changes[i].length > 0) {
            NEED(changes[i].length <= sizeof bytes);
            NEED(sqlite3_bind_blob(statement, 2, bytes, (int)changes[i].length, SQLITE_STATIC) == SQLITE_OK);
        }
        NEED(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
        is_first = changes[i].is_last != 0;
        if (is_first) NEED(sqlite3_step(commit) == SQLITE_DONE && sqlite3_reset(commit) == SQLITE_OK);
    }
    sqlite3_finalize(put);
    sqlite3_finalize(removal);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    NEED(sqlite3_close(database) == SQLITE_OK);
    return 0;
}

typedef struct {
    int link;
    size_t count, size;
    int failed;
} answering;

static int answer_each(answering *work) {
    uint8_t *bytes = malloc(work->size), receipt[48] = {1};
    NEED(bytes);
    for (size_t i = 0; i < work->count; i++) {
        NEED(read_all(work->link, bytes, work->size, NULL));
        NEED(write_all(work->link, receipt, sizeof receipt));
    }
    free(bytes);
    return 0;
}

static void *answer_main(void *argument) {
    answering *work = argument;
    work->failed = answer_each(work);
    if (work->failed) shutdown(work->link, SHUT_RDWR);
    return NULL;
}

int peers_exchange(size_t count, size_t size) {
    int ends[2];
    NEED(connect_pair(ends) == 0);
    answering work = {.link = ends[1], .count = count, .size = size};
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, answer_main, &work) == 0);
    uint8_t *bytes = calloc(1, size), receipt[48];
    NEED(bytes);
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++)
        if (!write_all(ends[0], bytes, size) || !read_all(ends[0], receipt, sizeof receipt, NULL)) failed = __LINE__;
    if (failed) shutdown(ends[0], SHUT_RDWR);
    pthread_join(thread, NULL);
    free(bytes);
    close(ends[0]);
    close(ends[1]);
    return failed ? failed : work.failed;
}
