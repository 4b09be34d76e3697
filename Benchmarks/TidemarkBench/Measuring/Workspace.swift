import Dispatch
import Foundation

import CSystem

/// The folder of a run. It is removed at the end, also after a failure or a signal. The next run removes the folder of a run
/// that was killed.
final class Workspace: Sendable {
    private static let prefix = "tidemark-bench-"

    let url: URL

    init() throws {
        let parent = FileManager.default.temporaryDirectory
        Self.sweep(parent)
        self.url = parent.appendingPathComponent("\(Self.prefix)\(getpid())")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        self.watchSignals()
    }

    /// A new folder.
    func folder() throws -> URL {
        let folder = self.url.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Ends all child processes, and removes all files.
    func clear() {
        Child.endAll()
        try? FileManager.default.removeItem(at: self.url)
    }

    private func watchSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                self.clear()
                _exit(128 + number)
            }
            // Held by its own handler, for as long as the process runs.
            source.setCancelHandler { withExtendedLifetime(source) {} }
            source.resume()
        }
    }

    /// Removes the folders of processes that have ended.
    private static func sweep(_ parent: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(Self.prefix) {
            guard let process = Int32(name.dropFirst(Self.prefix.count)), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
        }
    }
}
