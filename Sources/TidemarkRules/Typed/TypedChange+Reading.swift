import TidemarkJSON

extension TypedChange {
    /// Returns the arrays that the type does not read as it left them, with the arrays that the type encodes.
    ///
    /// A type that does not decode its own encoding (it counts, for example) can't be asked: its arrays are not listed.
    static func misread(
        _ arrays: [Loss], in record: JSON, after: JSON, seenBy view: (JSON) -> JSON?
    ) -> [(array: Loss, own: JSON)] {
        guard !arrays.isEmpty else { return [] }
        let seen = view(record)
        guard seen != after, let own = view(after) else { return [] }
        let again = own == after ? own : view(own)
        let (left, read) = (after.outerArrays, seen?.outerArrays ?? [:])
        let (ownRead, readAgain) = (own.outerArrays, again?.outerArrays ?? [:])
        return arrays.compactMap { array in
            guard let value = left[array.path] else { return nil }
            let found = read[array.path]
            let isReadable = ownRead[array.path] == readAgain[array.path]
            return found != value && found != ownRead[array.path] && isReadable ? (array, value) : nil
        }
    }
}

extension JSON {
    /// The arrays that no other array contains, by path.
    fileprivate var outerArrays: [JSONPointer: JSON] {
        var arrays: [JSONPointer: JSON] = [:]
        self.collect(&arrays, at: .root)
        return arrays
    }

    private func collect(_ arrays: inout [JSONPointer: JSON], at path: JSONPointer) {
        if self.kindOfValue == .array { arrays[path] = self }
        for (key, member) in self.object ?? [:] { member.collect(&arrays, at: path.appending(key)) }
    }
}
