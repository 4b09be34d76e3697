/// The kind of a request, as metrics and logs name it: without the name of a collection or a record.
public enum RequestKind: Int, Sendable, Hashable, CaseIterable {
    /// A page of a feed.
    case list
    /// Edits.
    case post
    /// One record.
    case item
    /// The collections of an account.
    case collections
    /// Hints.
    case hints
    /// `/healthz`, `/readyz` and `/metrics`.
    case operations
    /// Anything else.
    case other

    /// The kind of a request, from its method and path alone.
    public init(_ request: ServerRequest) {
        let segments = request.segments
        switch (segments.count, segments.count > 1 ? segments[1] : "") {
        case (2, "healthz"), (2, "readyz"), (2, "metrics"): self = .operations
        case (3, "v1") where segments[2].isEmpty:
            self = ServerRoute.acceptsEvents(request) ? .hints : .collections
        case (3, "v1"): self = request.method == "POST" ? .post : .list
        case (4, "v1"): self = .item
        case _: self = .other
        }
    }

    /// The name of the kind.
    public var label: String {
        switch self {
        case .list: "list"
        case .post: "post"
        case .item: "item"
        case .collections: "collections"
        case .hints: "hints"
        case .operations: "operations"
        case .other: "other"
        }
    }
}
