/// The positions of the members and elements of a JSON text, for messages. Of a repeated key the last one counts.
package struct TextPlaces {
    /// With repeated keys; nil if the text is not JSON.
    private let tape: Tape?

    /// Reads a text that was parsed before, so errors in it are not reported here.
    package init(of text: [UInt8]) {
        self.tape = unsafe text.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: TapeNode.self, capacity: 64) { room in
                var scanner = unsafe TapeScanner(bytes, depthLimit: JSON.Limits().nestingDepth, room: room)
                return scanner.scan() ? unsafe Tape(nodes: scanner.nodes.all, bytes: bytes) : nil
            }
        }
    }

    /// The offset of the key at the end of a path through objects and arrays; if it does not exist, that of the innermost existing object.
    package func key(_ path: JSONPointer) -> Int { self.place(path).key }

    /// The offset of the value at a path; as ``key(_:)`` if it does not exist.
    package func value(_ path: JSONPointer) -> Int { self.place(path).value }

    private func place(_ path: JSONPointer) -> (key: Int, value: Int) {
        self.tape?.read { view in
            var (key, value) = (0, 0)
            for token in path.tokens {
                if let element = view.element(token, of: value) {
                    (key, value) = (element, element)
                    continue
                }
                guard let found = view.lastMember(token, of: value) else {
                    return (Int(view[value].start), Int(view[value].start))
                }
                (key, value) = (found, found + 1)
            }
            return (Int(view[key].start), Int(view[value].start))
        } ?? (0, 0)
    }
}

extension TapeView {
    /// The index of the last of the keys with this name, or nil.
    fileprivate func lastMember(_ name: String, of place: Int) -> Int? {
        guard self[place].kind == TapeNode.Kind.object else { return nil }
        var (found, key) = (Int?.none, place + 1)
        for _ in 0..<self[place].count {
            if CodePointString(self.string(self[key])) == CodePointString(name) { found = key }
            key += 1 + self.size(key + 1)
        }
        return found
    }

    /// The element with this index; nil if there is none, or the value is no array.
    fileprivate func element(_ token: String, of place: Int) -> Int? {
        guard self[place].kind == TapeNode.Kind.array, let index = Int(token), (0..<self[place].count).contains(index)
        else { return nil }
        return (0..<index).reduce(place + 1) { element, _ in element + self.size(element) }
    }
}
