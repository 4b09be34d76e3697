import TidemarkJSON

extension Operation {
    /// Every operation whose work is linear in its input.
    static var all: [Operation] { self.texts + self.lookups + self.patches + self.merges + self.rules }

    /// Reading and writing text.
    static var texts: [Operation] {
        [
            Operation("parse duplicate-keys", size: 200, Shape.duplicateKeys) { _ = try JSON(parsing: $0) },
            Operation("parse warned-duplicate-keys", size: 200, Shape.duplicateKeys) { _ = try JSON.parse($0) },
            Operation("parse warned-nested-duplicates", size: 100, Shape.nestedDuplicates) { _ = try JSON.parse($0) },
            Operation("parse keys", size: 300, Shape.keys) { _ = try JSON(parsing: $0) },
            Operation("parse long-key", size: 5_000, Shape.longKey) { _ = try JSON(parsing: $0) },
            Operation("parse escaped-long-key", size: 2_000, Shape.escapedLongKey) { _ = try JSON(parsing: $0) },
            Operation("parse deep-arrays", size: 200, Shape.deepArrays) { _ = try JSON(parsing: $0) },
            Operation("parse deep-objects", size: 200, Shape.deepObjects) { _ = try JSON(parsing: $0) },
            Operation("parse numbers", size: 400, Shape.numbers) { _ = try JSON(parsing: $0) },
            Operation("parse long-number", size: 5_000, Shape.longNumber) { _ = try JSON(parsing: $0) },
            Operation("refuse at-the-end", size: 300, Shape.unfinished) { _ = try? JSON(parsing: $0) },
            Operation("scan rows", size: 100, Shape.rows) {
                _ = try JSONRowScanner.scan($0, arrays: ["items"], fields: ["pk"])
            },
            Operation("canonical keys", size: 100, Shape.value(Shape.keys)) { _ = try $0.canonicalBytes() },
            Operation("canonical escaped-long-key", size: 500, Shape.value(Shape.escapedLongKey)) {
                _ = try $0.canonicalBytes()
            },
            Operation("decode members", size: 100, Shape.value(Shape.keys)) { _ = try $0.decode([String: Int].self) },
            Operation("encode members", size: 100, { Shape.members($0) }) { _ = try JSON(encoding: $0) },
        ]
    }
}
