import Tidemark

/// `tidemark import`: makes or changes records from a file, all of it or nothing.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "make or change records from a file of JSON objects"
    static let parameters = [Parameter.collection, .required("FILE", .file)]
    static let options = [Option.store, Self.pk, Self.maxSize]
    static let example = "tidemark import --store phone.db notes notes.json --pk id"

    private static let pk = Option(
        name: "--pk", value: "FIELD", summary: "the member that names a record: a string or a whole number",
        isRequired: true)
    private static let maxSize = Option(
        name: "--max-size", value: "SIZE", summary: "how large the file may be; 1GiB when left out")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let limit = try input.size(Self.maxSize) ?? 1 << 30
        let file = try InputFile(try input.required(1), warn: console.say)
        let name = try input.required(0)
        var batch = ImportBatch(field: try input.required(Self.pk), file: file.name)
        try ImportReader(file, limit: limit, warn: console.say).read { (element, place) throws(CommandFailure) in
            try batch.add(element, place)
        }

        let collection = try OpenStore(input, .madeIfMissing).collection(name)
        var changed: [(pk: String, content: JSON)] = []
        for record in batch.records where try await collection[record.pk].get() != record.content {
            changed.append(record)
        }
        let count = try await collection.upsert(changed)
        let unchanged = batch.records.count - changed.count
        console.say("\(name): created \(count.created), edited \(count.edited), unchanged \(unchanged)")
        return .success
    }
}
