import Tidemark

/// `tidemark create`: creates a record.
enum CreateCommand: Command {
    static let name = "create"
    static let summary = "create a record"
    static let parameters = [Parameter.collection, .required("PK"), .optional("JSON", .json)]
    static let options = [Option.store, Self.pk]
    static let example = #"tidemark create --store phone.db notes 42 '{"title":"Milk"}'"#

    private static let pk = Option(
        name: "--pk", value: "PK",
        summary: "the pk, in place of the argument: tidemark create … COLLECTION JSON --pk PK")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let option = input.value(Self.pk)
        if option != nil, let extra = input.position(2) {
            throw UsageError("“\(extra)” is one argument too many: --pk has the pk already", for: Self.self)
        }
        let content = try input.json(option == nil ? 2 : 1, console)
        let pk = if let option { option } else { try input.required(1) }
        let store = try await OpenStore(input, .madeIfMissing)
        try await store.collection(try input.required(0)).create(content, pk: pk)
        return .success
    }
}

extension Arguments {
    /// The JSON of an argument; `-` is standard input.
    func json(_ place: Int, _ console: Console) throws -> JSON {
        if try self.required(place) == "-" { return try InputText("-", console).json(console) }
        let text = InputText(Array(try self.required(place).utf8), named: "(the JSON typed)")
        do throws(CommandFailure) {
            return try text.json(console)
        } catch {
            // In most cases the shell has removed the quotes.
            console.say("tidemark: \(error)")
            throw CommandFailure(#"put single quotes around JSON, and double ones around its strings: '"Milk"'"#)
        }
    }
}
