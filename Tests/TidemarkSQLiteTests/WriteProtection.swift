import Foundation
import TestSupport

/// The write protection of a file or a folder, until it ends.
///
/// Permissions do not bind the superuser; the attribute "immutable" does.
struct WriteProtection {
    /// Whether this user can protect anything in the folder of tests.
    static let isPossible: Bool = {
        guard let folder = try? TemporaryFolder(), let protection = WriteProtection(folder.url.path) else {
            return false
        }
        protection.end()
        return true
    }()

    private let path: String
    private let isAttribute: Bool

    /// Protects a path; nil if the superuser runs the tests on a file system without the attribute.
    init?(_ path: String) {
        self.path = path
        self.isAttribute = getuid() == 0
        let wasDone =
            self.isAttribute ? Self.change("+i", path) : chmod(path, path.hasSuffix(".db") ? 0o444 : 0o555) == 0
        guard wasDone else { return nil }
    }

    func end() {
        _ = self.isAttribute ? Self.change("-i", self.path) : chmod(self.path, 0o755) == 0
    }

    private static func change(_ attribute: String, _ path: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["chattr", attribute, path]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
