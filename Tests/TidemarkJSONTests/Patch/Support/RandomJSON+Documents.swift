import TestSupport
@testable import TidemarkJSON

extension RandomJSON {
    /// Usually a record, sometimes another value, seldom nil.
    mutating func document() -> JSON? {
        self.depth = 3
        if self.random.oneIn(10) { return nil }
        return self.random.oneIn(10) ? self.value() : self.record()
    }

    /// The document after a few edits; sometimes nil.
    mutating func revised(_ document: JSON?) -> JSON? {
        guard let document, !self.random.oneIn(12) else { return self.document() }
        return self.edited(document)
    }

    /// A patch of all six operations that applies to the document.
    mutating func patch(over document: JSON?) -> JSONPatch {
        var patch = JSONPatch()
        var document = document
        for _ in 0..<Int.random(in: 0...5, using: &self.random) {
            let operation = self.operation(over: document)
            guard let result = try? JSONPatch([operation]).apply(to: document) else { continue }
            patch.operations.append(operation)
            document = result
        }
        return patch
    }

    private mutating func operation(over document: JSON?) -> JSONPatch.Operation {
        let places = document?.places() ?? []
        let path = places.randomElement(using: &self.random) ?? .root
        let from = places.randomElement(using: &self.random) ?? .root
        let new = self.random.oneIn(2) ? path : path.appending(self.random.oneIn(4) ? "-" : self.key())
        return switch Int.random(in: 0..<6, using: &self.random) {
        case 0: .remove(path)
        case 1: .replace(path, self.value())
        case 2: .move(from: from, to: new)
        case 3: .copy(from: from, to: new)
        case 4: .test(path, document?[pointer: path] ?? .null)
        default: .add(new, self.value())
        }
    }
}

extension JSON {
    /// The pointer of every value in the document, including the root.
    func places(below path: JSONPointer = .root) -> [JSONPointer] {
        switch self.byType {
        case .null, .bool, .number, .string:
            return [path]
        case .array(let elements):
            let inner = elements.enumerated().flatMap { $1.places(below: path.appending(String($0))) }
            return [path] + inner
        case .object(let members):
            return [path] + members.flatMap { $0.value.places(below: path.appending($0.key)) }
        }
    }

    /// A number in this spelling; null if the spelling is not a number.
    static func spelled(_ text: String) -> JSON { JSONNumber(text).map(JSON.number) ?? .null }
}
