#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stddef.h>

/* Macros of characters are not imported into Swift as numbers. */
static inline const char *tidemark_pq_state_of(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/* What the server only remarks would go to standard error. */
static inline void tidemark_pq_ignore(void *unused, const PGresult *result) {
    (void)unused;
    (void)result;
}

static inline void tidemark_pq_be_quiet(PGconn *connection) {
    PQsetNoticeReceiver(connection, tidemark_pq_ignore, NULL);
}

/* The parameters of one statement, all in binary form. They lie one behind the other in `bytes`; one of a negative length is null. */
static inline PGresult *tidemark_pq_run(
    PGconn *connection, const char *statement, int count, const unsigned char *bytes, const int *lengths) {
    enum { most = 16 };
    const char *values[most];
    int sizes[most], formats[most];
    int place = 0;
    if (count > most) return NULL;
    for (int index = 0; index < count; index++) {
        int is_null = lengths[index] < 0;
        values[index] = is_null ? NULL : (const char *)bytes + place;
        sizes[index] = is_null ? 0 : lengths[index];
        formats[index] = 1;
        place += sizes[index];
    }
    return PQexecPrepared(connection, statement, count, values, sizes, formats, 1);
}

/* What the address says stands above what comes before it here, and below what comes after. */
static inline PGconn *tidemark_pq_connect(const char *address, const char *seconds, const char *milliseconds) {
    const char *const names[] = {
        "connect_timeout", "tcp_user_timeout", "keepalives_idle", "target_session_attrs", "fallback_application_name",
        "dbname", "client_encoding", NULL};
    const char *const values[] = {seconds, milliseconds, "30", "read-write", "tidemark", address, "UTF8", NULL};
    return PQconnectdbParams(names, values, 1);
}

/* Waits until the server has something to say, or the time is over; 0 where the connection is lost. */
static inline int tidemark_pq_wait(PGconn *connection, int milliseconds) {
    struct pollfd place = {PQsocket(connection), POLLIN, 0};
    int found = poll(&place, 1, milliseconds);
    if (found == 0 || (found < 0 && errno == EINTR)) return 1;
    return found > 0 ? PQconsumeInput(connection) : 0;
}

static inline void tidemark_pq_rest(int milliseconds) { poll(NULL, 0, milliseconds); }
