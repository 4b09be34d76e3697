#include <yajl/yajl_parse.h>

// `yajl_config` has variable arguments, which Swift cannot call.

/// Switches off the UTF-8 check of yajl, which accepts invalid text. The text is checked separately.
static inline int tidemark_yajl_trust_utf8(yajl_handle handle) {
    return yajl_config(handle, yajl_dont_validate_strings, 1);
}

/// Accepts a sequence of values in place of one.
static inline int tidemark_yajl_allow_multiple_values(yajl_handle handle) {
    return yajl_config(handle, yajl_allow_multiple_values, 1);
}
