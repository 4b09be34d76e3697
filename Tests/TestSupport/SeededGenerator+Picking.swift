@_exported public import struct TidemarkCore.SeededGenerator

extension SeededGenerator {
    /// True once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// One of the elements.
    package mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
        let place = Int.random(in: 0...others.count, using: &self)
        return place == 0 ? first : others[place - 1]
    }

    /// Bytes that compress badly, the same in every run.
    package static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 1)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
