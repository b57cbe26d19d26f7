#include <sqlite3.h>

// Binds a copy of the bytes. `SQLITE_TRANSIENT` is a cast that Swift does not import.
static inline int csqlite_bind_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// `sqlite3_db_config` takes a variable number of arguments, which Swift does not import.
static inline int csqlite_set_option(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
