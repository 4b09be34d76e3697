#include <sqlite3.h>

/* A function with a variable number of arguments, which Swift can't call. */
static inline int tidemark_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* Another one: the connection leaves the log of its file as it is when it is closed. */
static inline int tidemark_sqlite_keep_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
