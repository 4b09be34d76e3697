/// Finds the rows of a page on a tape, which is dropped again.
struct TapeRows {
    private let view: TapeView
    private let fields: [String]

    /// How many nodes a page has at least for so many bytes, as the rows of a feed go.
    private static let bytesOfNode = 16

    /// Scans a whole text.
    static func scan(
        _ input: UnsafeBufferPointer<UInt8>, arrays: [String], fields: [String], limits: JSONLimits
    ) throws(JSONError) -> JSONRowScan {
        // Ranges are kept in 32 bits.
        guard input.count <= min(limits.bytes, Int(Int32.max)) else {
            throw unsafe JSON.fault(in: input, nil, limits: limits)
        }
        var scanner = unsafe TapeScanner(
            input, depthLimit: limits.nestingDepth, room: UnsafeMutableBufferPointer(start: nil, count: 0))
        scanner.nodes.reserveCapacity(input.count / self.bytesOfNode)
        guard scanner.scan(), let nodes = unsafe scanner.nodes.all.baseAddress, let bytes = input.baseAddress else {
            throw unsafe JSON.fault(in: input, scanner.stop, limits: limits)
        }
        let view = unsafe TapeView(nodes: nodes, bytes: bytes)
        guard view[0].kind == TapeNode.Kind.object else {
            throw unsafe JSONError(
                .shape, "the value is not an object; a page is an object with arrays of rows", at: Int(view[0].start),
                of: input)
        }
        let page = TapeRows(view: view, fields: fields).page(Set(arrays.map { CodePointString($0) }))
        // The scanner owns what was looked at.
        withExtendedLifetime(scanner) {}
        return page
    }

    /// Of a repeated key the last value counts, also if it is no array.
    private func page(_ names: Set<CodePointString>) -> JSONRowScan {
        var members: [CodePointString: Range<Int>] = [:]
        var arrays: [CodePointString: JSONRowScan.Rows] = [:]
        var key = 1
        for _ in 0..<self.view[0].count {
            let (name, value) = (CodePointString(self.view.string(self.view[key])), self.view[key + 1])
            members[name] = Int(value.start)..<Int(value.end)
            if names.contains(name) {
                arrays[name] = value.kind == TapeNode.Kind.array ? self.rows(of: key + 1) : nil
            }
            key += 1 + self.view.size(key + 1)
        }
        return JSONRowScan(members: members, arrays: arrays)
    }

    private func rows(of array: Int) -> JSONRowScan.Rows {
        let stride = 2 + 2 * self.fields.count
        let count = self.view[array].count
        var ranges = ContiguousArray<Int32>(repeating: 0, count: count * stride)
        let hashes = self.fields.map { KeyHash.of($0) }
        var child = array + 1
        for row in 0..<count {
            let node = self.view[child]
            let isObject = node.kind == TapeNode.Kind.object
            ranges[row * stride] = isObject ? Int32(node.start) : ~Int32(node.start)
            ranges[row * stride + 1] = Int32(node.end)
            if isObject {
                var key = child + 1
                for _ in 0..<node.count {
                    if let field = self.field(key, hashes) {
                        let value = self.view[key + 1]
                        ranges[row * stride + 2 + 2 * field] = Int32(value.start)
                        ranges[row * stride + 3 + 2 * field] = Int32(value.end)
                    }
                    key += 1 + self.view.size(key + 1)
                }
            }
            child += self.view.size(child)
        }
        return JSONRowScan.Rows(fieldCount: self.fields.count, ranges: ranges)
    }

    /// Which field a key is, or nil.
    @inline(__always)
    private func field(_ key: Int, _ hashes: [UInt32]) -> Int? {
        let node = self.view[key]
        for place in hashes.indices where hashes[place] == node.link {
            let isField =
                node.has(TapeNode.Flag.escapes)
                ? CodePointString(self.view.string(node)) == CodePointString(self.fields[place])
                : self.isSpelled(node, self.fields[place])
            if isField { return place }
        }
        return nil
    }

    @inline(__always)
    private func isSpelled(_ node: TapeNode, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { unsafe self.view.source(node).isEqual(to: $0) }
    }
}
