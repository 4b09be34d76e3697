import Foundation
import Synchronization
import TidemarkGzip

/// Answers each request with the next line of a file and the request ids of that request; a line of input starts from the
/// first line again.
enum ReplayChild {
    static func run(_ arguments: [String]) throws {
        guard let path = arguments.first else { throw Unavailable("replay FILE") }
        let answers = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))).split(separator: UInt8(ascii: "\n"))
            .map { Array($0) }
        let ids = answers.map(RequestIDs.places)
        let next = Place()
        let server = try CannedAnswers { _, body in
            let number = min(next.take(), answers.count - 1)
            let text = (try? Gzip.decompress(body, limit: 1 << 24)) ?? body
            let sent = RequestIDs.places(in: text).map { text[$0] }
            // A request that does not fit gets an answer that the client refuses.
            return (try? RequestIDs.replace(at: ids[number], of: answers[number], by: sent)) ?? []
        }
        ChildRole.say(server.port)
        while readLine() != nil {
            next.reset()
            ChildRole.say(0)
        }
    }

    private final class Place: Sendable {
        private let number = Mutex(0)

        func take() -> Int {
            self.number.withLock { number in
                defer { number += 1 }
                return number
            }
        }

        func reset() {
            self.number.withLock { $0 = 0 }
        }
    }
}
