import TidemarkCore
import TidemarkJSON
import TidemarkRules

extension RemoteConformance {
    /// The first check, which writes nothing.
    static let emptyChecks: [Check] = [
        Check("an empty collection has no rows, and a cursor that can be used twice") { probe in
            let first = try await probe.get()
            try expect("the rows", first.page.rows.count, is: 0)
            try expect("whether there are more", first.hasMore, is: false)
            let second = try await probe.get(first.cursor)
            try expect("the rows after the cursor", second.page.rows.count, is: 0)
            let third = try await probe.get(first.cursor)
            try expect("the rows after the cursor, the second time", third.page.rows.count, is: 0)
        }
    ]

    /// The contract of every server, in the form that its capabilities allow (Contract §12): a server that names records itself,
    /// adds members to them, or sends all records each time.
    static let anyServerChecks: [Check] = [
        Check("a row has the sent content, except for members that the server adds") { probe in
            let made = try await probe.make("a", #"{"n":1,"o":{"m":[true,null]}}"#, id: "r1")
            try expect("the result", try probe.content(of: made.version), is: ["n": 1, "o": ["m": [true, .null]]])
            let row = try await probe.row(of: made)
            try expect("the row", try row.map { try probe.content(of: $0) }, is: ["n": 1, "o": ["m": [true, .null]]])
        },
        Check("W1 an edit changes only the record that it names") { probe in
            let (first, other) = (
                try await probe.make("a", #"{"n":1,"m":1}"#, id: "r1"), try await probe.make("b", #"{"n":1}"#, id: "r2")
            )
            let second = try await probe.change("n", to: "2", of: first, id: "r3")
            try expect("the record", try probe.content(of: second.version), is: ["n": 2, "m": 1])
            try expect("whether the version has changed", second.version.version != first.version.version, is: true)
            try probe.compare("the row", try await probe.row(of: second), is: second.version)
            try probe.compare("the row of the other", try await probe.row(of: other), is: other.version)
        },
        // A server that merges changed members deeply would keep it.
        Check("a nested member that an edit removes is gone") { probe in
            let first = try await probe.make("a", #"{"n":1,"o":{"m":1,"x":1}}"#, id: "r1")
            let edit = RemoteProbe.patch(#"{"op":"remove","path":"/o/x"}"#, of: "a", first.version, id: "r2")
            let second = try await probe.taken(edit, of: first)
            try expect("the result", try probe.content(of: second.version), is: ["n": 1, "o": ["m": 1]])
            try probe.compare("the row", try await probe.row(of: second), is: second.version)
        },
        // To a merge patch, null means that the member is removed.
        Check("a member that an edit sets to null is null, or the edit is refused") { probe in
            for (pk, path, content) in [
                ("a", "/n", ["n": .null, "o": ["m": 1]] as JSON), ("b", "/o/m", ["n": 1, "o": ["m": .null]]),
            ] {
                let first = try await probe.make(pk, #"{"n":1,"o":{"m":1}}"#, id: "r-\(pk)")
                let edit = RemoteProbe.patch(
                    #"{"op":"replace","path":"\#(path)","value":null}"#, of: pk, first.version, id: "n-\(pk)")
                let outcome = try await probe.result(edit, of: first).outcome
                switch outcome {
                case .accepted(let version):
                    try expect("the result of null in “\(path)”", try probe.content(of: version), is: content)
                    try probe.compare("the row", try await probe.row(of: first), is: version)
                case .refused:
                    try probe.compare("the row after the refusal", try await probe.row(of: first), is: first.version)
                case .conflicted, .unknown:
                    throw ConformanceFailure(
                        "the edit that sets “\(path)” to null", expected: "to be accepted or refused",
                        found: ConformanceWords.text(of: outcome))
                }
            }
        },
        Check("W1 W2 a change of an older version is conflicted, and its result has the newer one", needs: .condition) {
            probe in
            let first = try await probe.make("a", #"{"n":1}"#, id: "r1")
            let second = try await probe.change("n", to: "2", of: first, id: "r2")
            let late = RemoteProbe.set("n", to: "3", in: "a", first.version, id: "r3")
            try probe.compare(
                "the outcome", try await probe.result(late, of: first).outcome, is: .conflicted(second.version))
            let delete = RemoteProbe.delete("a", first.version, id: "r4")
            try probe.compare(
                "the outcome of a delete", try await probe.result(delete, of: first).outcome,
                is: .conflicted(second.version))
            try probe.compare("the row", try await probe.row(of: second), is: second.version)
        },
        Check("a deleted record has a tombstone with its pk or name, or is missing in the feed") { probe in
            let made = try await probe.make("a", #"{"n":1}"#, id: "r1")
            _ = try await probe.change("n", to: "2", of: try await probe.make("b", #"{"n":1}"#, id: "r2"), id: "r3")
            let delete = RemoteProbe.delete("a", made.version, id: "r4")
            guard case .accepted(let version) = try await probe.result(delete, of: made).outcome else {
                throw ConformanceFailure("a delete", expected: "to be accepted", found: "another outcome")
            }
            try expect("the payload", version.data, is: nil)
            try expect("whether it still exists", try await probe.row(of: made)?.data == nil, is: true)
        },
        Check("a deletion follows an older cursor", needs: .order, .tombstones) { probe in
            let made = try await probe.make("a", #"{"n":1}"#, id: "r1")
            let cursor = try await probe.listing().cursor
            _ = try await probe.result(RemoteProbe.delete("a", made.version, id: "r2"), of: made)
            let rows = try await probe.rows(from: cursor)
            try expect("the rows", rows.map { $0.version.data == nil }, is: [true])
            try expect("whether it is the record's", rows.map { made.isSame(as: $0) }, is: [true])
        },
        Check("the server's name of a record is in the result and in each row, and never changes", needs: .names) {
            probe in
            let first = try await probe.make("a", #"{"n":1}"#, id: "r1")
            guard let name = first.name, !name.isEmpty else {
                throw ConformanceFailure("the result of a create", expected: "a name", found: "none")
            }
            _ = try await probe.change("n", to: "2", of: first, id: "r2")
            try expect("the names of the rows", try await probe.rows().map(\.name), is: [name])
        },
        Check("a create that arrives twice makes one record", needs: .foundNames) { probe in
            let create = RemoteProbe.create("a", #"{"n":1}"#, id: "r1")
            let first = try await probe.make("a", #"{"n":1}"#, id: "r1")
            var again = create
            again.wasResent = true
            let second = try await probe.result(again, of: RemoteProbe.Named(pk: "a"))
            switch second.outcome {
            case .accepted(let version), .conflicted(let version):
                try probe.compare("its version", version, is: first.version)
            case .refused, .unknown:
                throw ConformanceFailure(
                    "the create again", expected: "its row", found: ConformanceWords.text(of: second.outcome))
            }
            try expect("the number of records", try await probe.rows().filter { $0.version.data != nil }.count, is: 1)
        },
        Check("an edit without a name changes the record with its pk, or none", needs: .names, .foundNames) { probe in
            let (first, other) = (
                try await probe.make("a", #"{"n":1}"#, id: "r1"), try await probe.make("b", #"{"n":1}"#, id: "r2")
            )
            let second = try await probe.change(
                "n", to: "2", of: RemoteProbe.Named(pk: "a", version: first.version), id: "r3")
            try expect("the record", try probe.content(of: second.version), is: ["n": 2])
            let lost = RemoteProbe.Named(pk: "c", version: first.version)
            let edit = RemoteProbe.set("n", to: "3", in: "c", lost.version, id: "r4")
            try probe.compare(
                "an edit of a record that the server does not have", try await probe.result(edit, of: lost).outcome,
                is: .conflicted(StoredVersion()))
            try probe.compare(
                "a delete of a record that the server does not have",
                try await probe.result(RemoteProbe.delete("c", lost.version, id: "r5"), of: lost).outcome,
                is: .accepted(StoredVersion()))
            try probe.compare("the row of the other", try await probe.row(of: other), is: other.version)
            try expect("the number of records", try await probe.rows().filter { $0.version.data != nil }.count, is: 2)
        },
        Check("members that are only transported are unchanged after an edit") { probe in
            let first = try await probe.make("a", #"{"n":1}"#, id: "r1")
            let second = try await probe.change("n", to: "2", of: first, id: "r2")
            for member in probe.remote.capabilities.carriedMembers {
                let (before, after) = (try probe.json(first.version), try probe.json(second.version))
                try expect("“\(member.text)”", after?[pointer: member], is: before?[pointer: member])
            }
        },
        Check("a POST takes as many edits as declared, and results have their order") { probe in
            let count = min(max(1, probe.remote.capabilities.batchSize ?? 10), 100)
            let edits = (0..<count).map { RemoteProbe.create("p\($0)", #"{"n":\#($0)}"#, id: "r\($0)") }
            let results = try await probe.post(edits.map { probe.told($0, as: nil) }).results
            try expect("the ids", results.map(\.requestID), is: edits.map(\.requestID))
            let isTaken = results.map { if case .accepted = $0.outcome { true } else { false } }
            try expect("whether they were accepted", isTaken, is: edits.map { _ in true })
            try expect("the number of rows", try await probe.rows().count, is: count)
        },
        Check("numbers keep their value", needs: .equalValues) { probe in
            let content = #"{"a":12345678901234567890,"b":0.1,"c":-1e-7,"d":1.10,"e":1e400,"f":0.12345678901234567891}"#
            let made = try await probe.make("a", content, id: "r1")
            try expect("the record", try probe.content(of: made.version), is: try JSON(parsing: content))
        },
        Check("each answer without a cursor begins a full resync, which is complete", needs: .listing) { probe in
            for number in 1...3 { _ = try await probe.make("p\(number)", #"{"n":\#(number)}"#, id: "r\(number)") }
            for _ in 1...2 {
                let answer = try await probe.get()
                try expect("whether it begins a full resync", answer.beginsResync, is: true)
            }
            try expect("the number of rows", try await probe.rows().count, is: 3)
        },
    ]
}

extension RemoteProbe {
    /// A record with the server's name and version.
    struct Named: Hashable {
        var pk: String
        var name: String?
        var version = StoredVersion()

        func isSame(as other: Named) -> Bool { self.name.map { $0 == other.name } ?? (self.pk == other.pk) }
    }

    /// Makes a record.
    func make(_ pk: String, _ content: String, id: String) async throws -> Named {
        try await self.taken(Self.create(pk, content, id: id), of: Named(pk: pk))
    }

    /// Sets one member at the top of a record.
    func change(_ member: String, to value: String, of record: Named, id: String) async throws -> Named {
        try await self.taken(Self.set(member, to: value, in: record.pk, record.version, id: id), of: record)
    }

    /// Posts one edit of a record.
    func result(_ edit: UploadRequest, of record: Named) async throws -> UploadResult {
        let results = try await self.post([self.told(edit, as: record.name)]).results
        try expect("the number of results for one edit", results.count, is: 1)
        return results[0]
    }

    /// An edit with the additions that the engine makes for this server.
    func told(_ edit: UploadRequest, as name: String?) -> UploadRequest {
        var edit = edit
        edit.members = self.remote.capabilities.members
        edit.name = name
        return edit
    }

    /// Posts one edit of a record that must be accepted.
    func taken(_ edit: UploadRequest, of record: Named) async throws -> Named {
        let result = try await self.result(edit, of: record)
        guard case .accepted(let version) = result.outcome else {
            throw ConformanceFailure(
                "the edit \(ConformanceWords.name(of: edit))", expected: "to be accepted",
                found: ConformanceWords.text(of: result.outcome))
        }
        return Named(pk: record.pk, name: result.name ?? record.name, version: version)
    }

    /// The newest row of each record, with the server's names, in the order of the feed.
    func rows(from cursor: String? = nil) async throws -> [Named] {
        var rows: [Named] = []
        _ = try await self.read(from: cursor) { page in
            for row in page.rows {
                let named = Named(pk: page.pk(of: row), name: page.name(of: row), version: page.version(of: row))
                rows.removeAll { $0.isSame(as: named) }
                rows.append(named)
            }
        }
        return rows
    }

    /// The version of a record in the feed; nil if the feed does not contain it.
    func row(of record: Named) async throws -> StoredVersion? {
        try await self.rows().first { record.isSame(as: $0) }?.version
    }

    /// A payload as a JSON value.
    func json(_ version: StoredVersion) throws -> JSON? {
        try version.data.map { try JSON(parsing: $0) }
    }

    /// A payload without the members that do not belong to the app.
    func content(of version: StoredVersion) throws -> JSON? {
        try self.json(version).map { self.remote.capabilities.members.removed(from: $0) }
    }
}
