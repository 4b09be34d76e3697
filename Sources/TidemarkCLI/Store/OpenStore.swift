import Tidemark

/// A store that was named on the command line, with the client over it.
struct OpenStore {
    let path: String
    let settings: StoreSettings
    let client: SyncClient

    /// Whether the file was not there before.
    private let wasMade: Bool

    /// Whether a command may make the store.
    enum Existence {
        /// It has to be there: a mistyped name must not leave an empty file behind.
        case required

        /// It is made when it is not there.
        case madeIfMissing
    }

    /// Opens the store of a command.
    init(_ input: Arguments, _ existence: Existence = .required) async throws {
        try await self.init(path: try input.required(Option.store), existence)
    }

    /// Opens a store; waits a little for another command that has it open.
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
            // Another program that came in between is using it then.
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

    /// - Returns: Whether an empty file was made, which only its owner can read.
    private static func prepareFile(at path: String, _ existence: Existence) throws -> Bool {
        let file = StoreFile(path)
        if let complaint = file.complaint { throw CommandFailure(complaint) }
        if existence == .required, file.kind == .missing || file.isEmpty {
            let what = file.isEmpty ? "The file \(path) is empty, and no store." : "There is no store at \(path)."
            throw CommandFailure(
                "\(what) Check the name, or make it: tidemark init --store \(ShellWords.quoted(path: path)) --remote URL"
            )
        }
        return file.kind == .missing && file.make()
    }

    /// Gives up a store whose making failed: a file that was not there before is not there afterwards.
    func discard() async {
        guard self.wasMade else { return }
        await self.client.close()
        StoreFile(self.path).remove()
    }

    /// A collection of the store.
    func collection(_ name: String) -> SyncCollection { self.client[name] }

    /// A collection that the store or its rules name: what only looks has nothing to look at in another one.
    func known(_ name: String) async throws -> SyncCollection {
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

    /// The collection that was probably meant; nil for one that is known, or like none.
    func nearest(to name: String) async throws -> String? {
        try await self.knows(name) ? nil : NearestName.of(name, among: try await self.client.collectionNames)
    }

    /// The named collection, or (nil) all that the store or its rules name.
    func collections(_ name: String?) async throws -> [SyncCollection] {
        if let name { return [try await self.known(name)] }
        return try await self.client.collectionNames.map { self.client[$0] }
    }
}
