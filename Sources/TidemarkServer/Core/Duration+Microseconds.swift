extension Duration {
    /// Whole microseconds; a longer duration than the number can express gives the largest number that is safe to add.
    var microseconds: Int64 {
        let (seconds, attoseconds) = self.components
        guard abs(seconds) < Int64.max / 2_000_000 else { return seconds < 0 ? -(Int64.max / 2) : Int64.max / 2 }
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
