#include <sqlite3.h>

/* Has a list of arguments without an end, which Swift can't call. */
static inline int tidemark_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
