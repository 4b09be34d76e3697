package import TidemarkJSON

/// What a button of the page does; `Page/FORMAT.md` has its JSON.
package enum InspectorAction: Hashable, Sendable {
    /// A record that was shown, and its state then.
    package struct Shown: Hashable, Sendable {
        package var (collection, pk, digest): (String, String, String)

        package init(collection: String, pk: String, digest: String) {
            (self.collection, self.pk, self.digest) = (collection, pk, digest)
        }
    }

    package enum Answer: Hashable, Sendable {
        case server
        case client
        case value(JSON)
    }

    case retry(Shown)
    case resign(Shown)
    case resolve(Shown, [JSONPointer: Answer])
    case keepBoth(Shown)
    case restore(Shown, entry: Int64)
    case resume
    case offline(Bool)
    case hold(Bool)
    case deliver
    case loseNextAnswer

    /// Reads the body of a request.
    ///
    /// - Throws: ``InspectorRefusal`` if it is not one of the actions.
    package init(_ body: [UInt8]) throws(InspectorRefusal) {
        guard let json = try? JSON(parsing: body), let name = json["action"]?.string else {
            throw InspectorRefusal("The body is not an action.")
        }
        func shown() throws(InspectorRefusal) -> Shown {
            guard let collection = json["collection"]?.string, let pk = json["pk"]?.string,
                let digest = json["digest"]?.string
            else { throw InspectorRefusal("The action “\(name)” needs collection, pk and digest.") }
            return Shown(collection: collection, pk: pk, digest: digest)
        }
        switch name {
        case "retry": self = .retry(try shown())
        case "resign": self = .resign(try shown())
        case "resolve": self = .resolve(try shown(), try Self.answers(json["answers"]))
        case "keepBoth": self = .keepBoth(try shown())
        case "restore":
            guard let entry = json["entry"]?.int else { throw InspectorRefusal("The action “restore” needs an entry.") }
            self = .restore(try shown(), entry: Int64(entry))
        case "resume": self = .resume
        case "offline": self = .offline(json["on"]?.bool == true)
        case "hold": self = .hold(json["on"]?.bool == true)
        case "deliver": self = .deliver
        case "loseNextAnswer": self = .loseNextAnswer
        default: throw InspectorRefusal("There is no action “\(name.prefix(40))”.")
        }
    }

    private static func answers(_ json: JSON?) throws(InspectorRefusal) -> [JSONPointer: Answer] {
        var answers: [JSONPointer: Answer] = [:]
        for item in json?.array ?? [] {
            guard let path = item["path"]?.string.flatMap({ try? JSONPointer(parsing: $0) }) else {
                throw InspectorRefusal("An answer has no path.")
            }
            switch (item["take"]?.string, item["value"]?.string) {
            case ("server", nil): answers[path] = .server
            case ("client", nil): answers[path] = .client
            case (nil, let text?):
                guard let value = try? JSON(parsing: Array(text.utf8)) else {
                    throw InspectorRefusal("The value for \(path.text) is not JSON. A text needs quotes.")
                }
                answers[path] = .value(value)
            default: throw InspectorRefusal("The answer for \(path.text) is neither a side nor a value.")
            }
        }
        return answers
    }
}
