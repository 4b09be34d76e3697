package import TidemarkJSON

/// The name of a record: its collection and its pk.
package struct RecordName: Hashable, Sendable, Comparable {
    package let collection: CodePointString
    package let pk: CodePointString

    package init(_ collection: CodePointString, _ pk: CodePointString) {
        (self.collection, self.pk) = (collection, pk)
    }

    package init(collection: String, pk: String) {
        self.init(CodePointString(collection), CodePointString(pk))
    }

    package static func < (left: RecordName, right: RecordName) -> Bool {
        left.collection == right.collection ? left.pk < right.pk : left.collection < right.collection
    }
}

extension RecordName: CustomStringConvertible {
    package var description: String { "\(self.collection.value)/\(self.pk.value)" }
}
