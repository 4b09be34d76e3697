/// A view of changes, valid only during ``Changes/read(_:)``.
struct ChangesView {
    let list: [Change]
    let before: TapeView
    let after: TapeView

    /// The tape that the key of a change is on.
    func sideOfKey(_ change: Change) -> TapeView { change.before == Change.nothing ? self.after : self.before }

    func keyNode(_ change: Change) -> TapeNode { self.sideOfKey(change)[Int(change.key)] }

    /// Passes the decoded bytes of a member's name to `body`.
    func withName<Result>(of change: Change, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let view = self.sideOfKey(change)
        let key = view[Int(change.key)]
        guard key.has(TapeNode.Flag.escapes) else { return unsafe body(view.source(key)) }
        var name = view.string(key)
        return name.withUTF8 { unsafe body($0) }
    }

    /// Appends the step of a pointer that leads to a member.
    func appendStep(to change: Change, to path: inout [UInt8]) {
        path.append(UInt8(ascii: "/"))
        unsafe self.withName(of: change) { unsafe JSONPointer.writeEscaped($0, to: &path) }
    }

    /// The pointer to a member of the object at a path.
    func pointer(to change: Change, in path: [UInt8]) -> JSONPointer {
        unsafe path.withUnsafeBufferPointer { path in
            unsafe self.withName(of: change) { unsafe JSONPointer(path, step: $0) }
        }
    }

    /// Appends the step within a JSON string; nothing for the root, which is not a member.
    func writeStep(to change: Change, to text: inout [UInt8]) {
        guard change.key != Change.nothing else { return }
        let view = self.sideOfKey(change)
        let key = view[Int(change.key)]
        text.append(UInt8(ascii: "/"))
        guard key.has(TapeNode.Flag.escapes) else {
            // A string without escapes in the source needs none.
            return unsafe JSONPointer.writeEscaped(view.source(key), to: &text)
        }
        JSONString.writeEscaped(JSONPointer.escaped(view.string(key)), to: &text)
    }
}
