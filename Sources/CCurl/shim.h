#include <curl/curl.h>

/* Functions with a variable number of arguments, and macros with casts, are not imported into Swift. */

static inline CURLcode tidemark_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline CURLcode tidemark_curl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}

static inline CURLcode tidemark_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

static inline CURLcode tidemark_curl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

/* curl_slist is a list of C strings; curl keeps the pointer, not a copy. */
static inline CURLcode tidemark_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

/* Makes a POST of these bytes, which curl copies. */
static inline CURLcode tidemark_curl_set_body(CURL *easy, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count == 0 ? "" : bytes);
}

/* Sets a callback that runs each time before a request is sent. curl before 7.80 has none; there each call uses a new
   connection, since curl sends a request again only over a reused one. */
static inline CURLcode tidemark_curl_ask_to_begin(
    CURL *easy, void *me, int (*begin)(void *, char *, char *, int, int)) {
#if LIBCURL_VERSION_NUM >= 0x075000
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, me);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
#else
    (void)me, (void)begin;
    return curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
#endif
}

static inline CURLcode tidemark_curl_set_callbacks(
    CURL *easy, void *me, curl_write_callback head, curl_write_callback body, curl_xferinfo_callback progress) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, me);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, me);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, me);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    return curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

/* The option changed with curl 7.85, and the old one is deprecated since. */
static inline CURLcode tidemark_curl_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* Trusts the certificates of this PEM, which curl copies, and no others: neither a file nor a folder of the system. */
static inline CURLcode tidemark_curl_trust_only(CURL *easy, const void *bytes, size_t count) {
#if LIBCURL_VERSION_NUM >= 0x074d00
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
#else
    (void)easy, (void)bytes, (void)count;
    return CURLE_NOT_BUILT_IN;
#endif
}

static inline long tidemark_curl_status(CURL *easy) {
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}
