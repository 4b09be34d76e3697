/// What the day is to be like.
struct Settings: Sendable {
    /// The tool whose `serve` is run.
    var tool = ""
    /// The database.
    var store = ""
    /// How long there is trouble.
    var seconds = 20
    /// From which everybody's choices are drawn; when each comes to pass is not in it.
    var seed: UInt64 = 1
    /// How many server processes there are.
    var servers = 3
    /// How many write.
    var writers = 8

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)[...]
        while let name = words.popFirst() {
            guard let value = words.popFirst() else { throw WrongUsage("\(name) needs a value") }
            switch name {
            case "--tool": self.tool = value
            case "--store": self.store = value
            case "--seconds": self.seconds = try Self.number(value, of: name)
            case "--seed": self.seed = UInt64(try Self.number(value, of: name))
            case "--servers": self.servers = try Self.number(value, of: name)
            case "--writers": self.writers = try Self.number(value, of: name)
            default: throw WrongUsage("\(name) is not known")
            }
        }
        guard !self.tool.isEmpty, !self.store.isEmpty else { throw WrongUsage("--tool and --store are needed") }
    }

    private static func number(_ text: String, of name: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw WrongUsage("\(name) needs a number above 0") }
        return number
    }
}

/// Why the words make no sense.
struct WrongUsage: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) {
        self.description = what
    }
}
