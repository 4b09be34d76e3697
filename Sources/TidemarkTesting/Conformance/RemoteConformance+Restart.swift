import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// Checks that restart the server.
    static let restartChecks: [Check] = [
        Check("W4 after a restart, an edit that is sent again gets its first answer", needs: .restart, .repetition) {
            probe in
            let create = RemoteProbe.create("a", #"{"n":10}"#, id: "r1")
            let first = try await probe.accepted(create)
            let edit = RemoteProbe.set("n", to: "15", in: "a", first, id: "r2")
            let second = try await probe.accepted(edit)
            let late = RemoteProbe.set("n", to: "3", in: "a", first, id: "r3")
            let wrong = RemoteProbe.set("x/y", to: "3", in: "a", second, id: "r4")
            let results = try await probe.post([late, wrong]).results
            let delete = RemoteProbe.delete("b", second, id: "r5")
            let gone = try await probe.outcome(delete)
            try await probe.restart()
            try probe.compare("the create again", try await probe.outcome(create), is: .accepted(first))
            try probe.compare("the edit again", try await probe.outcome(edit), is: .accepted(second))
            try probe.compare(
                "a conflict and a refusal again", try await probe.post([late, wrong]).results, is: results)
            try probe.compare("the delete again", try await probe.outcome(delete), is: gone)
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W3 W8 after a restart, each cursor is valid, and the next row follows it", needs: .restart, .order) {
            probe in
            let first = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let early = try await probe.listing().cursor
            let second = try await probe.accepted(RemoteProbe.create("b", "{}", id: "r2"))
            let before = try await probe.get()
            try await probe.restart()
            let after = try await probe.get()
            try expect("the epoch after the restart", after.epoch, is: before.epoch)
            try expect("the account after the restart", after.account, is: before.account)
            let rows = [RemoteProbe.Row("a", first), RemoteProbe.Row("b", second)]
            try probe.compare("the rows", try await probe.listing().rows, is: rows)
            try probe.compare(
                "the rows after an older cursor", try await probe.listing(from: early).rows, is: Array(rows.dropFirst())
            )
            let third = try await probe.accepted(RemoteProbe.create("c", "{}", id: "r3"))
            try probe.compare(
                "the rows after the newest cursor from before the restart",
                try await probe.listing(from: before.cursor).rows, is: [RemoteProbe.Row("c", third)])
        },
        Check("W8 after a restart, an invalid cursor fails with history lost", needs: .restart) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            try await probe.restart()
            for invalid in ["never handed over"] + RemoteProbe.laterCursors(than: cursor) {
                let failure = try await probe.failure("a GET with “\(invalid)” after the restart", cursor: invalid)
                try expect("the class of the failure", failure.failureClass, is: .historyLost)
            }
        },
    ]
}

extension RemoteProbe {
    fileprivate func restart() async throws {
        guard let restart = self.subject.restart else { throw ConformanceSkip(why: "the server is not restarted") }
        try await restart()
    }
}
