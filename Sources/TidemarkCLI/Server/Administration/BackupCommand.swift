import Foundation
import TidemarkServer

/// `tidemark backup`: a copy of a server's store, which may be in use.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copy a server's store to a new file, while the server runs"
    static let parameters = [Parameter.required("FILE")]
    static let options = [ServerStoreAccess.store]
    static let example = "tidemark backup --store server.db server-monday.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try input.required(0)
        guard !file.isEmpty else { throw UsageError("FILE is empty; a name is needed there", for: Self.self) }
        // The server stands in another folder.
        let path = URL(fileURLWithPath: file).path
        _ = try ServerStoreAccess(input).ask(.backUp(path: path))
        console.say(
            "\(file) has all that was acknowledged when the copy began; serve it as it is, or move it into the place of the store "
                + "once its FILE-wal and FILE-shm are gone")
        return .success
    }
}
