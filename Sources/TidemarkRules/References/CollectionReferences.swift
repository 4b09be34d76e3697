package import TidemarkJSON

/// The members by which the records of a collection name other records, with parsed pointers (Contract §11).
package struct CollectionReferences: Sendable {
    private let members: [(pointer: String, path: QueryPath, target: CodePointString)]

    /// - Parameter references: The name of the other collection, by the pointer to the member.
    /// - Throws: ``TidemarkError/Code/invalidQuery`` for a text that is no pointer.
    package init(_ references: [String: String], of collection: String) throws(TidemarkError) {
        var members: [(pointer: String, path: QueryPath, target: CodePointString)] = []
        for pointer in CollectionRules.pointers(of: references) {
            let path = try QueryPath(pointer, in: "The references of \(collection)")
            members.append((pointer, path, CodePointString(references[pointer] ?? "")))
        }
        self.members = members
    }

    /// The collections of the named records.
    package var targets: Set<CodePointString> { Set(self.members.map(\.target)) }

    /// The records that a content names, each once: the strings at the pointers.
    package func names(in content: JSON?) -> Set<RecordName> {
        var names: Set<RecordName> = []
        for (_, path, target) in self.members {
            for value in path.values(in: content) {
                if let pk = value.string { names.insert(RecordName(target, CodePointString(pk))) }
            }
        }
        return names
    }

    /// The pointers to the pks of records of a collection, in their order.
    package func pointers(to target: CodePointString) -> [String] {
        self.members.filter { $0.target == target }.map(\.pointer)
    }

    /// A content that does not name a record.
    package func removing(_ name: RecordName, from content: JSON) -> JSON {
        self.members.reduce(content) { content, member in
            member.target == name.collection ? member.path.removing(name.pk, from: content) : content
        }
    }
}
