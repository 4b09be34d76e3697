import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// Checks of the wire of Contract §5 that need no other carrier than the remote.
    static let wireChecks: [Check] = [
        Check("W8 a cursor of another collection fails with history lost", needs: .wire, .secondCollection) { probe in
            let other = probe.inOtherCollection
            for number in 1...2 { _ = try await other.make("o\(number)", "{}", id: "o\(number)") }
            _ = try await probe.make("a", "{}", id: "r1")
            let foreign = try await other.read(from: nil) { _ in }
            let failure = try await probe.failure("a GET with the cursor of another collection", cursor: foreign)
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
            let posted = try await probe.failure(
                "a POST with the cursor of another collection", posting: [RemoteProbe.create("b", "{}", id: "r2")],
                cursor: foreign)
            try expect("the class of the failure", posted.failureClass, is: .historyLost)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
        },
        // A server need not check `seen`; if it does, it checks it first.
        Check("W8 a POST with an invalid seen cursor that fails applies nothing", needs: .wire) { probe in
            _ = try await probe.make("a", "{}", id: "r1")
            let cursor = try await probe.listing().cursor
            for (number, seen) in (["never handed out"] + RemoteProbe.laterCursors(than: cursor)).enumerated() {
                let edit = RemoteProbe.create("b\(number)", "{}", id: "b\(number)")
                do {
                    _ = try await probe.post([edit], cursor: cursor, seen: seen)
                } catch let failure as RemoteFailure {
                    try expect("the class of the failure", failure.failureClass, is: .historyLost)
                    let found = try await probe.listing().rows.map(\.pk).filter { $0 == edit.pk }
                    try expect("the records of the refused POST", found, is: [])
                }
            }
        },
        Check("W8 a cursor of the future fails with history lost, and nothing is applied", needs: .wire) { probe in
            _ = try await probe.make("a", "{}", id: "r1")
            let cursor = try await probe.listing().cursor
            let later = RemoteProbe.laterCursors(than: cursor)
            guard !later.isEmpty else {
                throw ConformanceSkip(why: "the cursor “\(cursor)” has no number that the check could raise")
            }
            for (number, future) in later.enumerated() {
                let failure = try await probe.failure(
                    "a GET with “\(future)”, which was never handed out", cursor: future)
                try expect("the class of the failure", failure.failureClass, is: .historyLost)
                let posted = try await probe.failure(
                    "a POST with “\(future)”, which was never handed out",
                    posting: [RemoteProbe.create("b\(number)", "{}", id: "b\(number)")], cursor: future)
                try expect("the class of the failure", posted.failureClass, is: .historyLost)
            }
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
        },
    ]
}

extension RemoteProbe {
    /// The most numbers of a cursor that are raised, the last ones.
    private static let raised = 4

    /// For each number of a cursor, the cursor with that number raised: the server has not handed it out yet.
    static func laterCursors(than cursor: String) -> [String] {
        let bytes = Array(cursor.utf8)
        func isDigit(_ place: Int) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) }
        var later: [String] = []
        var end = bytes.count
        while end > 0, later.count < Self.raised {
            guard isDigit(end - 1) else {
                end -= 1
                continue
            }
            var start = end - 1
            while start > 0, isDigit(start - 1) { start -= 1 }
            if let number = Int64(String(decoding: bytes[start..<end], as: UTF8.self)), number < Int64.max / 2 {
                let raised = Array("\(number + 1_000_000_000_000_000)".utf8)
                later.append(String(decoding: bytes[..<start] + raised + bytes[end...], as: UTF8.self))
            }
            end = start
        }
        return later
    }
}
