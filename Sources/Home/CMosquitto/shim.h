#include <dlfcn.h>
#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>

// The libmosquitto functions in use, as declared there. The library is loaded only for a node with a broker: its TLS would cost
// every other program two megabytes and a millisecond or two at each start.
#define CMOSQUITTO_FUNCTIONS(DO) \
    DO(lib_init) DO(new) DO(destroy) DO(user_data_set) DO(connect_callback_set) DO(publish_callback_set) \
    DO(message_callback_set) DO(int_option) DO(will_set) DO(username_pw_set) DO(tls_set) DO(connect) DO(socket) \
    DO(want_write) DO(loop_read) DO(loop_write) DO(loop_misc) DO(publish) DO(subscribe) DO(unsubscribe) DO(disconnect) \
    DO(strerror)

struct cmosquitto {
#define CMOSQUITTO_MEMBER(name) __typeof__(mosquitto_##name) *_Nonnull name;
    CMOSQUITTO_FUNCTIONS(CMOSQUITTO_MEMBER)
#undef CMOSQUITTO_MEMBER
};

// Loads and starts the library. Returns false if it is missing, lacks a function or does not start.
static inline bool cmosquitto_load(struct cmosquitto *_Nonnull library) {
    void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return false;
#define CMOSQUITTO_FIND(name) \
    { \
        void *found = dlsym(handle, "mosquitto_" #name); \
        if (found == NULL) return false; \
        library->name = (__typeof__(mosquitto_##name) *)found; \
    }
    CMOSQUITTO_FUNCTIONS(CMOSQUITTO_FIND)
#undef CMOSQUITTO_FIND
    return library->lib_init() == MOSQ_ERR_SUCCESS;
}
