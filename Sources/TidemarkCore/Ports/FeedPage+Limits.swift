import TidemarkJSON

extension FeedPage {
    /// How much of a name that is too long is shown.
    private static let shownName = 64

    /// The same page, with the rows set aside whose pk is too long or whose name is none (SPEC §3.7).
    func settingAside(pksOver limit: Int) -> FeedPage {
        // Two quotes stand around it, and an escape is longer than what it stands for: most pks need no second look.
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
            malformed.append(ItemSetAside(pk: shown, reason: "the server's item makes no sense: \(flaw)"))
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
        else { return "its name is no JSON string" }
        return name.value.isEmpty ? "its name is empty" : excess("name", name.value.utf8.count)
    }
}
