import TidemarkCore
import TidemarkJSON

/// The parts of an ITEM (SPEC §5), as ranges of a text; an empty range is a member that is not there.
struct ItemShape {
    var pk: Range<Int>
    var stamp: Range<Int>
    var isActive: Range<Int>
    var data: Range<Int>

    /// The row that the parts make, or why they make none.
    func row(in text: ScannedText) throws(ItemFault) -> FeedPage.Row {
        try self.checkNames(in: text)
        guard let isActive = text.bool(self.isActive) else {
            throw ItemFault("“is_active”", is: text.kind(self.isActive), notOne: "a boolean")
        }
        guard isActive else {
            // What a server may still show of a deleted record is not the record.
            return FeedPage.Row(pk: self.pk, stamp: self.stamp, data: self.stamp.upperBound..<self.stamp.upperBound)
        }
        guard case .object = text.kind(self.data) else {
            throw ItemFault("“data”", is: text.kind(self.data), notOne: "an object")
        }
        return FeedPage.Row(pk: self.pk, stamp: self.stamp, data: self.data)
    }

    private func checkNames(in text: ScannedText) throws(ItemFault) {
        guard case .string = text.kind(self.pk) else {
            throw ItemFault("“pk”", is: text.kind(self.pk), notOne: "a string")
        }
        // Two quotes and nothing between them.
        guard self.pk.count > 2 else { throw ItemFault(reason: "“pk” is empty") }
        switch text.kind(self.stamp) {
        case .number, .string: break
        case .absent, .null, .bool, .array, .object:
            throw ItemFault("“updated_at”", is: text.kind(self.stamp), notOne: "a number or a string")
        }
    }
}

/// Why an ITEM makes no sense.
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
