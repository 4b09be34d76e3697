import TidemarkRules
import TidemarkJSON
import TidemarkRulesFile

/// A rules file, or its inner object alone, or a pattern of fields (Contract §8).
enum RulesSubject {
    static func examine(_ input: [UInt8]) {
        self.examine(input) { (bytes) throws(JSONError) in _ = try RulesFile(parsing: bytes) }
        self.examine(input) { (bytes) throws(JSONError) in _ = try RulesFile.fields(parsing: bytes) }
        if let pattern = try? PointerPattern(input.repairedText) {
            law("a pattern is written as it was read") { try PointerPattern(pattern.description) == pattern }
        }
    }

    private static func examine(_ input: [UInt8], _ read: ([UInt8]) throws(JSONError) -> Void) {
        do throws(JSONError) {
            try read(input)
        } catch {
            law("a refusal names a place in the file") { (0...input.count).contains(error.byteOffset ?? -1) }
        }
    }
}
