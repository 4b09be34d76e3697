/// The canonical patch of the changes, in its order (Contract §4).
extension Changes {
    /// The operations that lead from the value before to the value after.
    var operations: [JSONPatch.Operation] {
        var operations: [JSONPatch.Operation] = []
        operations.reserveCapacity(self.list.count)
        self.appendOperations(to: &operations)
        return operations
    }

    /// The paths of the operations.
    var paths: [JSONPointer] {
        var paths: [JSONPointer] = []
        paths.reserveCapacity(self.list.count)
        self.appendPaths(to: &paths)
        return paths
    }

    /// Appends the operations for an index of the list, which is at a path, or for the changes below it.
    func appendOperations(
        of place: Int = 0, at path: JSONPointer = .root, to operations: inout [JSONPatch.Operation]
    ) {
        guard !self.isEmpty else { return }
        let change = self.list[place]
        guard !change.isWhole else { return operations.append(self.operation(change, at: path)) }
        self.forEachWhole(below: place, at: path) { change, changes, path in
            operations.append(self.operation(change, at: changes.pointer(to: change, in: path)))
        }
    }

    /// Appends the paths of those operations.
    func appendPaths(of place: Int = 0, at path: JSONPointer = .root, to paths: inout [JSONPointer]) {
        guard !self.isEmpty else { return }
        guard !self.list[place].isWhole else { return paths.append(path) }
        self.forEachWhole(below: place, at: path) { change, changes, path in
            paths.append(changes.pointer(to: change, in: path))
        }
    }

    /// The text of the operations, as an array.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.expectedBytes)
        bytes.append(UInt8(ascii: "["))
        if let root = self.list.first, root.isWhole {
            self.read { $0.write(root, in: [], to: &bytes) }
        } else if !self.isEmpty {
            self.forEachWhole(below: 0, at: .root) { change, changes, path in
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                changes.write(change, in: path, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    /// The length of the text if all changes are in one object, and an estimate otherwise.
    private var expectedBytes: Int {
        self.read { changes in
            changes.list.reduce(2) { sum, change in
                guard change.isWhole else { return sum }
                let key = change.key == Change.nothing ? 0 : changes.sideOfKey(change)[Int(change.key)].length
                return sum + key + (change.after == Change.nothing ? 40 : 40 + changes.after[Int(change.after)].length)
            }
        }
    }

    /// Visits the outermost whole values below an object with the text of the pointer to the object that contains each.
    private func forEachWhole(
        below place: Int, at path: JSONPointer, _ body: (Change, ChangesView, [UInt8]) -> Void
    ) {
        var path = Array(path.text.utf8)
        self.read { changes in
            ChangeOrder(changes).visit(place, at: &path) { change, path in body(change, changes, path) }
        }
    }

    private func operation(_ change: Change, at path: JSONPointer) -> JSONPatch.Operation {
        guard let after = self.valueAfter(change) else { return .remove(path) }
        return change.before == Change.nothing ? .add(path, after) : .replace(path, after)
    }
}

extension ChangesView {
    /// Appends the text of an operation on a member of the object at a path.
    fileprivate func write(_ change: Change, in path: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(change.operationStart)
        if !path.isEmpty { unsafe path.withUnsafeBufferPointer { unsafe JSONString.writeEscaped($0, to: &bytes) } }
        self.writeStep(to: change, to: &bytes)
        guard change.after != Change.nothing else { return bytes.append(#""}"#) }
        bytes.append(JSONPatch.Operation.valueStart)
        self.after.write(Int(change.after), to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension Change {
    /// The text of its operation, up to its path.
    fileprivate var operationStart: StaticString {
        if self.after == Change.nothing { return #"{"op":"remove","path":""# }
        return self.before == Change.nothing ? #"{"op":"add","path":""# : #"{"op":"replace","path":""#
    }
}
