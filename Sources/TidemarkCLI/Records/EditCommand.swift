import Tidemark

/// `tidemark edit`: changes a record: sets a value, or applies a patch or a merge patch.
enum EditCommand: Command {
    static let name = "edit"
    static let summary = "change a record: set a value, or apply a patch"
    static let parameters = [
        Parameter.collection, .required("PK"), .optional("/POINTER"), .optional("JSON", .json),
    ]
    static let options = [Option.store, Self.remove, Self.patch, Self.merge]
    static let example = #"tidemark edit --store phone.db notes 42 /title '"Oat milk"'"#

    private static let remove = Option(name: "--remove", value: "/POINTER", summary: "remove this value")
    private static let patch = Option(name: "--patch", value: "FILE", summary: "apply an RFC 6902 patch", kind: .file)
    private static let merge = Option(
        name: "--merge", value: "FILE", summary: "apply an RFC 7396 merge patch", kind: .file)

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let change = try Self.change(input, console)
        let store = try await OpenStore(input)
        let record = store.collection(try input.required(0))[try input.required(1)]
        switch change {
        case .set(let pointer, let value):
            try await record.edit { (view) throws(TidemarkError) in
                let isThere = view[pointer: pointer] != nil && !Self.isEnd(pointer)
                view = try view.applying(isThere ? .replace(pointer, value) : .add(pointer, value))
            }
        case .remove(let pointer):
            try await record.edit { (view) throws(TidemarkError) in view = try view.applying(.remove(pointer)) }
        case .patch(let patch): try await record.edit(patch)
        case .merge(let patch):
            try await record.edit { (view) throws(TidemarkError) in view = patch.apply(to: view) }
        }
        return .success
    }

    private enum Change {
        case set(JSONPointer, JSON)
        case remove(JSONPointer)
        case patch(JSONPatch)
        case merge(JSONMergePatch)
    }

    private static func change(_ input: Arguments, _ console: Console) throws -> Change {
        let named = [Self.remove, Self.patch, Self.merge].filter { input.has($0) }
        guard named.count + (input.position(2) == nil ? 0 : 1) == 1 else {
            throw UsageError(
                "give exactly one change: /POINTER JSON, --remove /POINTER, --patch FILE or --merge FILE",
                for: Self.self)
        }
        if let text = input.value(Self.remove) { return .remove(try Self.pointer(text)) }
        if let path = input.value(Self.patch) {
            return .patch(
                try InputText(path, console).reading { (bytes) throws(JSONError) in try JSONPatch(parsing: bytes) })
        }
        if let path = input.value(Self.merge) {
            return .merge(JSONMergePatch(try InputText(path, console).json(console)))
        }
        let pointer = try Self.pointer(try input.required(2))
        return .set(pointer, try input.json(3, console))
    }

    private static func pointer(_ text: String) throws(UsageError) -> JSONPointer {
        do throws(JSONError) {
            return try JSONPointer(parsing: text)
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }

    /// Whether the pointer ends in `-`, which is the place after the last element of an array (RFC 6901 §4).
    private static func isEnd(_ pointer: JSONPointer) -> Bool {
        pointer.lastToken == "-"
    }
}

extension JSON {
    /// The value after one operation.
    fileprivate func applying(_ operation: JSONPatch.Operation) throws(TidemarkError) -> JSON {
        do throws(JSONError) {
            return try JSONPatch([operation]).apply(to: self) ?? .null
        } catch {
            throw TidemarkError(.patchFailed, "The record can't be changed at this pointer: \(error).", cause: error)
        }
    }
}
