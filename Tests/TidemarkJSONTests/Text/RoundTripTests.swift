import Testing
import TidemarkJSON

@Suite struct `A round trip through the text` {
    @Test func `a round trip through the text keeps every value and every byte`() {
        forAll(cases: 2_000) {
            $0.value()
        } holds: { value in
            let bytes = value.bytes
            let parsed = try JSON(parsing: bytes)
            guard parsed == value else { return "another value: \(parsed)" }
            guard parsed.bytes == bytes else { return "other bytes: \(parsed.text)" }
            guard parsed.hashValue == value.hashValue else { return "equal values with two hashes" }
            return nil
        }
    }
}
