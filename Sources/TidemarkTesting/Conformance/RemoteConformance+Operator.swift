import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// Checks in which the operator restores a backup of the server.
    static let operatorChecks: [Check] = [
        Check(
            "W8 after a backup was restored, a cursor from after the backup fails with history lost", needs: .restore,
            .order, .newCollections
        ) { probe in
            guard let backup = probe.subject.backup, let restore = probe.subject.restore else { return }
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            try await backup()
            _ = try await probe.accepted(RemoteProbe.create("b", "{}", id: "r2"))
            let cursor = try await probe.listing().cursor
            try await restore()
            try await probe.expectHistoryLost("the cursor from after the backup", cursor)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
            // The new versions may be those of the lost rows, or greater.
            for pk in ["c", "d", "e"] { _ = try await probe.accepted(RemoteProbe.create(pk, "{}", id: pk)) }
            try await probe.expectHistoryLost("the cursor from after the backup, when there are new rows", cursor)
        }
    ]
}

extension RemoteProbe {
    fileprivate func expectHistoryLost(_ what: String, _ cursor: String) async throws {
        let failure = try await self.failure("a GET with \(what)", cursor: cursor)
        try expect("the class of the failure of a GET with \(what)", failure.failureClass, is: .historyLost)
        let edit = RemoteProbe.create("lost", "{}", id: "lost")
        let posted = try await self.failure("a POST with \(what)", posting: [edit], cursor: cursor)
        try expect("the class of the failure of a POST with \(what)", posted.failureClass, is: .historyLost)
        let found = try await self.listing().rows.map(\.pk).filter { $0 == edit.pk }
        try expect("the records of the refused POST", found, is: [])
    }
}
