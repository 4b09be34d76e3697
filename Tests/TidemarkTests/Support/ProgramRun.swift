import Foundation

/// The result of a program's run.
struct ProgramRun {
    var status: Int32
    var output: String

    /// Runs a program to its end; output and errors are one text.
    init(_ program: URL, _ arguments: [String] = [], in folder: URL? = nil, path: URL? = nil) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        if let path {
            var environment = ProcessInfo.processInfo.environment
            environment["PATH"] = "\(path.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
            process.environment = environment
        }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        self.status = process.terminationStatus
        self.output = String(decoding: bytes, as: UTF8.self)
    }
}
