import TidemarkJSON

/// A three-way merge of text.
struct TextMerge {
    /// The merged text.
    private(set) var text = ""

    /// Whether both sides changed the same words; then the client's words win.
    private(set) var hasClash = false

    private let edits: Int

    /// Merges by line, and by word if both sides changed the same lines; nil when there are too many edits.
    init?(_ base: String, _ server: String, _ client: String, edits: Int) {
        self.edits = edits
        let sides = Sides(base: Self.lines(base), server: Self.lines(server), client: Self.lines(client))
        guard let lines = self.merge(sides, settle: { $0.mergeLines($1) }) else { return nil }
        self.text = lines.map(\.value).joined(separator: "\n")
    }

    /// Lines or words of a stretch.
    private struct Sides {
        var base: ArraySlice<CodePointString>
        var server: ArraySlice<CodePointString>
        var client: ArraySlice<CodePointString>

        init(base: [CodePointString], server: [CodePointString], client: [CodePointString]) {
            (self.base, self.server, self.client) = (base[...], server[...], client[...])
        }

        func stretch(_ base: Range<Int>, _ server: Range<Int>, _ client: Range<Int>) -> Sides {
            Sides(base: Array(self.base[base]), server: Array(self.server[server]), client: Array(self.client[client]))
        }

        func joined(_ side: KeyPath<Sides, ArraySlice<CodePointString>>) -> [CodePointString] {
            TextMerge.words(self[keyPath: side].map(\.value).joined(separator: "\n"))
        }
    }

    private typealias Settle = (inout TextMerge, Sides) -> [CodePointString]

    /// Takes each stretch from the side that changed it, and settles the stretches that both changed.
    private mutating func merge(_ sides: Sides, settle: Settle) -> [CodePointString]? {
        guard let theirs = EditScript(from: Array(sides.base), to: Array(sides.server), limit: self.edits),
            let ours = EditScript(from: Array(sides.base), to: Array(sides.client), limit: self.edits)
        else { return nil }
        var merged: [CodePointString] = []
        var place = 0
        for region in ThreeWay(server: theirs, client: ours).regions {
            merged += sides.base[place..<region.base.lowerBound]
            place = region.base.upperBound
            switch (region.server, region.client) {
            case (.some(let server), .some(let client)):
                let stretch = sides.stretch(region.base, server, client)
                merged += stretch.server == stretch.client ? Array(stretch.client) : settle(&self, stretch)
            case (.some(let server), nil): merged += sides.server[server]
            case (nil, .some(let client)): merged += sides.client[client]
            case (nil, nil): break
            }
        }
        return merged + sides.base[place...]
    }

    private mutating func mergeLines(_ sides: Sides) -> [CodePointString] {
        if sides.base.isEmpty { return Array(Insertions.both(sides.server, sides.client)) }
        // No line and an empty line are different, but have the same words.
        guard !sides.server.isEmpty, !sides.client.isEmpty else { return self.clash(sides) }
        let words = Sides(
            base: sides.joined(\.base), server: sides.joined(\.server), client: sides.joined(\.client))
        guard let merged = self.merge(words, settle: { $0.mergeWords($1) }), !Self.isGlued(merged) else {
            return self.clash(sides)
        }
        return [CodePointString(merged.map(\.value).joined())]
    }

    private mutating func mergeWords(_ sides: Sides) -> [CodePointString] {
        guard sides.base.isEmpty else { return self.clash(sides) }
        let both = Insertions.both(sides.server, sides.client)
        // Two words must not become one: two different insertions whose words would touch are a clash.
        let isGlued = both.count == sides.server.count + sides.client.count && Self.isGlued(sides)
        return isGlued ? self.clash(sides) : Array(both)
    }

    private mutating func clash(_ sides: Sides) -> [CodePointString] {
        self.hasClash = true
        return Array(sides.client)
    }
}

// MARK: - Lines and words

extension TextMerge {
    private static func lines(_ text: String) -> [CodePointString] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            CodePointString(String($0))
        }
    }

    /// Runs of letters and digits, runs of white space, and every other character alone; so is each character of a script
    /// that has no blanks between words. A combining mark belongs to the character that it marks.
    private static func words(_ text: String) -> [CodePointString] {
        var words: [String] = []
        var last = Kind.mark
        for character in text {
            let kind = Kind(character)
            if kind != .mark, kind == last {
                words[words.count - 1].append(character)
            } else {
                words.append(String(character))
            }
            last = kind
        }
        return words.map { CodePointString($0) }
    }

    private enum Kind {
        case letter
        case space
        case mark

        init(_ character: Character) {
            let isOfWord = (character.isLetter || character.isNumber) && !UnspacedScripts.contain(character)
            self = isOfWord ? .letter : character.isWhitespace ? .space : .mark
        }
    }

    private static func isGlued(_ sides: Sides) -> Bool {
        guard let left = sides.server.last, let right = sides.client.first else { return false }
        return Self.touch(left, right)
    }

    /// Whether two words touch that were apart on both sides, such as an insertion of one side next to a replacement of
    /// the other. No side has two words that touch, since those would be one word.
    private static func isGlued(_ words: [CodePointString]) -> Bool {
        zip(words, words.dropFirst()).contains { Self.touch($0, $1) }
    }

    private static func touch(_ left: CodePointString, _ right: CodePointString) -> Bool {
        guard let last = left.value.last, let first = right.value.first else { return false }
        return Kind(last) == .letter && Kind(first) == .letter
    }
}
