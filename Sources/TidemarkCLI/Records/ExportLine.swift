import Tidemark

/// A line of `tidemark export`, which `tidemark import` reads: `{"pk":"42","record":{"title":"Milk"}}`.
///
/// The pk is beside the record and not inside of it: so a record can have members of any name, and no value of it is ever taken
/// for its pk.
enum ExportLine {
    static let pk = "pk"
    static let record = "record"

    /// The most bytes of a line around its record: a pk of 512 bytes, each as an escape of six bytes, and two names.
    static let overhead = 4_096

    static func bytes(pk: String, record: [UInt8]) -> [UInt8] {
        var line = JSONLine()
        line.add(Self.pk, pk)
        line.add(Self.record, raw: record)
        return line.bytes
    }

    /// The pk and the record of a line; nil for any other value.
    static func parts(of value: JSON) -> (pk: JSON, record: JSON)? {
        guard let object = value.object, object.count == 2, let pk = object[Self.pk], let record = object[Self.record],
            record.object != nil
        else { return nil }
        return (pk, record)
    }
}
