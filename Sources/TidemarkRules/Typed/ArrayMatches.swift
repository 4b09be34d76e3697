import TidemarkJSON

/// The element before a change for each element of an array after it.
///
/// Elements that have a key are matched by it. Others are matched if they are equal, wherever they are; between two of those,
/// as many changed elements as there were before are the same ones, in their order. It takes linear time: this is no search
/// for the shortest edit script.
struct ArrayMatches {
    /// The member that identifies an object if no rule names another one: that of `Identifiable`.
    static let usualKey = "id"

    /// For each element after the change, its index before it; nil for a new element.
    private(set) var places: [Int?]

    /// The indexes of the elements that were removed.
    private(set) var removed: [Int] = []

    /// The indexes, before the change, of the elements that it did not change.
    private(set) var unchanged: Set<Int> = []

    /// Matches the elements of two arrays.
    ///
    /// - Parameter identity: Returns what identifies an element; nil if nothing does.
    init(of after: [JSON], in before: [JSON], by identity: (JSON) -> JSON?) {
        self.places = Array(repeating: nil, count: after.count)
        var isFree = Array(repeating: true, count: before.count)
        let (old, new) = (before.map(identity), after.map(identity))
        let hasKeys = Self.areDistinct(old) && Self.areDistinct(new)
        if hasKeys { self.match(new, in: old, &isFree) }
        // An element with a key is another one than an element with another key.
        let (left, right) = (
            before.indices.filter { isFree[$0] && !(hasKeys && old[$0] != nil) },
            after.indices.filter { self.places[$0] == nil && !(hasKeys && new[$0] != nil) }
        )
        self.match(right, of: after, left, of: before, &isFree)
        self.matchBetween(right, of: after, left, of: before, &isFree)
        self.removed = before.indices.filter { isFree[$0] }
        for (place, match) in self.places.enumerated() {
            if let match, after[place] == before[match] { self.unchanged.insert(match) }
        }
    }

    private static func areDistinct(_ keys: [JSON?]) -> Bool {
        let keys = keys.compactMap { $0 }
        return Set(keys).count == keys.count
    }

    private mutating func match(_ new: [JSON?], in old: [JSON?], _ isFree: inout [Bool]) {
        var known: [JSON: Int] = [:]
        for (place, key) in old.enumerated() { if let key { known[key] = place } }
        for (place, key) in new.enumerated() {
            guard let match = key.flatMap({ known[$0] }) else { continue }
            self.places[place] = match
            isFree[match] = false
        }
    }

    /// Matches equal elements: first those at both ends, so that of equal elements the ones that stayed are found.
    private mutating func match(
        _ new: [Int], of after: [JSON], _ old: [Int], of before: [JSON], _ isFree: inout [Bool]
    ) {
        let shorter = min(new.count, old.count)
        let start = (0..<shorter).prefix { after[new[$0]] == before[old[$0]] }.count
        let end = (0..<(shorter - start)).prefix { place in
            after[new[new.count - 1 - place]] == before[old[old.count - 1 - place]]
        }.count
        for place in 0..<start { self.take(old[place], for: new[place], &isFree) }
        for place in 0..<end { self.take(old[old.count - 1 - place], for: new[new.count - 1 - place], &isFree) }
        var known: [JSON: [Int]] = [:]
        for place in old[start..<(old.count - end)].reversed() { known[before[place], default: []].append(place) }
        for place in new[start..<(new.count - end)] {
            if let match = known[after[place]]?.popLast() { self.take(match, for: place, &isFree) }
        }
    }

    /// Matches changed elements: those that follow the same matched element, if their number stayed the same; or the only one
    /// that is left.
    private mutating func matchBetween(
        _ new: [Int], of after: [JSON], _ old: [Int], of before: [JSON], _ isFree: inout [Bool]
    ) {
        var (stretches, anchor) = ([Int: [Int]](), -1)
        for place in before.indices {
            if isFree[place] { stretches[anchor, default: []].append(place) } else { anchor = place }
        }
        let isOld = Set(old)
        var changed: [Int: [Int]] = [:]
        anchor = -1
        for place in after.indices {
            if let match = self.places[place] { anchor = match } else { changed[anchor, default: []].append(place) }
        }
        let isNew = Set(new)
        for (anchor, places) in changed {
            let (mine, theirs) = (
                places.filter { isNew.contains($0) }, (stretches[anchor] ?? []).filter { isOld.contains($0) }
            )
            guard mine.count == theirs.count else { continue }
            for (place, match) in zip(mine, theirs) where after[place].kindOfValue == before[match].kindOfValue {
                self.take(match, for: place, &isFree)
            }
        }
        let (mine, theirs) = (new.filter { self.places[$0] == nil }, old.filter { isFree[$0] })
        guard mine.count == 1, theirs.count == 1, after[mine[0]].kindOfValue == before[theirs[0]].kindOfValue else {
            return
        }
        self.take(theirs[0], for: mine[0], &isFree)
    }

    private mutating func take(_ match: Int, for place: Int, _ isFree: inout [Bool]) {
        self.places[place] = match
        isFree[match] = false
    }
}

/// The order of an array of the record after a change.
struct ArrayOrder {
    /// An element of the array.
    enum Item {
        /// The element at an index of the record, which the type does not see.
        case hidden(Int)
        /// The element at an index after the change.
        case after(Int)
    }

    /// The elements, in their order.
    private(set) var items: [Item] = []

    /// Orders the elements. If the change moved none, they stay in the order of the record, and new ones follow the element
    /// that they follow for the type; otherwise they have the order of the change.
    ///
    /// An element that the type does not see stays behind the one before it, or at the start. One that is equal, for the type,
    /// to an element that was removed or changed is removed with it.
    init(_ origins: ArrayOrigins, _ matches: ArrayMatches, count: Int) {
        // New elements, behind the element after the change that they follow; -1 is the start.
        var (added, last) = ([Int: [Item]](), -1)
        var placeOfOrigin: [Int: Int] = [:]
        var kept: [Int] = []
        for (place, match) in matches.places.enumerated() {
            if let match, let origin = origins.places[match] {
                placeOfOrigin[origin] = place
                kept.append(match)
                last = place
            } else {
                added[last, default: []].append(.after(place))
            }
        }
        let isMoved = zip(kept, kept.dropFirst()).contains { $0 > $1 }
        let isKept = Set(kept)
        // Elements of the record behind which others stay, and those others.
        var (hidden, front) = ([Int: [Item]](), -1)
        for place in 0..<count {
            if let after = placeOfOrigin[place] {
                front = after
            } else if origins.seen[place].map(matches.unchanged.contains) ?? true {
                hidden[front, default: []].append(.hidden(place))
            }
        }
        let order =
            isMoved
            ? matches.places.indices.filter { matches.places[$0].map(isKept.contains) ?? false }
            : (0..<count).compactMap { placeOfOrigin[$0] }
        self.items = (added[-1] ?? []) + (hidden[-1] ?? [])
        for place in order {
            self.items.append(.after(place))
            self.items += (added[place] ?? []) + (hidden[place] ?? [])
        }
    }
}
