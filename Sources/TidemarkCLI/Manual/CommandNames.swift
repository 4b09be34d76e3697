/// The names of the commands, as shells complete them: first words, and the second words of groups.
struct CommandNames {
    /// The first words, each once, with their summaries.
    private(set) var first: [(word: String, summary: String)] = []

    /// The groups: a first word, and its second words.
    private(set) var groups: [(word: String, second: [(word: String, summary: String)])] = []

    init(_ commands: [any Command.Type]) {
        for command in commands {
            let words = Commands.words(of: command)
            guard words.count > 1 else {
                self.first.append((words[0], command.summary))
                continue
            }
            let entry = (words[1], command.summary)
            if let index = self.groups.firstIndex(where: { $0.word == words[0] }) {
                self.groups[index].second.append(entry)
            } else {
                self.groups.append((words[0], [entry]))
            }
        }
        for group in self.groups {
            self.first.append((group.word, "one of: \(group.second.map(\.word).joined(separator: ", "))"))
        }
    }
}
