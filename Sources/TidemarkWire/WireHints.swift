import Synchronization
package import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

/// Hints as HTTP carries them (SPEC §10): what is asked, and what an answer amounts to.
package enum WireHints {
    /// How long the list of names may be; beyond it all collections of the account are watched, and those that are not here are
    /// not listened to.
    private static let mostNames = 12 << 10

    /// What is asked with.
    package static let headers = [(name: "Accept", value: "text/event-stream")]

    /// Path and query: what is appended to the URL of the server.
    package static func target(for collections: [String]) -> String {
        let names = collections.map { WireRequest.percentEncoded($0) }.joined(separator: ",")
        return names.isEmpty || names.utf8.count > self.mostNames ? "/" : "/?watch=\(names)"
    }

    /// Whether the body of an answer with this head is hints, to be read as it comes.
    package static func isStream(status: Int, header: (String) -> String?) -> Bool {
        let coding = header("Content-Encoding")?.lowercased() ?? ""
        return status == 200 && MediaType(field: header("Content-Type")).name == "text/event-stream"
            && ["", "identity"].contains(coding)
    }

    /// What an answer that is no stream means.
    ///
    /// - Throws: Where it is about now and not about hints: a server that is busy, a token that is not known.
    package static func end(
        status: Int, header: (String) -> String?, body: [UInt8]
    ) throws(RemoteFailure) -> HintsEnd {
        let failure = HTTPReply(status: status, header: header, body: body).failure
        switch failure.failureClass {
        case .auth, .busy: throw failure
        default:
            guard status == 200 else { return .notHere(why: failure.message) }
            let type = MediaType(field: header("Content-Type")).name
            return .notHere(
                why: "The server gives no hints: it answered with \(type.isEmpty ? "something else" : type).")
        }
    }
}

/// Turns the pieces of an answer into hints; calls come one after the other, from any thread.
package final class HintReader: Sendable {
    private struct State {
        var stream = EventStream()
        var fault: String?
    }

    private let state: Mutex<State>
    private let hear: @Sendable (RemoteHint) -> Void

    /// Makes a reader.
    package init(_ hear: @escaping @Sendable (RemoteHint) -> Void) {
        self.state = Mutex(State())
        self.hear = hear
    }

    /// Takes the next piece; false where no more is wanted.
    package func take(_ piece: [UInt8]) -> Bool {
        self.hear(.received(bytes: piece.count))
        let (hints, goesOn) = self.state.withLock { state -> ([RemoteHint], Bool) in
            var hints: [RemoteHint] = []
            do throws(EventStream.TooLong) {
                // Of signs of life in a row one is enough: a piece may have thousands.
                try state.stream.take(piece) { item in
                    let hint = RemoteHint(item)
                    if hint != .alive || hints.last != .alive { hints.append(hint) }
                }
                return (hints, true)
            } catch {
                state.fault = error.reason
                return (hints, false)
            }
        }
        for hint in hints { self.hear(hint) }
        return goesOn
    }

    /// How it ended, when the answer has.
    package var end: HintsEnd {
        self.state.withLock { state in
            state.fault.map { .notHere(why: "The server gives no hints that make sense: \($0).") } ?? .ended
        }
    }
}

extension RemoteHint {
    /// An event that is not understood says that the server is there: hints may be lost.
    fileprivate init(_ item: EventStream.Item) {
        guard case .event("changed", let data) = item, let hint = try? JSON(parsing: data),
            let collection = hint["collection"]?.string
        else {
            self = .alive
            return
        }
        self = .moved(collection: collection, watermark: hint["max_updated_at"]?.string)
    }
}
