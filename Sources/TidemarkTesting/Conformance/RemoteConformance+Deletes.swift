import TidemarkCore

extension RemoteConformance {
    static let deleteChecks: [Check] = [
        Check("W7 a delete leaves a tombstone in the feed", needs: .tombstones, .order) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            let tombstone = try await probe.tombstone(RemoteProbe.delete("a", first, id: "r2"))
            try expect("the payload of a tombstone", tombstone.text, is: nil)
            try expect("whether it has a new version", tombstone.version != first.version, is: true)
            try probe.compare(
                "the rows", try await probe.listing(from: cursor).rows, is: [RemoteProbe.Row("a", tombstone)])
        },
        Check(
            "W7 a delete of a tombstone, or of an unknown record, is accepted with any version", needs: .wire,
            .tombstones
        ) {
            probe in
            let first = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let tombstone = try await probe.tombstone(RemoteProbe.delete("a", first, id: "r2"))
            try probe.compare(
                "the second delete", try await probe.tombstone(RemoteProbe.delete("a", first, id: "r3")), is: tombstone)
            try probe.compare(
                "the delete of an unknown record", try await probe.accepted(RemoteProbe.delete("b", first, id: "r4")),
                is: StoredVersion())
        },
        Check("W1 a delete of an older version is conflicted", needs: .condition) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            let outcome = try await probe.outcome(RemoteProbe.delete("a", first, id: "r3"))
            try probe.compare("the outcome", outcome, is: .conflicted(second))
        },
        Check("W1 an edit over a tombstone is conflicted, even with its version", needs: .wire, .tombstones) {
            probe in
            let first = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let tombstone = try await probe.tombstone(RemoteProbe.delete("a", first, id: "r2"))
            let outcome = try await probe.outcome(RemoteProbe.set("n", to: "1", in: "a", tombstone, id: "r3"))
            try probe.compare("the outcome", outcome, is: .conflicted(tombstone))
        },
        Check(
            "create-over-unseen-tombstone is conflicted; with the tombstone's version it is accepted",
            needs: .wire, .tombstones
        ) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let tombstone = try await probe.tombstone(RemoteProbe.delete("a", first, id: "r2"))
            let unseen = try await probe.outcome(RemoteProbe.create("a", #"{"n":2}"#, id: "r3"))
            try probe.compare("the outcome", unseen, is: .conflicted(tombstone))
            let again = RemoteProbe.create("a", #"{"n":2}"#, over: tombstone.version, id: "r4")
            try probe.compare("the payload", of: try await probe.accepted(again), is: #"{"n":2}"#)
        },
        Check("W1 a create of an unknown record with a version is conflicted", needs: .wire) { probe in
            let version = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let edit = RemoteProbe.create("b", "{}", over: version.version, id: "r2")
            try probe.compare("the outcome", try await probe.outcome(edit), is: .conflicted(StoredVersion()))
        },
    ]
}
