extension Tape {
    /// Whether a value equals that of another tape.
    func isEqual(at place: Int, to other: Tape, at there: Int) -> Bool {
        self.read { mine in
            other.read { theirs in
                // Equal bytes are equal values, so they are compared first.
                let (left, right) = (mine[place], theirs[there])
                if left.kind == right.kind, unsafe mine.token(left).isEqual(to: theirs.token(right)) { return true }
                return mine.isEqual(at: place, to: theirs, at: there)
            }
        }
    }
}

extension TapeView {
    /// Whether a value equals that of another tape (Contract §4).
    func isEqual(at place: Int, to other: TapeView, at there: Int) -> Bool {
        let (mine, theirs) = (self[place], other[there])
        guard mine.kind == theirs.kind else { return false }
        switch mine.kind {
        case TapeNode.Kind.number: return self.isSameNumber(mine, other, theirs)
        case TapeNode.Kind.string: return self.isSameString(mine, other, theirs)
        case TapeNode.Kind.array: return self.isSameArray(place, other, there)
        case TapeNode.Kind.object: return self.isSameObject(place, other, there)
        default: return true
        }
    }

    private func isSameArray(_ place: Int, _ other: TapeView, _ there: Int) -> Bool {
        guard self[place].count == other[there].count else { return false }
        var (mine, theirs) = (place + 1, there + 1)
        for _ in 0..<self[place].count {
            guard self.isEqual(at: mine, to: other, at: theirs) else { return false }
            mine += self.size(mine)
            theirs += other.size(theirs)
        }
        return true
    }

    /// Usually both have the same keys in the same order, and no key has to be looked up.
    private func isSameObject(_ place: Int, _ other: TapeView, _ there: Int) -> Bool {
        guard self[place].count == other[there].count else { return false }
        var (mine, theirs) = (place + 1, there + 1)
        for _ in 0..<self[place].count {
            var found = theirs
            if !self.isSameKey(mine, other, theirs) {
                guard let key = other.key(mine, of: self, in: there) else { return false }
                found = key
            }
            guard self.isEqual(at: mine + 1, to: other, at: found + 1) else { return false }
            mine += 1 + self.size(mine + 1)
            theirs += 1 + other.size(theirs + 1)
        }
        return true
    }

    /// Whether two numbers have the same decimal value. For whole numbers the digits decide, and for fractions the digits
    /// without trailing zeros; only an exponent needs a conversion.
    func isSameNumber(_ mine: TapeNode, _ other: TapeView, _ theirs: TapeNode) -> Bool {
        if unsafe self.token(mine).isEqual(to: other.token(theirs)) { return true }
        guard mine.info & theirs.info & TapeNode.Flag.plainInteger == 0 else { return false }
        guard (mine.info | theirs.info) & TapeNode.Flag.exponent != 0 else {
            return unsafe self.significant(mine).isEqual(to: other.significant(theirs))
        }
        return JSONNumber(mine, of: self) == JSONNumber(theirs, of: other)
    }

    /// The text of a number without an exponent, without trailing zeros of a fraction, and zero without a sign.
    private func significant(_ node: TapeNode) -> UnsafeBufferPointer<UInt8> {
        let text = unsafe self.token(node)
        var end = text.count
        if !node.has(TapeNode.Flag.plainInteger), unsafe text.contains(UInt8(ascii: ".")) {
            while unsafe text[end - 1] == UInt8(ascii: "0") { end -= 1 }
            if unsafe text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        }
        let isNegativeZero = unsafe end == 2 && text[0] == UInt8(ascii: "-") && text[1] == UInt8(ascii: "0")
        return unsafe UnsafeBufferPointer(rebasing: text[(isNegativeZero ? 1 : 0)..<end])
    }
}
