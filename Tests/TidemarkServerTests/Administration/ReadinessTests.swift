import Synchronization
import TestSupport
import Testing
import TidemarkDatabase

@testable import TidemarkServer

@Suite struct `Readiness and writes` {
    private let folder: TemporaryFolder
    private let core: ServerCore

    init() throws {
        self.folder = try TemporaryFolder()
        self.core = ServerCore(
            storage: try SQLiteServerStorage(.file(self.folder.path("server.db"))), now: { 1 })
    }

    private func setWritable(_ isWritable: Bool) throws {
        try self.core.storage.withLock { storage in
            let storage = try #require(storage as? SQLiteServerStorage)
            try storage.database.execute("PRAGMA query_only = \(isWritable ? 0 : 1)")
        }
    }

    private func ready() -> (status: Int, text: String) {
        let answer = self.core.handle(ServerRequest(method: "GET", target: "/readyz"))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func post(_ pk: String) -> Int {
        let body =
            #"{"edits":[{"request_id":"r-\#(pk)","pk":"\#(pk)","sync_state":"CREATED","updated_at":null,"#
            + #""edited_data":[{"op":"add","path":"","value":{}}]}]}"#
        return self.core.handle(
            ServerRequest(method: "POST", target: "/v1/notes", body: Array(body.utf8))
        ).status
    }

    @Test func `The server is not ready after a failed write, until a probe succeeds`() throws {
        #expect(self.post("1") == 200)
        #expect(self.ready().status == 200)
        try self.setWritable(false)
        #expect(self.ready().status == 200, "nothing was written yet")
        #expect(self.post("2") == 500)
        #expect(self.ready() == (503, "its storage can't be written: readOnly\n"))
        #expect(self.ready().status == 503, "the probe failed, too")
        try self.setWritable(true)
        #expect(self.ready().status == 200)
        #expect(self.post("2") == 200)
    }

    @Test func `The server is ready again after a write succeeds`() throws {
        self.core.writeFailure.withLock { $0 = ServerStorageError(.full, "the disk is full") }
        #expect(self.post("1") == 200)
        #expect(self.core.writeFailure.withLock { $0 } == nil)
    }

    @Test(arguments: [(ServerStorageError.Code.full, true), (.readOnly, true), (.busy, false), (.interrupted, false)])
    func `Only a failure that lasts counts`(_ code: ServerStorageError.Code, _ isLasting: Bool) {
        #expect(code.isLasting == isLasting)
    }
}
