import TidemarkCore

extension RemoteConformance {
    static let versionChecks: [Check] = [
        Check("W1 an edit of the current version is accepted, with a new version") { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1,"m":1}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            try probe.compare("the payload", of: second, is: #"{"n":2,"m":1}"#)
            try expect("whether the version has changed", second.version != first.version, is: true)
        },
        Check(
            "W1 W2 an edit of an older version is conflicted with any cursor, and changes nothing",
            needs: .condition
        ) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            let cursor = try await probe.listing().cursor
            let outcome = try await probe.outcome(
                RemoteProbe.set("n", to: "3", in: "a", first, id: "r3"), cursor: cursor)
            try probe.compare("the outcome", outcome, is: .conflicted(second))
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W1 a create of an existing record is conflicted, and its result has the record", needs: .condition) {
            probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let outcome = try await probe.outcome(RemoteProbe.create("a", #"{"n":2}"#, id: "r2"))
            try probe.compare("the outcome", outcome, is: .conflicted(first))
        },
        Check("W1 a create that names the version of a live record replaces it", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1,"m":1}"#, id: "r1"))
            let second = try await probe.accepted(
                RemoteProbe.create("a", #"{"n":2}"#, over: first.version, id: "r2"))
            try probe.compare("the row", of: second, is: #"{"n":2}"#)
            try expect("whether the version has changed", second.version != first.version, is: true)
        },
        Check("W1 the number 17.0 names the version 17", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            guard let version = first.version, Int64(version) != nil else {
                throw ConformanceSkip(why: "the versions of the server are no whole numbers")
            }
            let spelled = StoredVersion(version: "\(version).0", data: first.data)
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", spelled, id: "r2"))
            try probe.compare("the row", of: second, is: #"{"n":2}"#)
        },
        Check("W1 an edit of an unknown record is conflicted, and its result has no record", needs: .condition) {
            probe in
            let version = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let outcome = try await probe.outcome(RemoteProbe.set("n", to: "1", in: "b", version, id: "r2"))
            try probe.compare("the outcome", outcome, is: .conflicted(StoredVersion()))
        },
        Check("W5 an invalid edit does not fail its neighbors, and results have the order of the edits", needs: .wire) {
            probe in
            let edits = [
                RemoteProbe.create("a", "{}", id: "r1"), RemoteProbe.create("b", "[]", id: "r2"),
                RemoteProbe.create("c", "{}", id: "r3"),
            ]
            let results = try await probe.post(edits).results
            try expect("the ids", results.map(\.requestID), is: ["r1", "r2", "r3"])
            let problem = try probe.expectRefusal("a record that is not an object", results[1].outcome, with: 400, 422)
            try expect("whether the problem has a title", problem.title.isEmpty, is: false)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a", "c"])
        },
        Check("W5 W10 an edit with an empty pk is refused alone, and its neighbors are accepted", needs: .wire) {
            probe in
            let edits = [
                RemoteProbe.create("a", "{}", id: "r1"), RemoteProbe.create("", "{}", id: "r2"),
                RemoteProbe.create("c", "{}", id: "r3"),
            ]
            let results = try await probe.post(edits).results
            try expect("the ids", results.map(\.requestID), is: ["r1", "r2", "r3"])
            try probe.expectRefusal("an empty pk", results[1].outcome, with: 400)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a", "c"])
        },
        Check("W9 an edit from 1 to true, from true to 1 or from null to nothing is a change", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1,"t":true,"z":null}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "true", in: "a", first, id: "r2"))
            try probe.compare("the row after the first edit", of: second, is: #"{"n":true,"t":true,"z":null}"#)
            let third = try await probe.accepted(RemoteProbe.set("t", to: "1", in: "a", second, id: "r3"))
            try probe.compare("the row after the second edit", of: third, is: #"{"n":true,"t":1,"z":null}"#)
            let remove = RemoteProbe.patch(#"{"op":"remove","path":"/z"}"#, of: "a", third, id: "r4")
            let fourth = try await probe.accepted(remove)
            try probe.compare("the row after the third edit", of: fourth, is: #"{"n":true,"t":1}"#)
            try expect("the number of versions", Set([first, second, third, fourth].map(\.version)).count, is: 4)
        },
        Check("W9 an edit that changes nothing is accepted, and the version stays the same", needs: .wire) {
            probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1.0}"#, id: "r1"))
            let second = try await probe.accepted(RemoteProbe.set("n", to: "10e-1", in: "a", first, id: "r2"))
            try probe.compare("the row", second, is: first)
        },
    ]
}
