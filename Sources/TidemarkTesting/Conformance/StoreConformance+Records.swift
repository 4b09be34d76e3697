import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let recordChecks: [Check] = [
        Check("a record is returned as it was saved, in every phase") { store in
            try expect("a record that is absent", try store.record("1", in: "c"), is: nil)
            for phase in Self.phases {
                for record in [Self.fullRecord("1", phase), Self.bareRecord("1", phase)] {
                    try store.save([record], in: "c")
                    try expect("the record", try store.record("1", in: "c"), is: record)
                }
            }
            try expect("the record of another collection", try store.record("1", in: "d"), is: nil)
        },
        Check("bytes are returned unchanged, and empty differs from null") { store in
            let everyByte = [UInt8](0...255)
            for bytes in [everyByte, [], [0], nil] {
                var record = Self.fullRecord("1", .edited(.held))
                record.confirmed.data = bytes
                record.seen = bytes.map { StoredVersion(version: "", data: $0) }
                record.editedData = bytes
                record.hold = bytes
                record.base = bytes
                record.upload = bytes.map { StoredUpload(requestID: "", edit: $0, wasResent: false) }
                try store.save([record], in: "c")
                try expect("the record", try store.record("1", in: "c"), is: record)
            }
        },
        Check("an empty pending server version differs from none") { store in
            for seen in [nil, StoredVersion(), StoredVersion(version: "1"), StoredVersion(version: "1", data: [])] {
                var record = Self.bareRecord("1", .edited(.deciding))
                record.seen = seen
                try store.save([record], in: "c")
                try expect("the pending server version", try store.record("1", in: "c")?.seen, is: seen)
            }
        },
        Check("pks and collections differ by code point") { store in
            for collection in Self.names {
                try store.save(
                    Self.names.map { pk in
                        var record = Self.fullRecord(pk, .synced)
                        record.confirmed.version = "\"\(collection)/\(pk)\""
                        return record
                    }, in: collection)
            }
            for collection in Self.names {
                for pk in Self.names {
                    let version = try store.record(pk, in: collection)?.confirmed.version
                    try expect(
                        "the version", version.map { CodePointString($0) },
                        is: CodePointString("\"\(collection)/\(pk)\""))
                }
            }
        },
        Check("only the erased record is removed") { store in
            try store.save(Self.names.map { Self.fullRecord($0, .created(.idle)) }, in: "c")
            try store.save([Self.fullRecord("A", .synced)], in: "d")
            try store.transaction { () throws(TidemarkError) in
                for pk in ["A", "A", "unknown"] {
                    try store.erase(pk, in: "c")
                }
                try store.erase("A", in: "unknown")
            }
            try expect("the erased record", try store.record("A", in: "c"), is: nil)
            try expect("its namesake", try store.record("A", in: "d"), is: Self.fullRecord("A", .synced))
            let left = try store.records(in: "c", states: [.created], after: nil, limit: 100)
            try expect("the rest", Self.pks(left), is: Self.codePoints(Self.names.filter { $0 != "A" }))
        },
    ]
}
