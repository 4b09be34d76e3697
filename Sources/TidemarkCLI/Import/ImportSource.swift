import Tidemark
import TidemarkJSONStream

/// The records of a file, each checked when it is read.
struct ImportSource {
    private var elements: FileElements
    private let form: ImportForm
    private let recordLimit: Int
    private let warn: (String) -> Void
    private var places = FirstPlaces()
    private var isAtEnd = false

    /// - Parameters:
    ///   - form: Where the records and their pks are.
    ///   - limits: The limits of a record.
    ///   - warn: Is called with a message for each oddity that is accepted.
    ///   - progress: Is called with the number of bytes read so far.
    init(
        _ file: InputFile, _ form: ImportForm, limits: JSON.Limits, warn: @escaping (String) -> Void,
        progress: @escaping (Int) -> Void
    ) {
        self.elements = FileElements(file, form.content, limits: form.limits(limits), progress: progress)
        self.form = form
        self.recordLimit = limits.bytes
        self.warn = warn
    }

    private var file: String { self.elements.file.name }

    /// The next record; nil at the end.
    mutating func next() throws(CommandFailure) -> RecordInput? {
        guard !self.isAtEnd else { return nil }
        let (name, limit, form) = (self.file, self.recordLimit, self.form)
        let next = try self.elements.next { Self.failure($0, name, form, limit: limit) }
        guard let next else {
            try self.end()
            return nil
        }
        for warning in next.warnings {
            self.warn("\(name):\(warning.line):\(warning.column): warning: \(warning.message)")
        }
        return try self.record(next)
    }

    private static func failure(_ error: JSONError, _ name: String, _ form: ImportForm, limit: Int) -> CommandFailure {
        switch error.code {
        case .tooLarge:
            return CommandFailure(
                """
                \(name):\(error.line ?? 1):\(error.column ?? 1): a record here has more than \(limit) bytes. Allow more with \
                --max-size or, if the records are in an array inside of this object, name that array with --at; if they are \
                the members of this object, add --by-key. Nothing was imported.
                """)
        case .shape where error.pointer != nil:
            return CommandFailure("\(CommandFailure(error, in: name)). \(form.adviceOnShape). Nothing was imported.")
        case _:
            return CommandFailure("\(CommandFailure(error, in: name)). Nothing was imported.")
        }
    }

    private mutating func end() throws(CommandFailure) {
        self.isAtEnd = true
        // An export of no records is an empty file.
        if case .beside = self.form.pk, self.form.pointer == nil { return try self.checkNames() }
        guard !self.elements.isBlank else {
            throw CommandFailure("\(self.file) is empty. It should be a JSON array of objects, or one object per line.")
        }
        try self.checkNames()
    }

    private mutating func checkNames() throws(CommandFailure) {
        if let (place, first) = try self.places.firstRepeated() {
            throw self.failure(
                place, "the pk is also at \(first.line):\(first.column); a pk belongs to one record")
        }
    }

    private mutating func record(_ element: JSONStreamElement) throws(CommandFailure) -> RecordInput {
        let place = FirstPlaces.Place(line: element.line, column: element.column)
        let (pk, content) = try self.parts(of: element, place)
        if let first = try self.places.note(pk, at: place) {
            throw self.failure(
                place, "the pk “\(pk)” is also at \(first.line):\(first.column); a pk belongs to one record")
        }
        return RecordInput(pk: pk, content: content)
    }

    private func parts(
        of element: JSONStreamElement, _ place: FirstPlaces.Place
    ) throws(CommandFailure) -> (pk: String, content: JSON) {
        guard let object = element.value.object else {
            let advice = if case .key = self.form.pk { ". Name the object with the records with --at" } else { "" }
            throw self.failure(
                place, "a record is a JSON object, and this is \(element.value.text.prefix(40))\(advice)")
        }
        switch self.form.pk {
        case .beside:
            guard let (pk, record) = ExportLine.parts(of: element.value) else {
                throw self.failure(
                    place,
                    """
                    without --pk each record needs the form of tidemark export, {"pk":"42","record":{…}}, and this \(Self.has(object)). \
                    \(self.form.advice(for: object))
                    """)
            }
            return (try self.pk(pk, named: "“\(ExportLine.pk)”", place), record)
        case .inside(let field):
            guard let value = element.value[pointer: field.pointer] else {
                throw self.failure(
                    place,
                    "no member “\(field.name)” for the pk; the record \(Self.has(object)). \(self.form.advice(for: object))"
                )
            }
            return (try self.pk(value, named: "“\(field.name)”", place), element.value)
        case .key:
            let key = JSON.string(JSONString(element.key ?? ""))
            return (try self.pk(key, named: "the key of this record", place), element.value)
        }
    }

    /// The first keys of an object, as the end of a sentence.
    private static func has(_ object: JSONObject) -> String {
        object.isEmpty ? "has no members" : "has: \(object.keys.prefix(8).joined(separator: ", "))"
    }

    private func pk(_ value: JSON, named name: String, _ place: FirstPlaces.Place) throws(CommandFailure) -> String {
        guard let pk = PKField.pk(of: value) else {
            throw self.failure(
                place,
                "\(name) is \(value.text.prefix(40)); a pk is a string or a whole number. \(self.choice(in: value))")
        }
        let limit = SyncLimits().nameSize
        guard !pk.isEmpty, pk.utf8.count <= limit else {
            throw self.failure(place, "\(name) has \(pk.utf8.count) bytes; a pk has from 1 to \(limit)")
        }
        return pk
    }

    /// The advice for a member that is no pk itself.
    private func choice(in value: JSON) -> String {
        guard case .inside(let field) = self.form.pk,
            let inner = value.object?.first(where: { PKField.pk(of: $0.value) != nil })
        else { return "Choose another with --pk" }
        return "Choose another with --pk, such as "
            + "--pk \(ShellWords.quoted(field.pointer.appending(inner.key).text, or: "POINTER"))"
    }

    private func failure(_ place: FirstPlaces.Place, _ reason: String) -> CommandFailure {
        CommandFailure("\(self.file):\(place.line):\(place.column): \(reason). Nothing was imported.")
    }
}
