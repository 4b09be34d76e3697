import Synchronization
import Tidemark
import TidemarkJSONStream

/// `tidemark import`: creates the records of a file, or replaces their contents, all or none.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "create records from a file; known ones are replaced"
    static let parameters = [Parameter.collection, .required("FILE", .file)]
    static let options = [Option.store, Self.pk, Self.byKey, Self.place, Self.merge, Self.maxSize]
    static let example = "tidemark import --store phone.db notes notes.json --pk id"

    private static let pk = Option(
        name: "--pk", value: "FIELD",
        summary:
            "the member with the pk, a string or a whole number: a name, or a pointer such as /_id/$oid; default: the file is "
            + "one of tidemark export")
    private static let byKey = Option(
        name: "--by-key", summary: "the records are the members of one object, and their keys are the pks")
    private static let place = Option(
        name: "--at", value: "POINTER",
        summary: "the array (with --by-key, the object) with the records, such as /records; default: the whole file")
    private static let merge = Option(
        name: "--merge",
        summary:
            "keep the members that the file does not name, at every depth; default: a known record is replaced as a whole"
    )
    private static let maxSize = Option(
        name: "--max-size", value: "SIZE", summary: "the largest record; default 64MiB")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let form = try Self.form(input)
        var limits = JSON.Limits.default
        limits.bytes = try input.size(Self.maxSize) ?? limits.bytes
        let file = try InputFile(try input.required(1), warn: console.say)
        let (fileName, size) = (file.name, file.size)
        let name = try input.required(0)
        let bar = ProgressBar(console)
        defer { bar.finish() }
        let source = Mutex(
            ImportSource(file, form, limits: limits, warn: console.say) { count in
                bar.show(count, of: size, "\(fileName): read \(ByteSize.inWords(count))")
            })
        let isMerge = input.has(Self.merge)
        let collection = try await OpenStore(input, .madeIfMissing).collection(name)
        let count: RecordInput.UpsertCount
        do throws(TidemarkError) {
            count = try await collection.upsert(
                from: { () throws(TidemarkError) in
                    do throws(CommandFailure) {
                        return try source.withLock { (source) throws(CommandFailure) in try source.next() }
                    } catch {
                        throw TidemarkError(.invalidContent, error.description, cause: error)
                    }
                }, combine: { present, new in isMerge ? present.merging(new) : new })
        } catch {
            throw (error.cause as? CommandFailure) ?? error as any Error
        }
        bar.finish()
        console.say("\(name): created \(count.created), edited \(count.edited), unchanged \(count.unchanged)")
        return .success
    }

    private static func form(_ input: Arguments) throws(UsageError) -> ImportForm {
        guard !input.has(Self.byKey) || !input.has(Self.pk) else {
            throw UsageError("--by-key takes the keys as pks, so leave out --pk or --by-key", for: Self.self)
        }
        let pk: ImportForm.PK
        if input.has(Self.byKey) {
            pk = .key
        } else if let field = input.value(Self.pk) {
            pk = .inside(try PKField(field, for: Self.self))
        } else {
            pk = .beside
        }
        do throws(JSONError) {
            let pointer = try input.value(Self.place).map { (text) throws(JSONError) in try JSONPointer(parsing: text) }
            return ImportForm(pk: pk, pointer: pointer)
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }
}
