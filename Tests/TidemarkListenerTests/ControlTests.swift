import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkListener
import TidemarkServer

@Suite("The control socket", .timeLimit(.minutes(10)))
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

    /// A connection to a control socket.
    private func connect() throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(self.store)-control".utf8) }
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isConnected == 0)
        return client
    }

    @Test func `clients that send a part of a request delay no other, however many they are`() throws {
        let core = ServerCore(storage: try SQLiteServerStorage(.file(self.store)), now: { 1 })
        let control = try ControlSocket(beside: self.store, core: core)
        defer { control.stop() }
        var slow: [Int32] = []
        defer { for client in slow { close(client) } }
        for _ in 0..<60 {
            slow.append(try self.connect())
            send(try #require(slow.last), "x", 1, 0)
            let began = ContinuousClock.now
            #expect(try ControlConnection.ask(beside: self.store, .listAccounts, timeout: 4) != nil)
            #expect(ContinuousClock.now - began < .seconds(4))
        }
    }

    @Test func `a request that is too long gets a reply`() throws {
        let core = ServerCore(storage: try SQLiteServerStorage(.file(self.store)), now: { 1 })
        let control = try ControlSocket(beside: self.store, core: core)
        defer { control.stop() }
        let error = #expect(throws: ListenerError.self) {
            let name = String(repeating: "n", count: 100_000)
            _ = try ControlConnection.ask(beside: self.store, .addAccount(name: name, beginning: .nothing))
        }
        #expect(error?.message.contains("65536 are allowed") == true, "\(String(describing: error))")
        let client = try self.connect()
        defer { close(client) }
        let line = [UInt8](repeating: UInt8(ascii: "n"), count: 100_000) + [UInt8(ascii: "\n")]
        #expect(send(client, line, line.count, 0) == line.count)
        var reply: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(client, &part, part.count, 0), count > 0 { reply += part[..<count] }
        #expect(String(decoding: reply, as: UTF8.self).contains("more than 65536 bytes, which is the limit"))
    }
}
