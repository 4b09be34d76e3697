/// Finds the rows of a page on a tape; the tape is not kept.
struct TapeRows {
    private let view: TapeView
    private let fields: [String]
    private let inner: [String]

    /// A row is inside the page's object and an array; the contents of its fields are not needed.
    private static let depthOfRows: Int32 = 2

    /// Scans a whole text.
    static func scan(
        _ input: UnsafeBufferPointer<UInt8>, arrays: [String], fields: [String], inner: [String],
        limits: JSON.Limits
    ) throws(JSONError) -> JSONRowScan {
        // Ranges are stored in 32 bits.
        guard input.count <= min(limits.bytes, Int(Int32.max)) else {
            throw unsafe JSON.fault(in: input, nil, limits: limits)
        }
        var scanner = unsafe TapeScanner(
            input, depthLimit: limits.nestingDepth, room: UnsafeMutableBufferPointer(start: nil, count: 0))
        scanner.nodes.reserveCapacity(input.count / TapeNodes.bytesOfNode)
        scanner.depthKept = inner.isEmpty ? self.depthOfRows : self.depthOfRows + 1
        guard scanner.scan(), let nodes = unsafe scanner.nodes.all.baseAddress, let bytes = input.baseAddress else {
            throw unsafe JSON.fault(in: input, scanner.stop, limits: limits)
        }
        let view = unsafe TapeView(nodes: nodes, bytes: bytes)
        guard view[0].kind == TapeNode.Kind.object else {
            throw unsafe JSONError(
                .shape, "the value is not an object; a page is an object with arrays of rows", at: Int(view[0].start),
                of: input)
        }
        let page = TapeRows(view: view, fields: fields, inner: inner)
            .page(Set(arrays.map { CodePointString($0) }))
        // The scanner owns the memory that was read.
        withExtendedLifetime(scanner) {}
        return page
    }

    /// Of a repeated key the last value counts, even if it is not an array.
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
        let fieldCount = self.fields.count + self.inner.count
        let stride = 2 + 2 * fieldCount
        let count = self.view[array].count
        var ranges = ContiguousArray<Int32>(repeating: 0, count: count * stride)
        let (hashes, innerHashes) = (self.fields.map { KeyHash.of($0) }, self.inner.map { KeyHash.of($0) })
        var child = array + 1
        for row in 0..<count {
            let node = self.view[child]
            let isObject = node.kind == TapeNode.Kind.object
            ranges[row * stride] = isObject ? Int32(node.start) : ~Int32(node.start)
            ranges[row * stride + 1] = Int32(node.end)
            if isObject {
                let places = row * stride + 2
                let last = self.find(self.fields, hashes, in: child, from: places, &ranges)
                if let last, !self.inner.isEmpty, self.view[last].kind == TapeNode.Kind.object {
                    _ = self.find(self.inner, innerHashes, in: last, from: places + 2 * hashes.count, &ranges)
                }
            }
            child += self.view.size(child)
        }
        return JSONRowScan.Rows(fieldCount: fieldCount, ranges: ranges)
    }

    /// Finds members of an object, and writes their ranges, starting at an index.
    ///
    /// - Returns: The value of the last of the names; nil if the object does not have it.
    @inline(__always)
    private func find(
        _ names: [String], _ hashes: [UInt32], in object: Int, from place: Int,
        _ ranges: inout ContiguousArray<Int32>
    ) -> Int? {
        var last: Int?
        var key = object + 1
        for _ in 0..<self.view[object].count {
            if let field = self.field(key, names, hashes) {
                let value = self.view[key + 1]
                ranges[place + 2 * field] = Int32(value.start)
                ranges[place + 2 * field + 1] = Int32(value.end)
                if field == hashes.count - 1 { last = key + 1 }
            }
            key += 1 + self.view.size(key + 1)
        }
        return last
    }

    /// Returns the index of the field with a key, or nil.
    @inline(__always)
    private func field(_ key: Int, _ names: [String], _ hashes: [UInt32]) -> Int? {
        let node = self.view[key]
        for place in hashes.indices where hashes[place] == node.link {
            let isField =
                node.has(TapeNode.Flag.escapes)
                ? self.means(node, names[place]) : self.isSpelled(node, names[place])
            if isField { return place }
        }
        return nil
    }

    /// Not inlined into the loop, since hardly any key has escapes.
    @inline(never)
    private func means(_ node: TapeNode, _ name: String) -> Bool {
        CodePointString(self.view.string(node)) == CodePointString(name)
    }

    @inline(__always)
    private func isSpelled(_ node: TapeNode, _ name: String) -> Bool {
        unsafe name.withBytes { unsafe self.view.source(node).isEqual(to: $0) }
    }
}
