import CYajl

/// yajl without callbacks: it finds the tokens, checks the grammar, and keeps no value.
enum BareTokens {
    static func read(_ text: [UInt8]) throws {
        guard let handle = unsafe yajl_alloc(nil, nil, nil) else { throw Unavailable("yajl got no memory") }
        defer { unsafe yajl_free(handle) }
        _ = unsafe tidemark_yajl_trust_utf8(handle)
        let status = unsafe text.withUnsafeBufferPointer { unsafe yajl_parse(handle, $0.baseAddress, $0.count) }
        guard status == yajl_status_ok, unsafe yajl_complete_parse(handle) == yajl_status_ok else {
            throw Unavailable("yajl refuses the text")
        }
    }
}
