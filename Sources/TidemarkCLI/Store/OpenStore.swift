import Tidemark
import TidemarkDatabase
import TidemarkSQLite

/// The store that the command line names, and a client for it.
struct OpenStore {
    let path: String
    let settings: StoreSettings
    let client: SyncClient

    /// The time of the copy that is read, since 1970-01-01T00:00:00Z; nil if the store itself is.
    let copyTime: Duration?

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
    init(_ input: Arguments, _ existence: Existence = .required, asks: Bool = true) async throws {
        try await self.init(path: try input.required(Option.store), existence, asks: asks)
    }

    /// Opens a store; waits for it if another command has it open.
    ///
    /// - Parameter asks: Whether to ask an app that takes turns with the store for it: for a command that soon ends.
    init(
        path: String, _ existence: Existence = .required, waiting limit: Duration = SyncClient.openingLimit,
        asks: Bool = true
    ) async throws {
        self.path = path
        self.copyTime = nil
        self.wasMade = try Self.prepareFile(at: path, existence)
        let opened: Result<(StoreSettings, SyncClient), any Error>
        let wasMade = self.wasMade
        do throws(TidemarkError) {
            opened = try await SyncClient.whenFree(
                within: limit, time: SystemTime(), seed: .random(in: .min ... .max)
            ) { () throws(TidemarkError) in
                let store = try SQLiteStore(.file(path), asks: asks)
                do {
                    return .success(try Self.client(over: store, isNew: wasMade))
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

    /// Opens the store of a command that only reads; a copy of it if another program has it open.
    init(reading input: Arguments, _ console: Console) async throws {
        try await self.init(reading: try input.required(Option.store), console)
    }

    /// Opens a store to read it; if another program has it open, a copy, and says so.
    init(reading path: String, _ console: Console) async throws {
        StoreCopy.removeLeftovers()
        do {
            try await self.init(path: path, .required, waiting: Self.readingLimit, asks: false)
        } catch let error as TidemarkError where error.code == .storeBusy {
            let copy = try StoreCopy(of: path)
            console.say("Read from a copy of \(ClockTime(copy.time)), since another program has the store open.")
            try self.init(copy, of: path)
        }
    }

    /// Opens a copy of a store.
    init(_ copy: consuming StoreCopy, of path: String) throws {
        self.path = path
        self.copyTime = copy.time
        self.wasMade = false
        (self.settings, self.client) = try Self.client(over: try copy.open(), readsCopy: true)
    }

    /// How long a command that only reads waits for the store before it makes a copy: longer than most commands of the tool have
    /// the store open.
    private static let readingLimit = Duration.milliseconds(300)

    /// A store that was here before, and in which no `init` or `clone` has saved settings, is that of an app: the tool is a guest in it,
    /// and treats records as the app's server requires.
    private static func client(
        over store: sending SQLiteStore, isNew: Bool = false, readsCopy: Bool = false
    ) throws -> (StoreSettings, SyncClient) {
        let text = try SyncClient.setting(StoreSettings.key, in: store)
        let settings = try text.map { try StoreSettings(text: $0) } ?? StoreSettings()
        var configuration = try settings.configuration()
        configuration.readsCopy = readsCopy
        let isOfApp = text == nil && !isNew
        configuration.isGuest = isOfApp || readsCopy
        guard isOfApp else {
            let remote = try settings.makeRemote()
            return (settings, try SyncClient(store: store, remote: remote, configuration: configuration))
        }
        let remote = UnreachableRemote(capabilities: try SyncClient.storedCapabilities(in: store))
        // The app has accepted its server.
        configuration.accepts = remote.capabilities.guaranteesNotKept
        return (settings, try SyncClient(store: store, remote: remote, configuration: configuration))
    }

    /// - Returns: Whether an empty file was created, which only its owner can read.
    static func prepareFile(at path: String, _ existence: Existence) throws -> Bool {
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
