#include <sqlite3.h>

/* A function with a variable number of arguments, which Swift can't call. */
static inline int tidemark_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
