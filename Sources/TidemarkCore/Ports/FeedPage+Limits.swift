extension FeedPage {
    /// How much of a name that is too long is shown.
    private static let shownName = 64

    /// The same page, with the rows set aside whose pk or name has more bytes than a name may have (SPEC §3.7).
    func settingAside(pksOver limit: Int) -> FeedPage {
        // Two quotes stand around it, and an escape is longer than what it stands for: most pks need no second look.
        let isTooLong = { (row: Row) in
            (row.pk.count - 2 > limit && self.pk(of: row).utf8.count > limit) || row.name.count - 2 > limit
        }
        guard self.rows.contains(where: isTooLong) else { return self }
        var rows: [Row] = []
        var malformed = self.malformed
        for row in self.rows {
            guard isTooLong(row) else {
                rows.append(row)
                continue
            }
            let pk = self.pk(of: row)
            let (what, size) = row.name.count - 2 > limit ? ("name", row.name.count - 2) : ("pk", pk.utf8.count)
            malformed.append(
                ItemSetAside(
                    pk: "\(pk.prefix(Self.shownName))…",
                    reason:
                        "the server's item makes no sense: “\(what)” has \(size) bytes, and \(limit) are allowed"))
        }
        return FeedPage(bytes: self.bytes, rows: rows, malformed: malformed)
    }
}
