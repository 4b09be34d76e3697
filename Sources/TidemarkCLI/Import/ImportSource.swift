import Tidemark

/// The records of a file, each checked when it is read.
struct ImportSource {
    private var reader: ImportReader
    private let field: String
    private let file: String
    private var places = FirstPlaces()

    /// - Parameters:
    ///   - field: The member that names a record.
    ///   - file: The name of the file in errors.
    init(_ reader: ImportReader, field: String, file: String) {
        self.reader = reader
        self.field = field
        self.file = file
    }

    /// The next record; nil at the end.
    mutating func next() throws(CommandFailure) -> RecordInput? {
        guard let (element, place) = try self.reader.next() else { return nil }
        guard let object = element.object else {
            throw self.failure(place, "a record is a JSON object, and this is \(element.text.prefix(40))")
        }
        guard let value = element[self.field] else {
            let names = object.keys.prefix(8).joined(separator: ", ")
            throw self.failure(
                place, "no member “\(self.field)” for the pk; the record has: \(names). Choose one with --pk")
        }
        let pk = try self.pk(value, place)
        if let first = self.places.note(pk, at: place) {
            throw self.failure(
                place, "the pk “\(pk)” is also at \(first.line):\(first.column); a pk belongs to one record")
        }
        return RecordInput(pk: pk, content: element)
    }

    /// The text of a string, or of a number that is written as a whole number.
    private func pk(_ value: JSON, _ place: ImportReader.Place) throws(CommandFailure) -> String {
        let pk: String
        switch value.byType {
        case .string(let string): pk = string.value
        case .number(let number) where !number.text.utf8.contains(where: { !Self.isOfWholeNumber($0) }):
            pk = number.text
        case .number, .null, .bool, .array, .object:
            throw self.failure(
                place,
                "“\(self.field)” is \(value.text.prefix(40)); a pk is a string or a whole number. Choose another with --pk"
            )
        }
        let limit = SyncLimits().nameSize
        guard !pk.isEmpty, pk.utf8.count <= limit else {
            throw self.failure(place, "“\(self.field)” has \(pk.utf8.count) bytes; a pk has from 1 to \(limit)")
        }
        return pk
    }

    private static func isOfWholeNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func failure(_ place: ImportReader.Place, _ reason: String) -> CommandFailure {
        CommandFailure("\(self.file):\(place.line):\(place.column): \(reason). Nothing was imported.")
    }
}
