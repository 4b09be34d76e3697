/// The code that is fuzzed, by the folder of its inputs in `Fuzz/Corpus`.
package enum Subject: String, CaseIterable, Sendable {
    case answer, gzip, json, loopback, merge, patch, query, rules, server

    /// Checks all laws of the subject for an input.
    package func examine(_ input: [UInt8]) {
        switch self {
        case .answer: AnswerSubject.examine(input)
        case .gzip: GzipSubject.examine(input)
        case .json: JSONSubject.examine(input)
        case .loopback: LoopbackSubject.examine(input)
        case .merge: MergeSubject.examine(input)
        case .patch: PatchSubject.examine(input)
        case .query: QuerySubject.examine(input)
        case .rules: RulesSubject.examine(input)
        case .server: ServerSubject.examine(input)
        }
    }
}

extension Sequence<UInt8> {
    /// The lines; an end of line is part of none.
    var lines: [ArraySlice<UInt8>] {
        Array(self).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// The text; invalid UTF-8 in it is replaced.
    var repairedText: String { String(decoding: Array(self), as: UTF8.self) }
}
