/// The form of a target in which a server is asked for what is its own: path and query (RFC 9112 §3.2.1).
enum OriginForm {
    /// The path and query of a target. One in absolute form, as a proxy is sent it, is stripped of scheme and host: a
    /// server accepts it too, and the host that it names goes before the field (RFC 9112 §3.2.2).
    static func of(_ target: String) -> String {
        guard let rest = Self.afterScheme(target) else { return target }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // A URL of http has a host (RFC 9110 §4.2.1); without one it names nothing, here or elsewhere.
        guard !authority.isEmpty else { return target }
        let place = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
        return place.utf8.first == UInt8(ascii: "/") ? place : "/\(place)"
    }

    /// What stands behind `http://` or `https://`, in any spelling; nil where neither stands there.
    private static func afterScheme(_ target: String) -> Substring.UTF8View? {
        for scheme in ["http://", "https://"] where target.utf8.count > scheme.utf8.count {
            let start = target.utf8.prefix(scheme.utf8.count)
            if String(decoding: start, as: UTF8.self).lowercased() == scheme {
                return target.utf8.dropFirst(scheme.utf8.count)
            }
        }
        return nil
    }
}
