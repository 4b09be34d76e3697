import TidemarkJSON

extension ProblemDetails {
    /// The maximum number of fields in ``errors``: 100. Further ones are left out.
    public static let errorFields = 100

    /// The maximum number of messages of one field in ``errors``: 10. Further ones are left out.
    public static let fieldMessages = 10

    /// The server's messages by field, for a form: the key is the JSON Pointer of a field as in `JSONField` and in field rules,
    /// `/title` or `/lines/0/price`, and an empty key is the record as a whole.
    ///
    /// ```swift
    /// let messages = try await notes["42"].snapshot()?.hold?.problem?.errors["/title"] ?? []
    /// ```
    ///
    /// They are read from the member `errors` of the document, in either usual form:
    ///
    /// | `errors` | of an element |
    /// |---|---|
    /// | an object | its name is the field; its value is a message, or an array of messages |
    /// | an array | `pointer`, `field`, `path` or `name` is the field, the first that is there; `message`, `detail` or `title` is the message |
    ///
    /// A message is a text, or an object with `message`, `detail` or `title`. A field is a JSON Pointer (`/title`), one in a
    /// fragment (`#/title`), an array of steps (`["lines", 0, "price"]`), or else the name of one member: a name is not divided at
    /// its dots, which may belong to it. Anything else is ignored, so the result is empty for a server that has no such errors.
    ///
    /// At most ``errorFields`` fields with ``fieldMessages`` messages of ``textSize`` Unicode scalars each. A document above
    /// ``documentSize`` loses its errors when it is received. A message whose field has more than 4,096 bytes counts for the record
    /// as a whole.
    public var errors: [String: [String]] {
        var errors: [String: [String]] = [:]
        func add(_ message: JSON, _ path: JSONPointer) {
            guard let message = Self.message(in: message) else { return }
            let key = path.text.utf8.count <= Self.nameSize ? path.text : ""
            guard let present = errors[key] else {
                if errors.count < Self.errorFields { errors[key] = [message] }
                return
            }
            if present.count < Self.fieldMessages { errors[key] = present + [message] }
        }
        let listed = self.document["errors"]
        for (name, value) in listed?.object ?? JSONObject() {
            for message in value.array ?? [value] { add(message, Self.path(named: name)) }
        }
        for entry in listed?.array ?? [] { add(entry, Self.path(in: entry)) }
        return errors
    }

    /// Returns the text of a message; nil if there is none.
    private static func message(in entry: JSON) -> String? {
        let texts = [entry.string] + ["message", "detail", "title"].map { entry[$0]?.string }
        return texts.lazy.compactMap(\.self).first { !$0.isEmpty }?.cut(after: Self.textSize)
    }

    /// Returns the path of the field that an element of an array names; the root if it names none.
    private static func path(in entry: JSON) -> JSONPointer {
        let names = ["pointer", "field", "path", "name"].lazy.compactMap { name in
            entry[name].flatMap { $0.string != nil || $0.array != nil ? $0 : nil }
        }
        guard let name = names.first else { return .root }
        guard let steps = name.array else { return self.path(named: name.string ?? "") }
        return JSONPointer(tokens: steps.compactMap { $0.string ?? $0.int.map { "\($0)" } })
    }

    /// Returns the path for a field's name as servers write it.
    private static func path(named name: String) -> JSONPointer {
        let isFragment = name.utf8.first == UInt8(ascii: "#")
        let text = isFragment ? self.decoded(fragment: name.utf8.dropFirst()) : name
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/"), let pointer = try? JSONPointer(parsing: text) else {
            return JSONPointer(tokens: [name])
        }
        return pointer
    }

    /// Decodes the percent escapes of a URI fragment (RFC 6901 §6). A “%” without two hexadecimal digits is kept.
    private static func decoded(fragment bytes: Substring.UTF8View) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = Array(rest.prefix(2))
            guard byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                decoded.append(byte)
                continue
            }
            decoded.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
