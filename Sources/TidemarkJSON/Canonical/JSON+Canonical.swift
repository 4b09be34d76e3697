extension JSON {
    /// The canonical form of RFC 8785: no white space, keys sorted by UTF-16 units, strings with the fewest escapes, numbers
    /// rounded to double and written as in ECMAScript.
    ///
    /// - Throws: ``JSONError/Code/number`` with the pointer of a number out of the range of doubles, such as `1e400`;
    ///   RFC 8785 has no form for it.
    public func canonicalBytes() throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        try self.writeCanonical(to: &bytes)
        return bytes
    }

    private func writeCanonical(to bytes: inout [UInt8]) throws(JSONError) {
        switch self.byType {
        case .null, .bool: self.write(to: &bytes)
        case .number(let number): bytes.append(contentsOf: try number.canonicalText().utf8)
        case .string(let string): JSONString(string.value).write(to: &bytes)
        case .array(let elements): try JSON.writeCanonical(elements, to: &bytes)
        case .object(let object): try JSON.writeCanonical(object, to: &bytes)
        }
    }

    private static func writeCanonical(_ elements: [JSON], to bytes: inout [UInt8]) throws(JSONError) {
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            do throws(JSONError) {
                try element.writeCanonical(to: &bytes)
            } catch {
                throw error.below(String(place))
            }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func writeCanonical(_ object: JSONObject, to bytes: inout [UInt8]) throws(JSONError) {
        bytes.append(UInt8(ascii: "{"))
        let members = object.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
        for (place, member) in members.enumerated() {
            if place > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            JSONString(member.key).write(to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            do throws(JSONError) {
                try member.value.writeCanonical(to: &bytes)
            } catch {
                throw error.below(member.key)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension JSONNumber {
    /// The nearest double as ECMAScript writes it.
    func canonicalText() throws(JSONError) -> String {
        guard let double = self.double else {
            throw JSONError(
                .number,
                "\(self.text) is beyond the range of doubles, so RFC 8785 has no form for it; write it as a string",
                pointer: "")
        }
        return ECMAScriptNumber.text(of: double)
    }
}

extension JSONError {
    /// This error with a pointer from one level further out.
    func below(_ token: String) -> JSONError {
        var error = self
        error.pointer = JSONPointer(tokens: [token]).text + (self.pointer ?? "")
        return error
    }
}
