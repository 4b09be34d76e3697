/// All observable facts of the devices of a run, as one hash for each kind of fact.
///
/// Two builds that do the same have the same hashes, whatever their code looks like: a change that is meant to change no behavior
/// is compared with the build before it. Texts for the user are left out. A name that the change renames is mapped to the former
/// one.
package final class SimulationTranscript {
    /// A kind of fact. Each has a separate hash, which shows where two builds differ.
    package enum Kind: String, CaseIterable, Sendable {
        /// Every request, with its cursors and the bytes of its edits.
        case requests

        /// Every transition of the machines of records and exchanges.
        case traces

        /// Everything that the app is notified of, the reports of syncs, the wake-ups, and the open conflicts after each sync.
        case effects

        /// The journals in the end.
        case journals

        /// The stores in the end, and the waiting records after each sync.
        case stores
    }

    /// The names that were renamed, by the present name.
    private let formerNames: [[UInt8]: [UInt8]]

    private let report: ((String) -> Void)?
    private var digests: [SimulationDigest]

    /// Makes an empty transcript.
    ///
    /// - Parameters:
    ///   - renames: The names that have changed, each with its former name, by the present name: of events, actions, phases,
    ///     reasons, codes, or members of stored JSON.
    ///   - report: Called with each fact as a line of text.
    package init(renames: [String: String] = [:], report: ((String) -> Void)? = nil) {
        self.formerNames = Dictionary(
            renames.map { (Array($0.key.utf8), Array($0.value.utf8)) }, uniquingKeysWith: { first, _ in first })
        self.report = report
        self.digests = Kind.allCases.map { _ in SimulationDigest() }
    }

    /// The hashes, in the order of the kinds.
    package var hashes: [String] { self.digests.map(\.text) }

    /// Adds a fact: words and JSON texts. Nil is a value that is missing.
    package func add(_ kind: Kind, _ parts: [[UInt8]?]) {
        let line = self.mapped(
            Array(parts.map { $0 ?? Self.nothing }.joined(separator: CollectionOfOne(Self.separator))))
        self.digests[Self.place(of: kind)].add(line)
        self.report?("\(kind.rawValue)\t\(String(decoding: line, as: UTF8.self))")
    }

    /// Adds a fact of words.
    package func add(_ kind: Kind, _ words: String?...) {
        self.add(kind, words.map { $0.map { Array($0.utf8) } })
    }

    private static let separator = UInt8(ascii: "\t")
    private static let nothing = Array("nil".utf8)

    private static func place(of kind: Kind) -> Int {
        switch kind {
        case .requests: 0
        case .traces: 1
        case .effects: 2
        case .journals: 3
        case .stores: 4
        }
    }

    /// Returns the line with the former names. A name is a longest sequence of letters, digits, `_` and `-`.
    private func mapped(_ line: [UInt8]) -> [UInt8] {
        guard !self.formerNames.isEmpty else { return line }
        var mapped: [UInt8] = []
        var rest = line[...]
        while !rest.isEmpty {
            let name = Array(rest.prefix { $0.isPartOfName })
            mapped += self.formerNames[name] ?? name
            rest = rest.dropFirst(name.count)
            mapped += rest.prefix(1)
            rest = rest.dropFirst()
        }
        return mapped
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        case _: false
        }
    }
}
