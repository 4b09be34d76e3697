import TidemarkCore

extension RemoteConformance {
    static let repetitionChecks: [Check] = [
        Check("W4 an edit that is sent again gets its first answer, and is not applied twice", needs: .repetition) {
            probe in
            let create = RemoteProbe.create("a", #"{"n":1}"#, id: "r1")
            let first = try await probe.accepted(create)
            let edit = RemoteProbe.set("n", to: "2", in: "a", first, id: "r2")
            let second = try await probe.accepted(edit)
            try probe.compare("the create again", try await probe.outcome(create), is: .accepted(first))
            try probe.compare("the edit again", try await probe.outcome(edit), is: .accepted(second))
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W4 a conflict and a refusal get their first answers again", needs: .repetition) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            let late = RemoteProbe.set("n", to: "3", in: "a", first, id: "r3")
            let wrong = RemoteProbe.set("x/y", to: "3", in: "a", second, id: "r4")
            let results = try await probe.post([late, wrong]).results
            _ = try await probe.accepted(RemoteProbe.delete("a", second, id: "r5"))
            try probe.compare("the results again", try await probe.post([late, wrong]).results, is: results)
        },
        Check(
            "W4 W2 a conflicting edit stays conflicted on a repetition, even if it would apply now", needs: .repetition
        ) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            let late = RemoteProbe.set("n", to: "3", in: "a", first, id: "r3")
            try probe.compare("the outcome", try await probe.outcome(late), is: .conflicted(second))
            _ = try await probe.accepted(RemoteProbe.set("n", to: "4", in: "a", second, id: "r4"))
            try probe.compare("the same edit again", try await probe.outcome(late), is: .conflicted(second))
            let unseen = RemoteProbe.create("b", #"{"n":1}"#, over: first.version, id: "r5")
            try probe.compare(
                "the outcome of an unknown record", try await probe.outcome(unseen), is: .conflicted(StoredVersion()))
            _ = try await probe.accepted(RemoteProbe.create("b", #"{"n":2}"#, id: "r6"))
            try probe.compare("the same again", try await probe.outcome(unseen), is: .conflicted(StoredVersion()))
            try probe.compare("the payload", of: try await probe.listing().rows.last?.version, is: #"{"n":2}"#)
        },
        Check("late-duplicate-of-refused-create does not land after a delete", needs: .repetition) { probe in
            let create = RemoteProbe.create("a", #"{"n":1}"#, id: "r1")
            let first = try await probe.accepted(create)
            let tombstone = try await probe.tombstone(RemoteProbe.delete("a", first, id: "r2"))
            _ = try await probe.outcome(create)
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", tombstone)])
        },
        Check("W4 an edit that is sent again as equal JSON gets its first answer", needs: .repetition) { probe in
            let create = RemoteProbe.create("a", #"{"n":1.0,"m":{"x":1,"y":2}}"#, id: "r1")
            let first = try await probe.accepted(create)
            let again = RemoteProbe.edit(
                #"{"edited_data":[{"value":{"m":{"y":2.0,"x":1},"n":1},"path":"","op":"add"}],"updated_at":null,"#
                    + #""sync_state":"CREATED","pk":"a","request_id":"r1"}"#)
            try probe.compare("the same create in another order", try await probe.outcome(again), is: .accepted(first))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            let equal = RemoteProbe.set("n", to: "2.0", in: "a", first, id: "r2")
            try probe.compare("the same edit with 2.0 for 2", try await probe.outcome(equal), is: .accepted(second))
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W4 a different edit with a used id is refused with 422", needs: .repetition) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let outcome = try await probe.outcome(RemoteProbe.create("a", #"{"n":2}"#, id: "r1"))
            try probe.expectRefusal("a used id", outcome, with: 422)
        },
    ]
}
