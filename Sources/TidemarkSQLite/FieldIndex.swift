import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// An index in the file.
struct FieldIndex {
    let id: Int64
    let index: RecordIndex

    /// ``RecordIndexes/fingerprint`` of its entries.
    let fingerprint: String

    /// Rows with a larger number have no entries yet; nil if the index is complete.
    var builtTo: Int64?

    /// The table of its entries.
    var table: String { Self.table(self.id) }

    static func table(_ id: Int64) -> String { "entry_\(id)" }

    /// Whether the entries of a row are in the index.
    func has(_ row: Int64) -> Bool {
        self.builtTo.map { row <= $0 } ?? true
    }
}

/// The indexes of a collection in the file.
final class CollectionIndexes {
    /// In the order of ``rules``.
    private(set) var list: [FieldIndex]

    /// How the keys of the indexes are made; nil if the store was opened by code that did not declare these indexes.
    let rules: RecordIndexes?

    init(_ list: [FieldIndex], declared: RecordIndexes?) {
        let indexes = declared?.keys.indexes ?? []
        let sorted = indexes.compactMap { index in list.first { $0.index == index } }
        if let declared, sorted.count == list.count, indexes.count == list.count,
            list.allSatisfy({ $0.fingerprint == declared.fingerprint })
        {
            (self.list, self.rules) = (sorted, declared)
        } else {
            (self.list, self.rules) = (list, nil)
        }
    }

    /// Whether a query can use all of them.
    var areComplete: Bool { self.list.allSatisfy { $0.builtTo == nil } }

    /// Whether no row has entries yet.
    var areUnbuilt: Bool { self.list.allSatisfy { $0.builtTo == 0 } }

    /// The place up to which the least complete ones are built; nil if all are complete.
    var leastBuiltTo: Int64? { self.list.compactMap(\.builtTo).min() }

    /// Moves that place.
    func advance(_ place: Int64, to next: Int64?) {
        for number in self.list.indices where self.list[number].builtTo == place { self.list[number].builtTo = next }
    }

    /// Makes all of them incomplete.
    func startOver() {
        for number in self.list.indices { self.list[number].builtTo = 0 }
    }
}
