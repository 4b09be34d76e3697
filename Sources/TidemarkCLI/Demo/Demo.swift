import Foundation
import Tidemark

/// A demonstration: two devices edit the same records offline, sync with a server, and agree.
///
/// It runs the real parts: two SQLite stores and the reference server on a TCP port. The printed values are theirs.
struct Demo {
    let text: DemoText
    let server: DemoServer
    let phone: DemoDevice
    let laptop: DemoDevice

    private init(in folder: URL, _ console: Console) throws {
        self.text = DemoText(console)
        self.server = try DemoServer(in: folder)
        self.phone = try DemoDevice("phone", in: folder, server: self.server)
        self.laptop = try DemoDevice("laptop", in: folder, server: self.server)
    }

    /// Runs the demo in a temporary folder, which is deleted afterwards.
    ///
    /// - Returns: Whether both devices and the server agree at the end.
    static func run(_ console: Console) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidemark-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let demo = try Demo(in: folder, console)
        defer { demo.server.stop() }
        return try await demo.tell()
    }

    private func tell() async throws -> Bool {
        try self.text.line("Tidemark: two devices, one server", .heading)
        try self.text.line()
        try self.text.tell(
            """
            A phone and a laptop share a shopping list. Each has it in its own SQLite file; a server listens \
            on \(self.server.url.absoluteString).
            """)
        try await self.writeTheList()
        try await self.editApart()
        try await self.meet()
        try await self.loseAnAnswer()
        return try await self.compare()
    }

    func sync(_ device: DemoDevice) async throws -> CollectionReport {
        let report = try await device.sync()
        var words: [String] = []
        if !report.pushed.isEmpty { words.append("sent \(report.pushed.joined(separator: ", "))") }
        if report.pulled > 0 { words.append("received \(report.pulled)") }
        if !report.merged.isEmpty { words.append("merged \(report.merged.joined(separator: ", "))") }
        if let failure = report.failure { words.append(failure.message) }
        if words.isEmpty { words.append("nothing to do") }
        let requests = report.requests == 1 ? "1 request" : "\(report.requests) requests"
        try self.text.act(device.name, "sync: \(words.joined(separator: "; ")) (\(requests))")
        return report
    }
}
