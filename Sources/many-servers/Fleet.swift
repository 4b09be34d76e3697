import Foundation

/// The server processes; each keeps its port after a restart.
actor Fleet {
    /// The accounts, as tokens.
    static let tokens = ["t1", "t2"]

    private let settings: Settings
    private var running: [Process?]
    private var ports: [Int]
    private(set) var kills = 0

    init(_ settings: Settings) {
        self.settings = settings
        self.running = Array(repeating: nil, count: settings.servers)
        self.ports = Array(repeating: 0, count: settings.servers)
    }

    /// Starts all servers, and returns their addresses.
    func start() async throws -> [String] {
        for index in self.running.indices { try await self.start(index) }
        return self.ports.map { "http://127.0.0.1:\($0)/v1" }
    }

    /// Starts a server that does not run; the port may not be free at once.
    func start(_ index: Int) async throws {
        for attempt in 0..<50 {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(100)) }
            if try self.tryToStart(index) { return }
        }
        throw WrongUsage("server \(index) does not start; see its output above")
    }

    private func tryToStart(_ index: Int) throws -> Bool {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: self.settings.tool)
        process.arguments = ["serve", "--store", self.settings.store, "--listen", "127.0.0.1:\(self.ports[index])"]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TIDEMARK_TOKENS": Self.tokens.joined(separator: " ")]) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: "\(self.settings.tool).err-\(index)") ?? .nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.split(separator: ":").last.flatMap({ Int($0.prefix(while: \.isNumber)) }) else {
            process.waitUntilExit()
            return false
        }
        self.ports[index] = port
        self.running[index] = process
        return true
    }

    /// Kills a server at once, as a power failure does.
    func kill(_ index: Int) {
        guard let process = self.running[index] else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.running[index] = nil
        self.kills += 1
    }

    /// Stops all servers normally.
    func stop() {
        for process in self.running.compactMap({ $0 }) {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
