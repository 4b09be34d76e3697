#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
    public import TidemarkCore
    public import TidemarkRules

    extension RecordStore where Self == SQLiteStore {
        /// A store in one SQLite file; see ``SQLiteStore``.
        ///
        /// - Parameters:
        ///   - file: The file; its folder must exist.
        ///   - projections: The tables of the app; see ``Projection`` and ``SQLiteStore/init(path:projections:takesTurns:)``.
        ///   - takesTurns: Whether the client hands the file over to another client that waits for it: for a file that an app and its
        ///     widgets use.
        /// - Throws: ``TidemarkError/Code/invalidName`` if the URL is of no file, and the errors of that initializer.
        public static func sqlite(
            at file: URL, projections: [any Projection]? = nil, takesTurns: Bool = false
        ) throws(TidemarkError) -> SQLiteStore {
            guard file.isFileURL else {
                throw TidemarkError(
                    .invalidName, "\(file) is not the URL of a file: give one that begins with file://.")
            }
            return try SQLiteStore(path: file.path, projections: projections, takesTurns: takesTurns)
        }

        /// A store of the app with a name, in a file that the app need not choose.
        ///
        /// ```swift
        /// let client = try await SyncClient.open(store: .sqlite("notes-ada"), remote: .http(url, token: token))
        /// ```
        ///
        /// The file is `NAME.db` in a folder of the app below Application Support (on Linux below `~/.local/share`), which is made
        /// if it is missing; on tvOS, where an app can write nowhere else, below Caches. The folder has the identifier of the app's
        /// bundle as its name, or else the name of the program. The file is part of a backup of the device; for another place use
        /// ``sqlite(at:projections:takesTurns:)-(URL,_,_)``.
        ///
        /// - Parameters:
        ///   - name: The name, different for each account; it must not be empty, nor contain `/`.
        ///   - projections: The tables of the app; see ``Projection`` and ``SQLiteStore/init(path:projections:takesTurns:)``.
        /// - Throws: ``TidemarkError/Code/invalidName``, ``TidemarkError/Code/storeUnavailable`` if the folder can't be made, and the
        ///   errors of that initializer.
        public static func sqlite(
            _ name: String, projections: [any Projection]? = nil
        ) throws(TidemarkError) -> SQLiteStore {
            let bytes = name.utf8
            guard 1...200 ~= bytes.count, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else {
                throw TidemarkError(
                    .invalidName,
                    "“\(name.prefix(40))” can't be the name of a store: 1 to 200 bytes without “/”, such as “notes-ada”."
                )
            }
            let places = FileManager.default.urls(for: Self.parent, in: .userDomainMask)
            guard let place = places.first else {
                throw TidemarkError(.storeUnavailable, "This user has no folder for data of apps: use .sqlite(at:).")
            }
            let folder = place.appendingPathComponent(Self.folderName, isDirectory: true)
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw TidemarkError(
                    .storeUnavailable, "The folder of the store can't be made: \(folder.path): \(error).", cause: error)
            }
            return try SQLiteStore(path: folder.path + "/\(name).db", projections: projections)
        }

        /// An app for tvOS can write to no other folder than Caches, which the system may empty.
        private static var parent: FileManager.SearchPathDirectory {
            #if os(tvOS)
                .cachesDirectory
            #else
                .applicationSupportDirectory
            #endif
        }

        private static var folderName: String {
            #if canImport(Darwin)
                Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
            #else
                ProcessInfo.processInfo.processName
            #endif
        }
    }
#endif
