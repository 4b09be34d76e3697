import Foundation
import TidemarkServer

/// `tidemark backup`: copies a server's store, which may be in use.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copy the server's store to a new file, while the server runs"
    static let parameters = [Parameter.required("FILE")]
    static let options = [ServerStoreAccess.store]
    static let example = "tidemark backup --store server.db server-monday.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try input.required(0)
        guard !file.isEmpty else { throw UsageError("FILE is empty; it needs a name", for: Self.self) }
        // The server has another current folder.
        let path = URL(fileURLWithPath: file).path
        _ = try ServerStoreAccess(input).ask(.backUp(path: path))
        console.say(
            "\(file) has everything that was acknowledged when the copy began. Serve it as it is, or replace the store with it "
                + "once the store's FILE-wal and FILE-shm no longer exist")
        return .success
    }
}
