import Foundation
import Tidemark
import TidemarkInspector

/// `tidemark demo --inspect`: two devices with an open conflict, and the page of an inspector inside one of them.
struct DemoInspection {
    private let server: DemoServer
    private let phone: SyncClient
    private let trouble: TroubleRemote
    private let laptop: DemoDevice

    private init(in folder: URL) throws {
        self.server = try DemoServer(in: folder)
        self.laptop = try DemoDevice("laptop", in: folder, server: self.server)
        self.trouble = TroubleRemote(wrapping: HTTPRemote(self.server.url))
        var configuration = SyncConfiguration()
        configuration.rules.tactic = .askUser
        configuration.traceLimit = 1_000
        let path = folder.appendingPathComponent("phone.db").path
        self.phone = try SyncClient(store: .sqlite(at: path), remote: self.trouble, configuration: configuration)
    }

    /// Runs in a temporary folder until it is stopped.
    static func run(_ console: Console) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidemark-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let demo = try DemoInspection(in: folder)
        defer { demo.server.stop() }
        try await demo.makeConflict()
        let inspector = try Inspector(demo.phone, title: "the phone of the demo", trouble: demo.trouble)
        let client = demo.phone
        let run = Task { try await client.run() }
        try await inspector.show(
            "Open this link within a minute; it is valid once. Phone and laptop have changed the milk, and the phone asks you. Ctrl-C ends it.",
            console)
        run.cancel()
        await client.close()
    }

    /// Both devices change two fields of the milk, and the laptop is first.
    private func makeConflict() async throws {
        let list = self.phone[self.laptop.list.name]
        let contents = [
            ("bread", #"{"title":"Bread","price":3.5,"count":1}"#),
            ("eggs", #"{"title":"Eggs","price":2.80,"count":6}"#),
            ("milk", #"{"title":"Milk","price":1.10,"count":2,"code":9007199254740993}"#),
        ]
        for (pk, content) in contents { try await list.create(try JSON(parsing: content), pk: pk) }
        _ = try await list.sync()
        _ = try await self.laptop.sync()
        try await self.laptop.list["milk"].edit { ($0.title, $0.count) = ("Soy milk", 3) }
        _ = try await self.laptop.sync()
        try await list["milk"].edit { ($0.title, $0.count) = ("Oat milk", 4) }
        try await list["eggs"].edit { $0.count = 12 }
        _ = try await list.sync()
    }
}
