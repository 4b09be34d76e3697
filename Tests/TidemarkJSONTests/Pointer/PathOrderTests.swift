import TestSupport
import Testing

@testable import TidemarkJSON

@Suite("Order of paths")
struct PathOrderTests {
    @Test(arguments: [0, 1, 2, 16, 17, 500])
    func `many paths are in the order in which two compare`(count: Int) {
        let steps = ["", "a", "a/b", "a-", "~", "é", "0", "10", "2", "a very long step of a path"]
        var generator = SeededGenerator(seed: UInt64(count))
        let paths = (0..<count).map { _ in
            JSONPointer(
                tokens: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    steps.randomElement(using: &generator) ?? ""
                })
        }
        let expected = paths.sorted { Array($0.text.utf8).lexicographicallyPrecedes(Array($1.text.utf8)) }
        #expect(paths.sorted(byPath: \.self) == expected)
        #expect(expected.sorted(byPath: \.self) == expected)
        #expect(paths.sorted() == expected)
    }

    @Test
    func `bytes are ordered as their arrays are, whatever they have in common`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let common = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let (one, two): (UInt8, UInt8) = Bool.random(using: &generator) ? (200, 7) : (7, 200)
            let left = common + [UInt8](repeating: one, count: Int.random(in: 0...2, using: &generator))
            let right = common + [UInt8](repeating: two, count: Int.random(in: 0...2, using: &generator))
            let precedes = unsafe left.withUnsafeBufferPointer { left in
                unsafe right.withUnsafeBufferPointer { unsafe left.precedes($0) }
            }
            #expect(precedes == left.lexicographicallyPrecedes(right))
        }
    }

    @Test
    func `line ends are counted at any place of a text`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2_000 {
            let text: [UInt8] = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                [UInt8(ascii: "\n"), 0x0B, 0x8A, 0x00, 0xFF, 0x20].randomElement(using: &generator) ?? 0
            }
            let place = unsafe text.withUnsafeBufferPointer { unsafe TextPlace.start.advanced(over: $0) }
            #expect(place == TextPlace(byteOffset: text.count, in: text))
        }
    }
}
