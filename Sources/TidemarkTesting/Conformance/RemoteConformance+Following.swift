import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// Checks of any server that no row is lost between a cursor and the next.
    static let followingChecks: [Check] = [
        Check("pages of any size contain every record") { probe in
            for number in 1...5 { _ = try await probe.make("p\(number)", #"{"n":\#(number)}"#, id: "r\(number)") }
            for limit in [2, 1, 3, 5, 100] {
                let found = try await probe.names(from: nil, limit: limit)
                try expect("the number of records in pages of \(limit)", found.count, is: 5)
            }
        },
        Check("a record that is written after an answer follows its cursor", needs: .cursors) { probe in
            var cursor = try await probe.read(from: nil) { _ in }
            for number in 1...20 {
                let made = try await probe.make("p\(number)", #"{"n":\#(number)}"#, id: "r\(number)")
                let (before, name) = (cursor, made.name ?? made.pk)
                let found = try await probe.names(from: before) { cursor = $0 }
                guard found.contains(name) else {
                    throw ConformanceFailure(
                        "the rows after “\(before)”",
                        expected: "a row of “\(name)”, which was written after that answer",
                        found: ConformanceWords.text(of: found))
                }
            }
        },
        Check("a delete of a record that is gone is accepted") { probe in
            let made = try await probe.make("a", #"{"n":1}"#, id: "r1")
            for id in ["r2", "r3"] {
                let outcome = try await probe.result(RemoteProbe.delete("a", made.version, id: id), of: made).outcome
                guard case .accepted(let version) = outcome, version.data == nil else {
                    throw ConformanceFailure(
                        id == "r2" ? "the delete" : "the delete of a deleted record",
                        expected: "to be accepted, without a content", found: ConformanceWords.text(of: outcome))
                }
            }
        },
        Check("each answer names the same account, and the same epoch of its collection") { probe in
            let first = try await probe.get()
            let posted = try await probe.post([probe.told(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"), as: nil)])
            for answer in [posted, try await probe.get(first.cursor), try await probe.get()] {
                try expect("the account", answer.account, is: first.account)
                try expect("the epoch", answer.epoch, is: first.epoch)
            }
            try expect("whether the account has a name", first.account.isEmpty, is: false)
            try expect("whether the epoch has a name", first.epoch.isEmpty, is: false)
        },
        Check("a request for another account or epoch is answered with the real ones, or refused before a write") {
            probe in
            let first = try await probe.get()
            let others = [
                ServerIdentity(account: "\(first.account)-other", epoch: first.epoch),
                ServerIdentity(account: first.account, epoch: "\(first.epoch)-other"),
            ]
            for (number, known) in others.enumerated() {
                var request = ExchangeRequest(collection: probe.collection, cursor: first.cursor, limit: 10)
                let edit = RemoteProbe.create("k\(number)", #"{"n":1}"#, id: "k\(number)")
                (request.uploads, request.known) = ([probe.told(edit, as: nil)], known)
                do {
                    let answer = try await probe.exchange(request)
                    try expect("the account of the answer", answer.account, is: first.account)
                    try expect("the epoch of the answer", answer.epoch, is: first.epoch)
                } catch let failure as RemoteFailure {
                    let classes: [FailureClass] = [.identityChanged, .historyLost]
                    guard classes.contains(failure.failureClass) else { throw failure }
                    let found = try await probe.rows().filter { $0.pk == edit.pk }
                    try expect("the records after the refusal", found.map(\.pk), is: [])
                }
            }
        },
        Check("W3 W6 clients that write at the same time each receive every row", needs: .order) { probe in
            try await ConformanceCrowd(probe).run()
        },
        Check("W6 a POST with a small limit does not pass rows that its page leaves out", needs: .order) { probe in
            _ = try await probe.make("a", #"{"n":1}"#, id: "r1")
            let cursor = try await probe.read(from: nil) { _ in }
            var expected: Set<String> = []
            for number in 1...4 {
                let made = try await probe.make("p\(number)", #"{"n":\#(number)}"#, id: "p\(number)")
                expected.insert(made.name ?? made.pk)
            }
            for (limit, cursor) in [(1, cursor), (2, cursor), (1, nil)] as [(Int, String?)] {
                let edit = RemoteProbe.create("x\(expected.count)", #"{"n":1}"#, id: "x\(expected.count)")
                let answer = try await probe.post([probe.told(edit, as: nil)], cursor: cursor, limit: limit)
                let page = answer.page
                var found = Set(page.rows.map { page.name(of: $0) ?? page.pk(of: $0) })
                found.formUnion(answer.results.map { $0.name ?? edit.pk })
                found.formUnion(try await probe.names(from: answer.cursor, limit: limit))
                expected.formUnion(answer.results.map { $0.name ?? edit.pk })
                let missing = expected.subtracting(found).sorted()
                guard missing.isEmpty else {
                    throw ConformanceFailure(
                        "the rows of a POST with limit=\(limit), and those after its cursor “\(answer.cursor)”",
                        expected: "all \(expected.count) records", found: "all but \(missing.joined(separator: ", "))")
                }
            }
        },
    ]
}

extension RemoteProbe {
    /// The names of the records whose rows follow a cursor, each once; a deleted record is not one.
    ///
    /// - Parameter end: Gets the cursor at the end of the feed.
    func names(
        from cursor: String?, limit: Int = 100, end: (String) -> Void = { _ in }
    ) async throws -> Set<String> {
        var names: Set<String> = []
        end(
            try await self.read(from: cursor, limit: limit) { page in
                for row in page.rows { names.insert(page.name(of: row) ?? page.pk(of: row)) }
            })
        return names
    }
}
