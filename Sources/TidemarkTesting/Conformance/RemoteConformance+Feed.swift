import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    static let feedChecks: [Check] = [
        Check("a row in the feed equals the result of its edit") { probe in
            let version = try await probe.accepted(RemoteProbe.create("a", #"{"title":"Milk"}"#, id: "r1"))
            try probe.compare("the payload", of: version, is: #"{"title":"Milk"}"#)
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", version)])
        },
        Check("W3 pages of any size contain every row once, in the order of the commits", needs: .order) { probe in
            var rows: [RemoteProbe.Row] = []
            for number in [3, 1, 4, 2, 5] {
                let edit = RemoteProbe.create("p\(number)", #"{"n":\#(number)}"#, id: "r\(number)")
                rows.append(RemoteProbe.Row("p\(number)", try await probe.accepted(edit)))
            }
            try expect("the number of versions", Set(rows.map(\.version.version)).count, is: 5)
            for limit in 1...6 {
                let listing = try await probe.listing(limit: limit)
                try probe.compare("the rows by pages of \(limit)", listing.rows, is: rows)
                let rest = try await probe.listing(from: listing.cursor, limit: limit)
                // Only the wire returns no row again.
                let isWire = probe.subject.keepsWire(probe.remote.capabilities)
                let more = rest.rows.filter { row in isWire || !rows.contains { $0.pk == row.pk } }
                try probe.compare("the rows after the last page", more, is: [])
            }
        },
        Check("a page has no more rows than requested", needs: .wire) { probe in
            for number in 1...3 {
                _ = try await probe.accepted(RemoteProbe.create("p\(number)", "{}", id: "r\(number)"))
            }
            let page = try await probe.get(limit: 2)
            try expect("the rows of the page", page.page.rows.count, is: 2)
            try expect("whether there are more", page.hasMore, is: true)
        },
        Check(
            "a changed row follows an older cursor, with its new version only", needs: .order
        ) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let cursor = try await probe.listing().cursor
            let second = try await probe.accepted(RemoteProbe.set("n", to: "2", in: "a", first, id: "r2"))
            try probe.compare(
                "the rows", try await probe.listing(from: cursor).rows, is: [RemoteProbe.Row("a", second)])
        },
        Check("W6 the results and the page of a POST together contain all its records") { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let answer = try await probe.post([RemoteProbe.create("b", #"{"n":2}"#, id: "r2")])
            var pks = answer.page.rows.map { answer.page.pk(of: $0) } + ["b"]
            let rest = try await probe.listing(from: answer.cursor)
            pks += rest.rows.map(\.pk)
            try expect("the records in the answer", Set(pks), is: ["a", "b"])
        },
        Check("W8 an empty cursor reads from the start", needs: .order, .newCollections) { probe in
            var rows: [RemoteProbe.Row] = []
            for number in 1...3 {
                let edit = RemoteProbe.create("p\(number)", "{}", id: "p\(number)")
                rows.append(RemoteProbe.Row("p\(number)", try await probe.accepted(edit)))
            }
            try probe.compare("the rows from the start", try await probe.listing(from: "").rows, is: rows)
        },
        Check("W8 an older cursor stays valid after writes", needs: .order) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let early = try await probe.listing().cursor
            var rows: [RemoteProbe.Row] = []
            for number in 1...3 {
                let edit = RemoteProbe.create("p\(number)", "{}", id: "p\(number)")
                rows.append(RemoteProbe.Row("p\(number)", try await probe.accepted(edit)))
            }
            try probe.compare("the rows after an older cursor", try await probe.listing(from: early).rows, is: rows)
        },
        Check("W8 a GET with an invalid cursor fails with history lost") { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let failure = try await probe.failure("a GET with an invalid cursor", cursor: "never handed out")
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
        },
        Check("W8 a POST with an invalid cursor fails with history lost, and nothing is applied") { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let failure = try await probe.failure(
                "a POST with an invalid cursor", posting: [RemoteProbe.create("b", "{}", id: "r2")],
                cursor: "never handed out")
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
        },
        Check(
            "W8 an invalid seen cursor fails with history lost, even with a valid cursor", needs: .seen
        ) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            let failure = try await probe.failure(
                "a GET with an invalid seen cursor", cursor: cursor, seen: "never handed out")
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
            try expect("the rows without seen", try await probe.get(cursor).page.rows.count, is: 0)
        },
        Check("W8 an invalid seen cursor fails with history lost, even without a cursor", needs: .seen) {
            probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let failure = try await probe.failure("a GET with an invalid seen cursor", seen: "never handed out")
            try expect("the class of the failure", failure.failureClass, is: .historyLost)
        },
        Check(
            "W8 a POST with an invalid seen cursor fails with history lost, and nothing is applied",
            needs: .seen
        ) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            for (id, cursor) in [("r2", cursor), ("r3", nil)] {
                let failure = try await probe.failure(
                    "a POST with an invalid seen cursor", posting: [RemoteProbe.create("b", "{}", id: id)],
                    cursor: cursor, seen: "never handed out")
                try expect("the class of the failure", failure.failureClass, is: .historyLost)
            }
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
        },
        Check("W8 a seen cursor of the future fails with history lost", needs: .seen) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            let later = RemoteProbe.laterCursors(than: cursor)
            guard !later.isEmpty else {
                throw ConformanceSkip(why: "the cursor “\(cursor)” has no number that the check could raise")
            }
            for future in later {
                let failure = try await probe.failure(
                    "a GET with seen=“\(future)”, which was never handed out", cursor: cursor, seen: future)
                try expect("the class of the failure", failure.failureClass, is: .historyLost)
            }
        },
        // A server that ignores the token keeps this, too: it ignores unknown members of a query.
        Check("W8 a valid seen cursor changes no answer", needs: .order) { probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            let cursor = try await probe.listing().cursor
            let second = RemoteProbe.create("b", "{}", id: "r2")
            let posted = try await probe.post([second], cursor: cursor)
            for start in [cursor, nil] {
                let (plain, named) = (
                    try await probe.get(start).page, try await probe.get(start, seen: posted.cursor).page
                )
                try expect("the rows", named.rows.map { named.pk(of: $0) }, is: plain.rows.map { plain.pk(of: $0) })
            }
            let third = RemoteProbe.create("c", "{}", id: "r3")
            let page = try await probe.post([third], cursor: cursor, seen: posted.cursor).page
            try expect("the rows except “c”", page.rows.map { page.pk(of: $0) }.filter { $0 != "c" }, is: ["b"])
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a", "b", "c"])
        },
    ]
}
