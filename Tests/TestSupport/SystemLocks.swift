import Foundation

/// The locks and open files of this process, as Linux lists them; none on other systems.
package enum SystemLocks {
    /// The locks of this process on a file and on those beside it that belong to it.
    package static func ofThisProcess(on path: String) -> [String] {
        let nodes = ["", "-wal", "-shm"].compactMap { end in
            try? FileManager.default.attributesOfItem(atPath: path + end)[.systemFileNumber] as? Int
        }
        guard let list = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return [] }
        let process = String(ProcessInfo.processInfo.processIdentifier)
        return list.split(separator: "\n").map(String.init).filter { line in
            let fields = line.split(separator: " ")
            return fields.contains { $0 == process }
                && fields.contains { field in
                    nodes.contains { field.hasSuffix(":\($0)") }
                }
        }
    }

    /// The files in a folder that this process has open.
    package static func openFiles(below folder: String) -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }.filter { $0.hasPrefix(folder) }
    }
}
