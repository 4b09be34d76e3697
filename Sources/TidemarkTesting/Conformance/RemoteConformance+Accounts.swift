import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension RemoteConformance {
    /// Checks with a second account.
    static let strangerChecks: [Check] = [
        Check("W10 another account sees nothing, and its edits change nothing", needs: .stranger, .condition) { probe in
            let stranger = try probe.asStranger
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let own = try await probe.get()
            let foreign = try await stranger.get()
            guard foreign.account != own.account else {
                throw ConformanceFailure(
                    "the account of the other token", expected: "another one than “\(own.account)”", found: "the same")
            }
            try expect("the rows of the other account", try await stranger.listing().rows.map(\.pk), is: [])
            let edit = RemoteProbe.set("n", to: "2", in: "a", first, id: "r2")
            try probe.compare(
                "an edit of the record by the other account", try await stranger.outcome(edit),
                is: .conflicted(StoredVersion()))
            _ = try await stranger.accepted(RemoteProbe.delete("a", first, id: "r3"))
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", first)])
            // The same request_id and pk, with another content: W4 counts for each account.
            let second = try await stranger.accepted(RemoteProbe.create("a", #"{"n":3}"#, id: "r1"))
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", first)])
            try probe.compare(
                "the rows of the other account", try await stranger.listing().rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W8 W10 a cursor of another account fails with history lost", needs: .stranger) { probe in
            let stranger = try probe.asStranger
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            _ = try await stranger.accepted(RemoteProbe.create("b", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            let failure = try await stranger.failure("a GET with the cursor of another account", cursor: cursor)
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
            let posted = try await stranger.failure(
                "a POST with the cursor of another account", posting: [RemoteProbe.create("c", "{}", id: "r2")],
                cursor: cursor)
            try expect("the class of the failure", posted.failureClass, is: .historyLost)
            try expect("the records of the other account", try await stranger.listing().rows.map(\.pk), is: ["b"])
        },
        Check(
            "W10 the list of collections has only those of the account", needs: .stranger, .http, .newCollections
        ) { probe in
            guard let http = probe.subject.strangerHTTP else {
                throw ConformanceSkip(why: "there is no second account")
            }
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let list = try await probe.time.within("the answer to GET / of the other account") {
                () async throws(RemoteFailure) in try await http.send(.list)
            }
            guard list.status == 200 else { throw ConformanceSkip(why: "the server has no list of collections") }
            let names = list.json?["collections"]?.array?.compactMap { $0["name"]?.string } ?? []
            let found = names.filter { $0.hasSameCodePoints(as: probe.collection) }
            try expect("the collections of the other account", found, is: [])
        },
    ]
}

extension RemoteProbe {
    /// A probe of the same collection with the token of another account. Nothing existed there before the checks, or it is
    /// distinguished by the prefix.
    fileprivate var asStranger: RemoteProbe {
        get throws {
            guard let stranger = self.subject.stranger else { throw ConformanceSkip(why: "there is no second account") }
            let place = self.subject.strangerPlace ?? ConformancePlace(self.collection)
            return RemoteProbe(stranger, in: place, of: self.subject, time: self.time)
        }
    }
}
