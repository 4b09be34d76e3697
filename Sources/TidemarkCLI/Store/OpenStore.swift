import Tidemark

/// The store that the command line names, and a client for it.
struct OpenStore {
    let path: String
    let settings: StoreSettings
    let client: SyncClient

    /// Whether this process created the file.
    private let wasMade: Bool

    /// Whether a command may create the store.
    enum Existence {
        /// The store must exist: a mistyped name must not leave an empty file behind.
        case required

        /// The store is created if it does not exist.
        case madeIfMissing
    }

    /// Opens the store of a command.
    init(_ input: Arguments, _ existence: Existence = .required) async throws {
        try await self.init(path: try input.required(Option.store), existence)
    }

    /// Opens a store; waits up to ``SyncClient/openingLimit`` if another command has it open.
    init(path: String, _ existence: Existence = .required) async throws {
        self.path = path
        self.wasMade = try Self.prepareFile(at: path, existence)
        let opened: Result<(StoreSettings, SyncClient), any Error>
        do throws(TidemarkError) {
            opened = try await SyncClient.whenFree(
                within: SyncClient.openingLimit, time: SystemTime(), seed: .random(in: .min ... .max)
            ) { () throws(TidemarkError) in
                let store = try SQLiteStore(path: path)
                do {
                    return .success(try Self.client(over: store))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            // If the store is busy, another program opened it in the meantime and uses it.
            if self.wasMade, error.code != .storeBusy { StoreFile(path).remove() }
            throw error
        }
        (self.settings, self.client) = try opened.get()
    }

    private static func client(over store: sending SQLiteStore) throws -> (StoreSettings, SyncClient) {
        let settings =
            try SyncClient.setting(StoreSettings.key, in: store).map { try StoreSettings(text: $0) } ?? StoreSettings()
        let remote = try settings.makeRemote()
        return (settings, try SyncClient(store: store, remote: remote, configuration: try settings.configuration()))
    }

    /// - Returns: Whether an empty file was created, which only its owner can read.
    private static func prepareFile(at path: String, _ existence: Existence) throws -> Bool {
        let file = StoreFile(path)
        if let complaint = file.complaint { throw CommandFailure(complaint) }
        if existence == .required, file.kind == .missing || file.isEmpty {
            let what = file.isEmpty ? "The file \(path) is empty, and not a store." : "There is no store at \(path)."
            throw CommandFailure(
                "\(what) Check the name, or create the store: tidemark init --store \(ShellWords.quoted(path: path)) --remote URL"
            )
        }
        if existence == .madeIfMissing { try PrivateFile.tighten(store: path) }
        return file.kind == .missing && file.make()
    }

    /// Closes and deletes a store that this process created, if its setup fails.
    func discard() async {
        guard self.wasMade else { return }
        await self.client.close()
        StoreFile(self.path).remove()
    }

    func collection(_ name: String) -> SyncCollection<JSON> { self.client[name] }

    /// A collection that the store or its rules name; for commands that only read.
    ///
    /// - Throws: ``CommandFailure`` for another name.
    func known(_ name: String) async throws -> SyncCollection<JSON> {
        guard try await !self.knows(name) else { return self.client[name] }
        let nearest = try await self.nearest(to: name).map { "; did you mean \($0)?" } ?? "."
        throw CommandFailure(
            "\(self.path) has no collection “\(name)”\(nearest) To ask the server for it: "
                + "tidemark sync --store \(ShellWords.quoted(path: self.path)) \(ShellWords.names(name))")
    }

    /// Whether the store or its rules name a collection.
    func knows(_ name: String) async throws -> Bool {
        try await self.client.collectionNames.contains { CodePointString($0) == CodePointString(name) }
    }

    /// The known collection with the most similar name; nil if the name is known, or like no other.
    func nearest(to name: String) async throws -> String? {
        try await self.knows(name) ? nil : NearestName.of(name, among: try await self.client.collectionNames)
    }

    /// The named collection, or (nil) all that the store or its rules name.
    func collections(_ name: String?) async throws -> [SyncCollection<JSON>] {
        if let name { return [try await self.known(name)] }
        return try await self.client.collectionNames.map { self.client[$0] }
    }
}
