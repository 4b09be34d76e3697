/// Finds the known name that an unknown name most likely means.
package enum NearestName {
    /// Returns the known name with the fewest typing errors; nil if all known names differ too much.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let typed = Array(Self.folded(name))
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = Self.distance(typed, Array(Self.folded(candidate)))
            guard distance < best?.distance ?? .max, distance <= max(2, candidate.utf8.count / 2) else { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// Returns the end of a message: the nearest name, or else all known names.
    package static func hint(for name: String, among known: [String]) -> String {
        if let nearest = Self.of(name, among: known) { return "did you mean \(nearest)?" }
        return "known: \(known.joined(separator: ", "))"
    }

    /// Upper case, `-` and `_` make no difference.
    private static func folded(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    }

    /// The number of letters added, left out or changed, and of neighbors swapped (restricted Damerau–Levenshtein distance).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for row in 1...left.count {
            var line = [row]
            for column in 1...right.count {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var least = min(rows[row - 1][column] + 1, line[column - 1] + 1, rows[row - 1][column - 1] + cost)
                let isSwap =
                    row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]
                if isSwap { least = min(least, rows[row - 2][column - 2] + 1) }
                line.append(least)
            }
            rows.append(line)
        }
        return rows[left.count][right.count]
    }
}
