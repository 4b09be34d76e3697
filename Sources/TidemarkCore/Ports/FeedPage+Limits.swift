import TidemarkJSON

extension FeedPage {
    /// How much of a too long pk is shown.
    private static let shownName = 64

    /// Returns the same page, with the rows quarantined whose pk is too long or whose name is invalid (SPEC §3.7).
    func quarantining(pksOver limit: Int) -> FeedPage {
        // The range includes two quotes, and an escape is longer than its character: most pks need no decoding.
        guard self.rows.contains(where: { $0.pk.count - 2 > limit || !$0.name.isEmpty }) else { return self }
        var rows: [Row] = []
        var malformed = self.malformed
        for row in self.rows {
            guard let flaw = self.flaw(of: row, limit) else {
                rows.append(row)
                continue
            }
            let pk = self.pk(of: row)
            let shown = pk.utf8.count > limit ? "\(pk.prefix(Self.shownName))…" : pk
            malformed.append(QuarantinedItem(pk: shown, reason: "the server's item is malformed: \(flaw)"))
        }
        return FeedPage(bytes: self.bytes, rows: rows, malformed: malformed)
    }

    private func flaw(of row: Row, _ limit: Int) -> String? {
        func excess(_ what: String, _ size: Int) -> String? {
            size > limit ? "“\(what)” has \(size) bytes, and \(limit) are allowed" : nil
        }
        if row.pk.count - 2 > limit, let excess = excess("pk", self.pk(of: row).utf8.count) { return excess }
        guard !row.name.isEmpty else { return nil }
        let quote = UInt8(ascii: "\"")
        let text = self.bytes[row.name]
        guard text.count >= 2, text.first == quote, text.last == quote,
            let name = JSONString(source: String(decoding: text.dropFirst().dropLast(), as: UTF8.self))
        else { return "its name is not a JSON string" }
        return name.value.isEmpty ? "its name is empty" : excess("name", name.value.utf8.count)
    }
}
