/// The settings of a run.
struct Settings: Sendable {
    /// The tool whose `serve` command is run.
    var tool = ""
    /// The database.
    var store = ""
    /// The duration of the faults.
    var seconds = 20
    /// The seed of all random choices; their timing is not reproducible.
    var seed: UInt64 = 1
    /// The number of server processes.
    var servers = 3
    /// The number of writers.
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
            default: throw WrongUsage("\(name) is unknown")
            }
        }
        guard !self.tool.isEmpty, !self.store.isEmpty else { throw WrongUsage("--tool and --store are needed") }
    }

    private static func number(_ text: String, of name: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw WrongUsage("\(name) needs a number above 0") }
        return number
    }
}

/// Why the arguments are invalid.
struct WrongUsage: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) {
        self.description = what
    }
}
