#include <yajl/yajl_parse.h>

/// `yajl_config` has variable arguments, which Swift cannot call. The UTF-8 check of yajl is switched off because it
/// accepts invalid text; the text is checked before it is passed to yajl.
static inline int tidemark_yajl_trust_utf8(yajl_handle handle) {
    return yajl_config(handle, yajl_dont_validate_strings, 1);
}
