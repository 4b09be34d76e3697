import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Queries as the documentation describes them, written without the code that they are compared with, and as slow as they like.

/// A condition.
indirect enum NaiveCondition {
    case compare(String, String, JSON)
    case isIn(String, [JSON])
    case startsWith(String, String)
    case contains(String, JSON, ignoringCase: Bool)
    case exists(String)
    case pending, held
    case state(SyncState)
    case and(NaiveCondition, NaiveCondition)
    case or(NaiveCondition, NaiveCondition)
    case not(NaiveCondition)

    func holds(_ record: NaiveRecord) -> Bool {
        let content = record.content
        func any(_ path: String, _ test: (JSON) -> Bool) -> Bool {
            NaiveValue.at(path, in: content).contains(where: test)
        }
        switch self {
        case .compare(let path, let name, let value):
            return any(path) { NaiveValue.holds($0, name, value) } != (name == "!=")
        case .isIn(let path, let values): return any(path) { one in values.contains { NaiveValue.isEqual(one, $0) } }
        case .startsWith(let path, let text):
            return any(path) {
                Array(($0.string ?? "").utf8).prefix(text.utf8.count) == Array(text.utf8)[...] && $0.string != nil
            }
        case .contains(let path, let value, let ignoringCase):
            return any(path) { NaiveValue.contains($0, value, ignoringCase) }
        case .exists(let path): return any(path) { _ in true }
        case .pending: return record.phase != .synced
        case .held: return record.phase.description.hasSuffix(".held")
        case .state(let state): return record.phase.description.hasPrefix(state.rawValue)
        case .and(let left, let right): return left.holds(record) && right.holds(record)
        case .or(let left, let right): return left.holds(record) || right.holds(record)
        case .not(let inner): return !inner.holds(record)
        }
    }

    /// The same condition by the operators of the library.
    var condition: RecordQuery.Condition {
        func field(_ path: String) -> JSONField<JSON> { JSONField(path) }
        switch self {
        case .compare(let path, "=", let value): return field(path) == value
        case .compare(let path, "!=", let value): return field(path) != value
        case .compare(let path, "<", let value): return field(path) < value
        case .compare(let path, "<=", let value): return field(path) <= value
        case .compare(let path, ">", let value): return field(path) > value
        case .compare(let path, _, let value): return field(path) >= value
        case .isIn(let path, let values): return field(path).isIn(values)
        case .startsWith(let path, let text): return field(path).startsWith(text)
        case .contains(let path, let value, let ignoringCase):
            return field(path).contains(value, ignoringCase: ignoringCase)
        case .exists(let path): return field(path).exists
        case .pending: return .pending
        case .held: return .held
        case .state(let state): return .state(state)
        case .and(let left, let right): return left.condition && right.condition
        case .or(let left, let right): return left.condition || right.condition
        case .not(let inner): return !inner.condition
        }
    }

    /// The parts, for a smaller condition that may fail as well.
    var parts: [NaiveCondition] {
        switch self {
        case .and(let left, let right), .or(let left, let right): [left, right]
        case .not(let inner): [inner]
        case .isIn(let path, let values) where values.count > 1: values.map { .isIn(path, [$0]) }
        default: []
        }
    }
}

/// Values as queries compare them.
enum NaiveValue {
    /// missing < null < false < true < numbers < texts < arrays < objects.
    static func rank(_ value: JSON?) -> Int {
        guard let value else { return 0 }
        if value.number != nil { return 4 }
        if value.string != nil { return 5 }
        if value.array != nil { return 6 }
        if value.object != nil { return 7 }
        return value.bool.map { $0 ? 3 : 2 } ?? 1
    }

    /// Below 0, 0 or above 0; containers are equal among themselves.
    static func compare(_ left: JSON?, _ right: JSON?, bytes: Int) -> Int {
        if self.rank(left) != self.rank(right) { return self.rank(left) < self.rank(right) ? -1 : 1 }
        if let left = left?.number?.text, let right = right?.number?.text { return self.compareNumbers(left, right) }
        guard let left = left?.string, let right = right?.string else { return 0 }
        let (one, other) = (Array(left.utf8.prefix(bytes)), Array(right.utf8.prefix(bytes)))
        return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    }

    /// Numbers with exponents up to a few hundred, digit by digit.
    private static func compareNumbers(_ left: String, _ right: String) -> Int {
        func digits(_ text: String) -> (isNegative: Bool, digits: [UInt8]) {
            var room = [UInt8](repeating: 0, count: 2_000)
            let halves = text.lowercased().split(separator: "e")
            let sides = halves[0].drop { $0 == "-" }.split(separator: ".")
            let fraction = sides.count > 1 ? sides[1] : ""
            let all = Array((sides[0] + fraction).utf8)
            let last = 1_000 + fraction.count - (halves.count > 1 ? Int(halves[1].drop { $0 == "+" }) ?? 0 : 0)
            for (place, digit) in all.reversed().enumerated() { room[last - place] = digit - UInt8(ascii: "0") }
            return (text.hasPrefix("-") && room.contains { $0 != 0 }, room)
        }
        let (one, other) = (digits(left), digits(right))
        guard one.isNegative == other.isNegative else { return one.isNegative ? -1 : 1 }
        if one.digits == other.digits { return 0 }
        return one.digits.lexicographicallyPrecedes(other.digits) != one.isNegative ? -1 : 1
    }

    static func isEqual(_ left: JSON, _ right: JSON) -> Bool {
        guard self.compare(left, right, bytes: .max) == 0 else { return false }
        if let one = left.array, let other = right.array {
            return one.count == other.count && zip(one, other).allSatisfy { self.isEqual($0, $1) }
        }
        guard let one = left.object, let other = right.object else { return true }
        return one.count == other.count
            && one.allSatisfy { name, value in other[name].map { self.isEqual(value, $0) } ?? false }
    }

    static func holds(_ value: JSON, _ name: String, _ other: JSON) -> Bool {
        if name == "=" || name == "!=" { return self.isEqual(value, other) }
        let kinds = [self.rank(value), self.rank(other)].map { $0 == 2 ? 3 : $0 }
        guard kinds[0] == kinds[1], 3...5 ~= kinds[0] else { return self.isEqual(value, other) && name.hasSuffix("=") }
        let order = self.compare(value, other, bytes: .max)
        return name.hasPrefix("<") ? order < 0 || order == 0 && name == "<=" : order > 0 || order == 0 && name == ">="
    }

    static func contains(_ value: JSON, _ part: JSON, _ ignoringCase: Bool) -> Bool {
        func folded(_ json: JSON) -> JSON { ignoringCase ? json.string.map { JSON($0.lowercased()) } ?? json : json }
        if let elements = value.array { return elements.contains { self.isEqual(folded($0), folded(part)) } }
        guard let text = folded(value).string.map({ Array($0.utf8) }),
            let part = folded(part).string.map({ Array($0.utf8) })
        else { return false }
        return text.count >= part.count
            && (0...(text.count - part.count)).contains { text.dropFirst($0).starts(with: part) }
    }

    /// The values at a path.
    static func at(_ path: String, in content: JSON?) -> [JSON] {
        var values = content.map { [$0] } ?? []
        for step in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = String(step.replacing("~1", with: "/").replacing("~0", with: "~"))
            values = values.flatMap { value -> [JSON] in
                guard let elements = value.array else {
                    return name == "*" ? [] : value.object?[name].map { [$0] } ?? []
                }
                if name == "*" { return elements }
                guard let number = Int(name), elements.indices.contains(number), String(number) == name else {
                    return []
                }
                return [elements[number]]
            }
        }
        return values
    }
}

/// A record of a page; one that is damaged has no content.
struct NaiveRecord {
    let pk: String
    let phase: RecordPhase
    let content: JSON?
}

extension RecordPage<JSON> {
    /// All records of the page, the unreadable ones last.
    var naive: [NaiveRecord] {
        self.records.map { NaiveRecord(pk: $0.pk, phase: $0.phase, content: $0.value) }
            + self.unreadable.map { NaiveRecord(pk: $0.pk, phase: $0.phase, content: nil) }
    }
}
