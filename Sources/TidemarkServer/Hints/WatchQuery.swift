import TidemarkJSON

/// The collections that a GET of `/v1/` watches (Contract §10).
struct WatchQuery {
    /// The collections, each once; nil for all of the account.
    let collections: [String]?

    /// Reads `watch`: names separated by commas, split before they are decoded, since a name may contain a comma.
    init(_ request: ServerRequest, limits: ServerLimits) throws(ServerRefusal) {
        let lists = request.undecodedParameters("watch")
        guard !lists.isEmpty else {
            self.collections = nil
            return
        }
        var seen: Set<CodePointString> = []
        var collections: [String] = []
        let names = lists.flatMap { $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
        for text in names {
            let name = try Self.name(Substring(text), limits: limits)
            guard seen.insert(CodePointString(name)).inserted else { continue }
            collections.append(name)
        }
        guard collections.count <= limits.watchedCollections else {
            throw .tooManyCollections(collections.count, limits)
        }
        self.collections = collections
    }

    private static func name(_ text: Substring, limits: ServerLimits) throws(ServerRefusal) -> String {
        guard let name = PercentCoding.decode(text) else {
            throw ServerRefusal(
                400, .malformedTarget, "the collection “\(text)” in “watch” is not percent-encoded UTF-8")
        }
        guard (1...limits.collectionName).contains(name.utf8.count) else {
            throw ServerRefusal(
                400, .malformedTarget,
                """
                a name in “watch” has \(name.utf8.count) bytes; 1 to \(limits.collectionName) are allowed. Write \
                “watch=notes,tags”, or leave it out to watch all collections
                """)
        }
        return name
    }
}

extension ServerRefusal {
    /// The refusal of a watch of more collections than the limit.
    static func tooManyCollections(_ count: Int, _ limits: ServerLimits) -> ServerRefusal {
        ServerRefusal(
            400, .tooManyCollections,
            """
            these are \(count) collections, and one watch has \(limits.watchedCollections) at most; name fewer in \
            “watch=”
            """)
    }
}
