#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Functions with a variable number of arguments are not imported into Swift. */
static inline int tidemark_socket_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int)info->connect_fd;
}

static inline size_t tidemark_head_size_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/* Before the library sends an error page, it logs its status. Returns the status; 0 for any other log message. */
static inline int tidemark_status_of_complaint(const char *format, va_list arguments) {
    char text[256];
    const char *place;
    int status = 0;
    vsnprintf(text, sizeof text, format, arguments);
    place = strstr(text, "response code is ");
    if (place != NULL) sscanf(place, "response code is %d", &status);
    return status;
}
