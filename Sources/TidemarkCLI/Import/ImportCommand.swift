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

    /// How many records are compared between two looks of the bar.
    private static let step = 500

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let limit = try input.size(Self.maxSize) ?? 1 << 30
        let file = try InputFile(try input.required(1), warn: console.say)
        let name = try input.required(0)
        var batch = ImportBatch(field: try input.required(Self.pk), file: file.name)
        let bar = ProgressBar(console)
        defer { bar.finish() }
        let reader = ImportReader(file, limit: limit, warn: console.say) { count in
            bar.show(count, of: file.size, "\(file.name): read \(ByteSize.inWords(count))")
        }
        try reader.read { (element, place) throws(CommandFailure) in try batch.add(element, place) }

        let collection = try OpenStore(input, .madeIfMissing).collection(name)
        var changed: [NamedContent] = []
        for (number, record) in batch.records.enumerated() {
            if number.isMultiple(of: Self.step) {
                bar.show(number, of: batch.records.count, "\(name): compared \(number) of \(batch.records.count)")
            }
            if try await collection[record.pk].get() != record.content { changed.append(record) }
        }
        bar.show(batch.records.count, of: batch.records.count, "\(name): storing \(changed.count)")
        let count = try await collection.upsert(changed)
        bar.finish()
        let unchanged = batch.records.count - changed.count
        console.say("\(name): created \(count.created), edited \(count.edited), unchanged \(unchanged)")
        return .success
    }
}
