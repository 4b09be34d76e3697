/// The error that Tidemark throws: an open code, a message in plain text, and the cause.
///
/// A `switch` over codes needs a `default`, since later versions may add codes.
///
/// ```swift
/// do {
///     try await notes["42"].delete()
/// } catch {
///     guard error.code == .noSuchRecord else { throw error }
///     print("It was gone already.")
/// }
/// ```
public struct TidemarkError: Error, Sendable {
    /// The kind of an error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name, as it is printed.
        public let name: String

        /// Makes a code for an adapter.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// There is no record with this pk, or it was deleted here.
        public static let noSuchRecord = Code("noSuchRecord")

        /// There is a record with this pk already.
        public static let recordExists = Code("recordExists")

        /// A content is not a JSON object, or does not fit the requested type.
        public static let invalidContent = Code("invalidContent")

        /// A name or a pk is empty or too long.
        public static let invalidName = Code("invalidName")

        /// The client was made for some collections, and this one is not among them.
        public static let unknownCollection = Code("unknownCollection")

        /// A patch does not fit the record.
        public static let patchFailed = Code("patchFailed")

        /// An edit can't be undone, since a value that it changed was changed again.
        public static let editOvertaken = Code("editOvertaken")

        /// A transaction was used after its closure had returned, within the closure of an edit, or with a draft of another client.
        public static let transactionMisused = Code("transactionMisused")

        /// A transaction changes or reads too many records.
        public static let transactionTooLarge = Code("transactionTooLarge")

        /// A record was not deleted, since others name it by a reference (`delete(referring: .refuse)`).
        public static let recordReferred = Code("recordReferred")

        /// A field of a draft was changed in the store as well, and the user has to decide. The cause is the conflict.
        public static let draftConflict = Code("draftConflict")

        /// The conflict has changed after it was read; read it again (R22).
        public static let staleDecision = Code("staleDecision")

        /// The answers to a conflict by field leave a field without a side, or name a field that was not asked about.
        public static let invalidAnswers = Code("invalidAnswers")

        /// The record is not in conflict, is not held, or has no change to discard.
        public static let nothingToDecide = Code("nothingToDecide")

        /// There is no such journal entry.
        public static let noSuchEntry = Code("noSuchEntry")

        /// The server can't give a guarantee, and the configuration does not accept that.
        public static let guaranteeNotAccepted = Code("guaranteeNotAccepted")

        /// The client was closed, or its store was erased: make another one.
        public static let clientClosed = Code("clientClosed")

        /// The client is suspended, or was meanwhile: `wake()` opens its store again.
        public static let suspended = Code("suspended")

        /// The waiting task was cancelled. The cause is Swift's `CancellationError`.
        public static let cancelled = Code("cancelled")

        /// The run loop of this client is running already.
        public static let alreadyRunning = Code("alreadyRunning")

        /// The client was made without a server, so it can't sync.
        public static let noRemote = Code("noRemote")

        /// The operation would discard changes that were not sent yet.
        public static let unsentChanges = Code("unsentChanges")

        /// Another client, in this process or in another, has the store open: share one client, or close the other one.
        public static let storeBusy = Code("storeBusy")

        /// The disk, or the store's limit, is full. The change was not made.
        public static let storeFull = Code("storeFull")

        /// The file is not a Tidemark store.
        public static let notAStore = Code("notAStore")

        /// The store is damaged.
        public static let storeCorrupt = Code("storeCorrupt")

        /// One record in the store is damaged; the others continue to sync.
        public static let recordDamaged = Code("recordDamaged")

        /// The store was written by a newer version.
        public static let storeNewer = Code("storeNewer")

        /// A query or an index has an invalid part, or more parts than a limit allows.
        public static let invalidQuery = Code("invalidQuery")

        /// A cursor was not returned by this query, or by a version with another order of records: request the first page.
        public static let invalidCursor = Code("invalidCursor")

        /// SQL of the app that is not allowed, or that SQLite refuses.
        public static let invalidSQL = Code("invalidSQL")

        /// The tables of a projection are missing, not complete yet, or wrong since its code threw an error.
        public static let projectionIncomplete = Code("projectionIncomplete")

        /// The store is read-only.
        public static let storeReadOnly = Code("storeReadOnly")

        /// The store can't be opened, or its device fails.
        public static let storeUnavailable = Code("storeUnavailable")
    }

    /// The kind of the error.
    public var code: Code

    /// The error, its place, and what to do.
    public var message: String

    /// The cause.
    public var cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension TidemarkError: CustomStringConvertible {
    /// The message.
    public var description: String { self.message }
}

extension TidemarkError {
    /// Makes the error for a waiting task that was cancelled (Contract §3.5).
    package static func cancelled(_ what: String, cause: any Error = CancellationError()) -> TidemarkError {
        TidemarkError(.cancelled, "\(what) was cancelled.", cause: cause)
    }
}
