/// What libFuzzer calls with each input. It exits 0 always: what breaks a law ends the process, and that is what is
/// looked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func examineOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    Subject.chosen.examine(input)
    return 0
}

/// Ends the process where something does not hold that always does. The words say what was promised.
func law(_ promise: String, _ holds: () throws -> Bool) {
    do {
        guard try holds() else {
            fatalError("broken: \(promise)")
        }
    } catch {
        fatalError("broken: \(promise); it threw: \(error)")
    }
}

/// What is fuzzed; `--subject=NAME` among the arguments chooses. libFuzzer leaves alone what begins with two hyphens.
enum Subject: String, CaseIterable {
    case answer, gzip, json, merge, patch, query, rules, server

    static let chosen: Subject = {
        let option = "--subject="
        let names = CommandLine.arguments.filter { $0.hasPrefix(option) }.map { $0.dropFirst(option.count) }
        guard let name = names.first, let subject = Subject(rawValue: String(name)) else {
            fatalError("say one of \(Subject.allCases.map(\.rawValue)) with \(option)")
        }
        return subject
    }()

    func examine(_ input: [UInt8]) {
        switch self {
        case .answer: AnswerSubject.examine(input)
        case .gzip: GzipSubject.examine(input)
        case .json: JSONSubject.examine(input)
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

    /// The text; what is not UTF-8 in it is replaced.
    var repairedText: String { String(decoding: Array(self), as: UTF8.self) }
}
