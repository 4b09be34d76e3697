import TidemarkCore
import TidemarkJSON

/// The parts of an ITEM (Contract §5), as ranges of a text; an empty range is a missing member.
struct ItemShape {
    var pk: Range<Int>
    var version: Range<Int>
    var isActive: Range<Int>
    var data: Range<Int>

    /// Returns the row of the parts; throws if they are malformed.
    func row(in text: ScannedText) throws(ItemFault) -> FeedPage.Row {
        try self.checkNames(in: text)
        guard let isActive = text.bool(self.isActive) else {
            throw ItemFault("“is_active”", is: text.kind(self.isActive), notOne: "a boolean")
        }
        guard isActive else {
            // Other members of a deleted record are ignored.
            return FeedPage.Row(
                pk: self.pk, version: self.version, data: self.version.upperBound..<self.version.upperBound)
        }
        guard case .object = text.kind(self.data) else {
            throw ItemFault("“data”", is: text.kind(self.data), notOne: "an object")
        }
        guard text.isDocument(self.data) else {
            throw ItemFault(reason: "“data” is nested more than \(JSON.Limits.default.nestingDepth) deep")
        }
        return FeedPage.Row(pk: self.pk, version: self.version, data: self.data)
    }

    private func checkNames(in text: ScannedText) throws(ItemFault) {
        guard case .string = text.kind(self.pk) else {
            throw ItemFault("“pk”", is: text.kind(self.pk), notOne: "a string")
        }
        // Two quotes, and nothing between them.
        guard self.pk.count > 2 else { throw ItemFault(reason: "“pk” is empty") }
        switch text.kind(self.version) {
        case .number, .string: break
        case .absent, .null, .bool, .array, .object:
            throw ItemFault("“updated_at”", is: text.kind(self.version), notOne: "a number or a string")
        }
    }
}

/// Why an ITEM is malformed.
struct ItemFault: Error {
    let reason: String

    init(reason: String) {
        self.reason = reason
    }

    init(_ member: String, is kind: ScannedText.Kind, notOne wanted: String) {
        switch kind {
        case .absent: self.reason = "\(member) is missing"
        case .null, .bool, .number, .string, .array, .object:
            self.reason = "\(member) is \(kind.name), not \(wanted)"
        }
    }
}
