/// The route of a request (Contract §5).
enum ServerRoute {
    case list(collection: String)
    case post(collection: String)
    case item(collection: String, pk: String)
    case collections
    case events

    /// Reads the method and the path.
    init(_ request: ServerRequest, limits: ServerLimits) throws(ServerRefusal) {
        let segments = request.segments
        guard segments.count == 3 || segments.count == 4, segments[0] == "", segments[1] == "v1",
            segments.count == 3 || segments[2] != ""
        else {
            throw ServerRefusal(
                404, .noSuchPath,
                """
                there is nothing at “\(request.path)”; a collection is at /v1/NAME, a record at /v1/NAME/PK, and the \
                list of collections at /v1/
                """)
        }
        guard segments[2] != "" else {
            self = try Self.root(request)
            return
        }
        let collection = try Self.decode(segments[2], what: "collection")
        guard collection.utf8.count <= limits.collectionName else {
            throw ServerRefusal(
                400, .malformedTarget,
                "the name of the collection has \(collection.utf8.count) bytes; \(limits.collectionName) are allowed")
        }
        if segments.count == 3 {
            self = try Self.collection(collection, method: request.method)
        } else {
            let pk = try Self.decode(segments[3], what: "pk")
            guard (1...limits.pk).contains(pk.utf8.count) else {
                throw ServerRefusal(
                    400, .malformedTarget, "the pk has \(pk.utf8.count) bytes; 1 to \(limits.pk) are allowed")
            }
            self = try Self.record(collection, pk, method: request.method)
        }
    }

    /// One path has two resources; the `Accept` field selects one (RFC 9110 §12.5.1).
    private static func root(_ request: ServerRequest) throws(ServerRefusal) -> ServerRoute {
        guard ["GET", "HEAD"].contains(request.method) else {
            throw Self.notAllowed(request.method, allowed: "GET, HEAD")
        }
        return Self.acceptsEvents(request) ? .events : .collections
    }

    static func acceptsEvents(_ request: ServerRequest) -> Bool {
        let accepted = (request.header("Accept") ?? "").lowercased().utf8
            .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return accepted.split(separator: UInt8(ascii: ",")).contains { range in
            let parts = range.split(separator: UInt8(ascii: ";"))
            // A weight of 0, with any number of digits, means “not accepted” (RFC 9110 §12.4.2).
            return parts.first?.elementsEqual("text/event-stream".utf8) == true
                && !parts.dropFirst().contains {
                    $0.starts(with: "q=0".utf8) && $0.dropFirst(2).allSatisfy("0.".utf8.contains)
                }
        }
    }

    private static func collection(_ name: String, method: String) throws(ServerRefusal) -> ServerRoute {
        switch method {
        case "GET", "HEAD": .list(collection: name)
        case "POST": .post(collection: name)
        default: throw Self.notAllowed(method, allowed: "GET, HEAD, POST")
        }
    }

    private static func record(_ name: String, _ pk: String, method: String) throws(ServerRefusal) -> ServerRoute {
        switch method {
        case "GET", "HEAD": .item(collection: name, pk: pk)
        default: throw Self.notAllowed(method, allowed: "GET, HEAD")
        }
    }

    private static func decode(_ segment: Substring, what: String) throws(ServerRefusal) -> String {
        guard let text = PercentCoding.decode(segment) else {
            throw ServerRefusal(
                400, .malformedTarget, "the \(what) “\(segment)” in the path is not percent-encoded UTF-8")
        }
        return text
    }

    private static func notAllowed(_ method: String, allowed: String) -> ServerRefusal {
        ServerRefusal(
            Problem(405, .methodNotAllowed, "“\(method)” is not understood here; use one of \(allowed)"),
            headers: [("Allow", allowed)])
    }
}
