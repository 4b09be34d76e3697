import Foundation
import Tidemark
import TidemarkAdapters
import TidemarkListener
import TidemarkServer

/// The reference server on a free port, with its own SQLite file.
struct DemoServer {
    let url: URL

    private let listener: HTTPListener

    init(in folder: URL) throws {
        let path = folder.appendingPathComponent("server.db").path
        let core = ServerCore(storage: try SQLiteServerStorage(.file(path)), now: { WallClock.microseconds() })
        self.listener = try HTTPListener(core)
        guard let url = URL(string: "http://127.0.0.1:\(self.listener.port)/v1") else {
            preconditionFailure("port \(self.listener.port) makes no URL")
        }
        self.url = url
    }

    func stop() {
        self.listener.stop()
    }

    /// The records of a GET from the start of the feed, each with its bytes.
    func records(of collection: String) async throws -> [(pk: String, data: [UInt8])] {
        let request = ExchangeRequest(collection: collection, cursor: nil, limit: 100)
        let page = try await HTTPRemote(self.url).exchange(request).page
        return page.rows.filter { !$0.isTombstone }.map { (page.pk(of: $0), Array(page.bytes[$0.data])) }
    }
}
