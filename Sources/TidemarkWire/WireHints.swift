import Synchronization
package import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

/// Change notifications over HTTP (Contract §10): the request, and the meaning of an answer.
package enum WireHints {
    /// The maximum length of the list of names; beyond it all collections of the account are watched, and notifications for
    /// unknown ones are ignored.
    private static let mostNames = 12 << 10

    /// The header fields of the request.
    package static let headers = [(name: "Accept", value: "text/event-stream")]

    /// Path and query, which are appended to the URL of the server.
    package static func target(for collections: [String]) -> String {
        let names = collections.map { WireRequest.percentEncoded($0) }.joined(separator: ",")
        return names.isEmpty || names.utf8.count > self.mostNames ? "/" : "/?watch=\(names)"
    }

    /// Returns whether an answer with this head is a stream of notifications.
    package static func isStream(status: Int, header: (String) -> String?) -> Bool {
        let coding = header("Content-Encoding")?.lowercased() ?? ""
        return status == 200 && MediaType(field: header("Content-Type")).name == "text/event-stream"
            && ["", "identity"].contains(coding)
    }

    /// Returns the meaning of an answer that is not a stream.
    ///
    /// - Throws: If the failure is temporary, and not about notifications: a busy server, or a rejected token.
    package static func end(
        status: Int, header: (String) -> String?, body: [UInt8]
    ) throws(RemoteFailure) -> RemoteHint.End {
        let failure = HTTPReply(status: status, header: header, body: body).failure
        switch failure.failureClass {
        case .auth, .busy: throw failure
        default:
            let answer: String
            switch status {
            case 200:
                let type = MediaType(field: header("Content-Type")).name
                answer = type.isEmpty ? "something else" : type
            // For this request that does not mean that the URL is wrong.
            case 404, 405, 406: answer = "status \(status)"
            default: return .unavailable(why: failure.message)
            }
            return .unavailable(why: "The server has no change notifications: it answered with \(answer).")
        }
    }
}

/// Converts the pieces of an answer to notifications; calls come one after the other, from any thread.
package final class HintReader: Sendable {
    private struct State {
        var stream = EventStream()
        var fault: String?
    }

    private let state: Mutex<State>
    private let onHint: @Sendable (RemoteHint) -> Void

    /// Makes a reader.
    package init(_ onHint: @escaping @Sendable (RemoteHint) -> Void) {
        self.state = Mutex(State())
        self.onHint = onHint
    }

    /// Parses the next piece; returns false to end the stream.
    package func take(_ piece: [UInt8]) -> Bool {
        self.onHint(.received(bytes: piece.count))
        let (hints, goesOn) = self.state.withLock { state -> ([RemoteHint], Bool) in
            var hints: [RemoteHint] = []
            do throws(EventStream.TooLong) {
                // Of consecutive heartbeats one is enough: a piece may have thousands.
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
        for hint in hints { self.onHint(hint) }
        return goesOn
    }

    /// The reason for the end of the answer.
    package var end: RemoteHint.End {
        self.state.withLock { state in
            state.fault.map { .unavailable(why: "The server's change notifications are malformed: \($0).") } ?? .ended
        }
    }
}

extension RemoteHint {
    /// An unknown event counts as a heartbeat: notifications may be lost.
    fileprivate init(_ item: EventStream.Item) {
        guard case .event("changed", let data) = item, let hint = try? JSON(parsing: data),
            let collection = hint["collection"]?.string
        else {
            self = .alive
            return
        }
        self = .moved(collection: collection, cursor: hint["max_updated_at"]?.string)
    }
}
