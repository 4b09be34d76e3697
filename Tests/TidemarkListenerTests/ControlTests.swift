import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkListener
import TidemarkServer

@Suite("The control socket", .timeLimit(.minutes(2)))
struct ControlTests {
    private let folder: TemporaryFolder
    private var store: String { self.folder.path("server.db") }

    init() throws { self.folder = try TemporaryFolder() }

    /// A socket in the folder of a store that accepts no connection.
    private func listen(at path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, length) }
        }
        #expect(isBound == 0 && Foundation.listen(listening, 0) == 0)
        return listening
    }

    @Test func `a client does not wait for a server that accepts no request, even behind others`() throws {
        try Data().write(to: URL(fileURLWithPath: self.store))
        let listening = self.listen(at: "\(self.store)-control")
        defer { close(listening) }
        // The first connection fills its queue, so the others wait.
        for _ in 0..<3 {
            let error = #expect(throws: ListenerError.self) {
                try ControlConnection.ask(beside: self.store, .listAccounts, timeout: 1)
            }
            #expect(error?.message.contains("accepts no request") == true, "\(String(describing: error))")
        }
    }

    @Test func `a running server replies to an administration request`() throws {
        let core = ServerCore(storage: try SQLiteServerStorage(.file(self.store)), now: { 1 })
        let control = try ControlSocket(beside: self.store, core: core)
        defer { control.stop() }
        let reply = try ControlConnection.ask(beside: self.store, .listAccounts)
        #expect(reply?["error"] == nil)
        #expect(reply != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: "\(self.store)-control")[.posixPermissions]
        #expect(mode as? Int == 0o600, "only the owner has access")
    }
}
