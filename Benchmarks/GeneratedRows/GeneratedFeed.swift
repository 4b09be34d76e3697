import Synchronization
package import TidemarkCore

/// A server that makes its rows on demand, page after page, and accepts no edits.
package final class GeneratedFeed: Remote {
    /// The rows are made as a Tidemark server makes them.
    public let capabilities = RemoteCapabilities.native

    private let pages: Mutex<FeedPages>

    package init(rows: Int, pageSize: Int) {
        self.pages = Mutex(FeedPages(rows: rows, pageSize: pageSize))
    }

    package func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let page = self.pages.withLock { $0.next() }
        return try JSONAnswer.decode(page, to: request)
    }
}
