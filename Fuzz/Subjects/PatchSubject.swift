import TidemarkJSON

/// Two documents and a patch, one on a line; a line that is no JSON is "there is no record".
enum PatchSubject {
    static func examine(_ input: [UInt8]) {
        let lines = input.lines
        guard lines.count >= 2 else { return }
        let (from, to) = (try? JSON(parsing: lines[0]), try? JSON(parsing: lines[1]))
        self.examine(.diff(from: from, to: to), from: from, to: to)
        if lines.count >= 3, let patch = try? JSONPatch(parsing: Array(lines[2])) {
            self.examine(patch, over: from)
        }
    }

    /// The laws of a difference (Contract §4).
    private static func examine(_ patch: JSONPatch, from: JSON?, to: JSON?) {
        law("a difference makes the one of the other") { try patch.apply(to: from) == to }
        law("a difference is empty where nothing differs, and only there") { patch.isEmpty == (from == to) }
        law("a difference is held by what it made (R18)") { try patch.isHeld(by: to) }
        law("a difference can be taken back") { try patch.inverted(over: from).apply(to: to) == from }
        law("a difference is canonical") { try patch.canonical(over: from) == patch }
        law("there and back is nothing") { try patch.compose(patch.inverted(over: from), over: from).isEmpty }
        law("a patch reads as it was written") { try JSONPatch(parsing: patch.bytes) == patch }
    }

    /// The laws of any patch.
    private static func examine(_ patch: JSONPatch, over document: JSON?) {
        law("a patch reads as it was written") { try JSONPatch(parsing: patch.bytes) == patch }
        guard let result = try? patch.apply(to: document) else { return }
        law("a canonical patch does the same") { try patch.canonical(over: document).apply(to: document) == result }
        self.examine(.diff(from: document, to: result), from: document, to: result)
    }
}
