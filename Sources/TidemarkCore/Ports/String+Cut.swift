extension String {
    /// Returns the text, cut after a number of Unicode scalars, with “…” in place of the rest.
    ///
    /// A text of a server, a file or a terminal is cut in this way, and not by `Character`: one character may have any number of
    /// combining marks, so a number of characters limits nothing.
    package func cut(after count: Int) -> String {
        // A scalar has one byte at least.
        guard self.utf8.count > count else { return self }
        let scalars = self.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return self }
        return String(scalars[..<end]) + "…"
    }
}
