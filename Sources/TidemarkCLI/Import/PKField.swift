import Tidemark

/// The member of a record that has its pk, as `--pk` names it: a name, or a JSON Pointer, which begins with a slash.
struct PKField {
    /// The name as it was typed.
    let name: String
    let pointer: JSONPointer

    init(_ text: String, for command: any Command.Type) throws(UsageError) {
        self.name = text
        guard text.utf8.first == UInt8(ascii: "/") else {
            self.pointer = JSONPointer(tokens: [text])
            return
        }
        do throws(JSONError) {
            self.pointer = try JSONPointer(parsing: text)
        } catch {
            throw UsageError(error.message, for: command)
        }
    }

    /// The pk that a value is: a string, or a number that is written as a whole number; nil for any other value.
    static func pk(of value: JSON) -> String? {
        switch value.byType {
        case .string(let string): string.value
        // The only whole number with two spellings.
        case .number(let number) where number.text == "-0": "0"
        case .number(let number) where number.text.utf8.allSatisfy(Self.isOfWholeNumber): number.text
        case .number, .null, .bool, .array, .object: nil
        }
    }

    private static func isOfWholeNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
