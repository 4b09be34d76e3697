import FuzzSubjects

extension Subject {
    /// The subject that `--subject=NAME` among the arguments names. libFuzzer ignores arguments that begin with two hyphens.
    static let chosen: Subject = {
        let option = "--subject="
        let names = CommandLine.arguments.filter { $0.hasPrefix(option) }.map { $0.dropFirst(option.count) }
        guard let name = names.first, let subject = Subject(rawValue: String(name)) else {
            fatalError("say one of \(Subject.allCases.map(\.rawValue)) with \(option)")
        }
        return subject
    }()
}
