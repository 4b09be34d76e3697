import Tidemark
import TidemarkJSONStream

/// The records of a file, each checked when it is read.
struct ImportSource {
    private var elements: FileElements
    private let field: String
    private let warn: (String) -> Void
    private var places = FirstPlaces()
    private var isAtEnd = false

    /// - Parameters:
    ///   - field: The member that names a record.
    ///   - warn: Is called with a message for each oddity that is accepted.
    init(_ elements: FileElements, field: String, warn: @escaping (String) -> Void) {
        self.elements = elements
        self.field = field
        self.warn = warn
    }

    private var file: String { self.elements.file.name }

    /// The next record; nil at the end.
    mutating func next() throws(CommandFailure) -> RecordInput? {
        guard !self.isAtEnd else { return nil }
        let (name, limit) = (self.file, self.elements.limits.bytes)
        let next = try self.elements.next { error in
            guard error.code == .tooLarge else {
                return CommandFailure("\(CommandFailure(error, in: name)). Nothing was imported.")
            }
            return CommandFailure(
                """
                \(name):\(error.line ?? 1):\(error.column ?? 1): a record here has more than \(limit) bytes. Allow more with \
                --max-size or, if the records are in an array inside of this object, name that array with --at. Nothing \
                was imported.
                """)
        }
        guard let next else {
            try self.end()
            return nil
        }
        for warning in next.warnings {
            self.warn("\(name):\(warning.line):\(warning.column): warning: \(warning.message)")
        }
        return try self.record(next)
    }

    private mutating func end() throws(CommandFailure) {
        self.isAtEnd = true
        guard !self.elements.isBlank else {
            throw CommandFailure("\(self.file) is empty. It should be a JSON array of objects, or one object per line.")
        }
        if let (place, first) = try self.places.firstRepeated() {
            throw self.failure(
                place, "the pk is also at \(first.line):\(first.column); a pk belongs to one record")
        }
    }

    private mutating func record(_ element: JSONStreamElement) throws(CommandFailure) -> RecordInput {
        let place = FirstPlaces.Place(element)
        guard let object = element.value.object else {
            throw self.failure(place, "a record is a JSON object, and this is \(element.value.text.prefix(40))")
        }
        guard let value = element.value[self.field] else {
            let names = object.keys.prefix(8).joined(separator: ", ")
            throw self.failure(
                place,
                """
                no member “\(self.field)” for the pk; the record has: \(names). Choose one with --pk, or, if the records are in an \
                array inside of this object, name that array with --at
                """)
        }
        let pk = try self.pk(value, place)
        if let first = try self.places.note(pk, at: place) {
            throw self.failure(
                place, "the pk “\(pk)” is also at \(first.line):\(first.column); a pk belongs to one record")
        }
        return RecordInput(pk: pk, content: element.value)
    }

    /// The text of a string, or of a number that is written as a whole number.
    private func pk(_ value: JSON, _ place: FirstPlaces.Place) throws(CommandFailure) -> String {
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

    private func failure(_ place: FirstPlaces.Place, _ reason: String) -> CommandFailure {
        CommandFailure("\(self.file):\(place.line):\(place.column): \(reason). Nothing was imported.")
    }
}
