import Synchronization
import Tidemark
import TidemarkJSONStream

/// `tidemark import`: creates or changes the records of a file, all or none.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "create or change records from a file of JSON objects"
    static let parameters = [Parameter.collection, .required("FILE", .file)]
    static let options = [Option.store, Self.pk, Self.array, Self.maxSize]
    static let example = "tidemark import --store phone.db notes notes.json --pk id"

    private static let pk = Option(
        name: "--pk", value: "FIELD", summary: "the member with the pk: a string or a whole number",
        isRequired: true)
    private static let array = Option(
        name: "--at", value: "POINTER", summary: "the array with the records, such as /records; default: the whole file"
    )
    private static let maxSize = Option(
        name: "--max-size", value: "SIZE", summary: "the largest record; default 64MiB")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let content = try Self.content(input.value(Self.array))
        var limits = JSON.Limits.default
        limits.bytes = try input.size(Self.maxSize) ?? limits.bytes
        let file = try InputFile(try input.required(1), warn: console.say)
        let (fileName, size) = (file.name, file.size)
        let name = try input.required(0)
        let bar = ProgressBar(console)
        defer { bar.finish() }
        let elements = FileElements(file, content, limits: limits) { count in
            bar.show(count, of: size, "\(fileName): read \(ByteSize.inWords(count))")
        }
        let source = Mutex(
            ImportSource(elements, field: try input.required(Self.pk), warn: console.say))
        let collection = try await OpenStore(input, .madeIfMissing).collection(name)
        let count: SyncCollection.UpsertCount
        do throws(TidemarkError) {
            count = try await collection.upsert(from: { () throws(TidemarkError) in
                do throws(CommandFailure) {
                    return try source.withLock { (source) throws(CommandFailure) in try source.next() }
                } catch {
                    throw TidemarkError(.invalidContent, error.description, cause: error)
                }
            })
        } catch {
            throw (error.cause as? CommandFailure) ?? error as any Error
        }
        bar.finish()
        console.say("\(name): created \(count.created), edited \(count.edited), unchanged \(count.unchanged)")
        return .success
    }
    private static func content(_ pointer: String?) throws(UsageError) -> JSONStreamContent {
        do throws(JSONError) {
            return try pointer.map { (text) throws(JSONError) in .array(at: try JSONPointer(parsing: text)) }
                ?? .automatic
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }
}
