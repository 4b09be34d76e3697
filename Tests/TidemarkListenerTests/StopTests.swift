import Foundation
import Testing
import TestSupport
import TidemarkListener
import TidemarkServer

@Suite("Start and stop", .timeLimit(.minutes(10)))
struct StopTests {
    @Test func `a free port is selected, and two servers get two ports`() throws {
        let one = try RunningServer()
        let other = try RunningServer()
        #expect(one.listener.port != 0)
        #expect(one.listener.port != other.listener.port)
    }

    @Test func `a port in use is refused with a reason`() throws {
        let server = try RunningServer()
        let settings = ListenerSettings(port: server.listener.port)
        let error = #expect(throws: ListenerError.self) { try HTTPListener(server.core, settings: settings) }
        #expect(error?.code == .portInUse)
        #expect(error?.message.contains("127.0.0.1:\(server.listener.port)") == true)
    }

    @Test(arguments: ["not an address", "999.1.1.1", "192.0.2.1"])
    func `an address of another machine is refused`(address: String) throws {
        let core = ServerCore(storage: try SQLiteServerStorage(.memory), now: { 1 })
        let error = #expect(throws: ListenerError.self) {
            try HTTPListener(core, settings: ListenerSettings(address: address))
        }
        #expect(error?.code == .address)
    }

    @Test func `a stopped server accepts no connection, and its port is free`() throws {
        let server = try RunningServer()
        let port = server.listener.port
        #expect(try server.answer("GET", "/v1/notes").status == 200)
        server.listener.stop()
        #expect(throws: SocketClient.Refused.self) { try SocketClient(port: port) }
        let next = try HTTPListener(server.core, settings: ListenerSettings(port: port))
        #expect(next.port == port)
        next.stop()
        next.stop()
    }

    @Test func `a stop closes idle connections`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
        #expect(try client.answer().status == 200)
        server.listener.stop()
        #expect(client.isHungUp())
    }

    @Test func `a stop finishes the answers in progress`() throws {
        let gate = Gate()
        let server = try RunningServer(now: {
            gate.pass()
            return 1_000
        })
        let client = try server.connect()
        let body = RunningServer.create("1")
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
        client.send(body)
        gate.awaitArrival()
        let listener = server.listener
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            listener.stop()
            stopped.signal()
        }
        blockUntil("the listener stops") { listener.isStopping }
        gate.open()
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer["connection"] == "close")
        stopped.wait()
        #expect(client.isHungUp())
    }

    @Test func `a stop does not wait indefinitely for a request that never ends`() throws {
        var settings = ListenerSettings()
        settings.grace = .milliseconds(50)
        let core = ServerCore(storage: try SQLiteServerStorage(.memory), now: { 1 })
        let listener = try HTTPListener(core, settings: settings)
        let client = try SocketClient(port: listener.port)
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 10\nExpect: 100-continue\n\n")
        #expect(try client.answer().status == 100)
        listener.stop()
        #expect(client.isHungUp())
    }
}
