import Testing

@testable import TidemarkJSON

@Suite struct `A text is accepted exactly if it has no fault` {
    /// A text with a few changed bytes.
    private struct Damaged: Shrinkable, CustomStringConvertible {
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        init(_ random: inout RandomJSON) {
            let value = random.value()
            self.bytes = Bool.random(using: &random.random) ? value.bytes : Array(value.prettyText.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random.random) where !self.bytes.isEmpty {
                let place = Int.random(in: 0..<self.bytes.count, using: &random.random)
                let byte = Array(#"{}[]:,"\u0dDeE-+.1 tfn/"#.utf8).randomElement(using: &random.random) ?? 0
                switch Int.random(in: 0..<4, using: &random.random) {
                case 0: self.bytes.remove(at: place)
                case 1: self.bytes[place] = byte
                case 2: self.bytes.insert(byte, at: place)
                default: self.bytes[place] = UInt8.random(in: 0...255, using: &random.random)
                }
            }
        }

        var smaller: [Damaged] {
            self.bytes.indices.map { place in
                var rest = self.bytes
                rest.remove(at: place)
                return Damaged(rest)
            }
        }

        var description: String { "\(self.bytes) \(String(decoding: self.bytes, as: UTF8.self))" }
    }

    @Test(arguments: seeds)
    func `the parser accepts a damaged text exactly if the fault finder finds no fault`(seed: UInt64) {
        forAll(seed: seed, cases: 3_000) {
            Damaged(&$0)
        } holds: { text in
            let isText =
                String(validating: text.bytes, as: UTF8.self) != nil && !text.bytes.starts(with: [0xEF, 0xBB, 0xBF])
            let isRight = isText && FaultFinder.firstFault(in: text.bytes) == nil
            return ((try? JSON(parsing: text.bytes)) != nil) == isRight ? nil : "verdict"
        }
    }

    @Test(arguments: seeds)
    func `the parser accepts a damaged page exactly if the row scanner accepts it`(seed: UInt64) {
        forAll(seed: seed, cases: 1_000) {
            Damaged(&$0)
        } holds: { text in
            let page = Array(#"{"items":["#.utf8) + text.bytes + Array("]}".utf8)
            let isScanned = (try? JSONRowScanner.scan(page, arrays: ["items"], fields: ["a"])) != nil
            return ((try? JSON(parsing: page)) != nil) == isScanned ? nil : "verdict"
        }
    }
}
