import Tidemark

/// `tidemark export`: prints a collection as the app sees it, one record per line.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "print all records with their pks, one per line, for import"
    static let parameters = [Parameter.collection]
    static let options = [Option.store, Self.pk]
    static let example = "tidemark export --store phone.db notes > notes.ndjson"

    private static let pk = Option(
        name: "--pk", value: "FIELD",
        summary:
            "print the records alone, each with its pk in this member (a name, or a pointer such as /_id); default: "
            + #"{"pk":"42","record":{…}}"#)

    /// How many records are in memory at a time; each can be several megabytes large.
    private static let page = 64

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let field = try input.value(Self.pk).map { (text) throws(UsageError) in try PKField(text, for: Self.self) }
        let collection = try await OpenStore(reading: input, console).known(try input.required(0))
        let visible = Set(SyncState.allCases).subtracting([.deleted])
        var last: String?
        while true {
            let records = try await collection.list(states: visible, after: last, limit: Self.page)
            for record in records {
                guard let content = record.raw.content else { continue }
                let line = RecordSnapshot.LineEnds.spaces.applied(to: content)
                let text = try field?.adding(pk: record.pk, to: line) ?? ExportLine.bytes(pk: record.pk, record: line)
                try console.print(bytes: text)
            }
            guard records.count == Self.page, let pk = records.last?.pk else { return .success }
            last = pk
        }
    }
}

extension PKField {
    /// The text of a record with its pk in this member. A record that has the pk there stays as it is.
    fileprivate func adding(pk: String, to text: [UInt8]) throws -> [UInt8] {
        var record = try JSON(parsing: text)
        let present = record[pointer: self.pointer]
        if let present, PKField.pk(of: present).map({ CodePointString($0) }) == CodePointString(pk) { return text }
        guard present == nil, (try? record.setValue(JSON(pk), at: self.pointer)) != nil else {
            let reason = present.map { "is \($0.text.prefix(40)) in it" } ?? "has no place in it"
            throw CommandFailure(
                "the pk of the record “\(pk)” can't be printed as “\(self.name)”, which \(reason). Choose another "
                    + "member with --pk, or leave out --pk.")
        }
        return record.bytes
    }
}
