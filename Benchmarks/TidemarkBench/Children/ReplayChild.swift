import Foundation
import Synchronization

/// Answers whatever comes with the lines of a file, one after the other; a line of input begins anew.
enum ReplayChild {
    static func run(_ arguments: [String]) throws {
        guard let path = arguments.first else { throw Unavailable("replay FILE") }
        let answers = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))).split(separator: UInt8(ascii: "\n"))
            .map { Array($0) }
        let next = Place()
        let server = try CannedAnswers { _ in answers[min(next.take(), answers.count - 1)] }
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
