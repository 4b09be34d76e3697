import TidemarkJSON

extension FeedPage {
    /// How much of a too long pk is shown, in Unicode scalars.
    private static let shownName = 64

    /// Returns the same page, with the rows quarantined whose pk or name is invalid: not a string, empty, or too long (Contract
    /// §3.5, §3.7).
    ///
    /// - Parameter member: The member with the pk, if the server names the records: it has to be the row's pk, or missing.
    func quarantining(pksOver limit: Int, pkMember member: JSONPointer?) -> FeedPage {
        // The range includes two quotes, and an escape is longer than its character: most pks need no decoding.
        guard self.rows.contains(where: { !self.isShort($0.pk, limit) || !$0.name.isEmpty }) else { return self }
        var rows: [Row] = []
        var malformed = self.malformed
        for row in self.rows {
            guard let flaw = self.flaw(of: row, limit, member) else {
                rows.append(row)
                continue
            }
            malformed.append(
                QuarantinedItem(pk: self.label(of: row, limit), reason: "the server's item is malformed: \(flaw)"))
        }
        return FeedPage(bytes: self.bytes, rows: rows, malformed: malformed)
    }

    /// Whether a range is in quotes, and neither empty nor possibly too long.
    private func isShort(_ range: Range<Int>, _ limit: Int) -> Bool {
        let quote = UInt8(ascii: "\"")
        return range.count > 2 && range.count - 2 <= limit && self.bytes[range.lowerBound] == quote
            && self.bytes[range.upperBound - 1] == quote
    }

    /// The name under which a malformed item is quarantined.
    private func label(of row: Row, _ limit: Int) -> String {
        let names = [self.decoded(row.name), self.decoded(row.pk)].compactMap { $0 }
        guard let name = names.first(where: { !$0.isEmpty }) else {
            return "item \(self.versionText(of: row).cut(after: Self.shownName))"
        }
        return name.utf8.count > limit ? name.cut(after: Self.shownName) : name
    }

    private func flaw(of row: Row, _ limit: Int, _ member: JSONPointer?) -> String? {
        if !self.isShort(row.pk, limit), let flaw = self.flaw(in: row.pk, "pk", limit) { return flaw }
        guard !row.name.isEmpty else { return nil }
        if let flaw = self.flaw(in: row.name, "name", limit) { return flaw }
        guard let member, !row.isTombstone,
            let value = (try? JSON(parsing: Array(self.bytes[row.data])))?[pointer: member], !value.isNull
        else { return nil }
        guard let pk = value.string else { return "its “\(member)” is not a string" }
        guard CodePointString(pk) != CodePointString(self.pk(of: row)) else { return nil }
        return pk.isEmpty ? "its “\(member)” is empty" : "its pk is not the text in “\(member)”"
    }

    private func flaw(in range: Range<Int>, _ what: String, _ limit: Int) -> String? {
        guard let name = self.decoded(range) else { return "its \(what) is not a JSON string" }
        guard !name.isEmpty else { return "its \(what) is empty" }
        let size = name.utf8.count
        return size > limit ? "“\(what)” has \(size) bytes, and \(limit) are allowed" : nil
    }

    /// The string of a range; nil if it is not a JSON string.
    private func decoded(_ range: Range<Int>) -> String? {
        let quote = UInt8(ascii: "\"")
        let text = self.bytes[range]
        guard text.count >= 2, text.first == quote, text.last == quote else { return nil }
        return JSONString(source: String(decoding: text.dropFirst().dropLast(), as: UTF8.self))?.value
    }
}
