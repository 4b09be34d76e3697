import Tidemark
import TidemarkJSONStream

/// Where a file has its records, and each record its pk.
struct ImportForm {
    enum PK {
        /// Beside the record, in a line of `tidemark export`.
        case beside
        /// In a member of the record.
        case inside(PKField)
        /// The key of the record, in an object with all records.
        case key
    }

    let pk: PK

    /// The array or the object with the records; nil for the whole file.
    let pointer: JSONPointer?

    /// The values that are the records, or the lines around them.
    var content: JSONStreamContent {
        switch self.pk {
        case .key: .members(at: self.pointer ?? .root)
        case .beside, .inside: self.pointer.map { .array(at: $0) } ?? .automatic
        }
    }

    /// The limits of an element of the file, from those of a record.
    func limits(_ record: JSON.Limits) -> JSON.Limits {
        guard case .beside = self.pk else { return record }
        var limits = record
        limits.bytes += min(ExportLine.overhead, .max - limits.bytes)
        limits.nestingDepth += 1
        return limits
    }

    /// The advice if the value at the pointer is not an array or object, as the form needs it.
    var adviceOnShape: String {
        switch self.pk {
        case .key: "If the records are in an array, use --pk instead of --by-key"
        case .beside, .inside: "If the records are in an object, and its keys are their pks, add --by-key"
        }
    }

    /// The advice for an object that has no pk in the place of the form: where the records and pks can be.
    func advice(for object: JSONObject) -> String {
        if case .inside = self.pk, ExportLine.parts(of: .object(object)) != nil {
            return "This is a line of tidemark export: leave out --pk"
        }
        var choices = ["Choose a member with --pk: a name, or a pointer such as /key/id"]
        if Self.isMap(object) { choices.append("if the members of this object are the records, use --by-key") }
        let inner = object.first { $0.value[0]?.object != nil || $0.value.object.map(Self.isMap) ?? false }
        if self.pointer == nil, let inner {
            let place = ShellWords.quoted(JSONPointer.root.appending(inner.key).text, or: "POINTER")
            let option = inner.value.object == nil ? "" : " --by-key"
            choices.append("if the records are in “\(inner.key)”, add --at \(place)\(option)")
        }
        return choices.joined(separator: "; ")
    }

    /// Whether an object can be one of records by their pks.
    private static func isMap(_ object: JSONObject) -> Bool {
        !object.isEmpty && object.allSatisfy { $0.value.object != nil }
    }
}
