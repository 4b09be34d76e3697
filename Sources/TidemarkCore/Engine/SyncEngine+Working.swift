import TidemarkJSON
import TidemarkMachine

// What is made of an answer besides its contents: whether its feed makes sense, and what it says of earlier failures.

extension SyncEngine {
    /// What is wrong with an answer before anything of it is taken in; nil when nothing is. What it names is saved and
    /// sent with each request, so it must not be of any size.
    func flaw(of answer: ExchangeAnswer) -> String? {
        let limit = self.configuration.limits.watermarkSize
        let names = [("watermark", answer.watermark), ("epoch", answer.epoch), ("account", answer.account)]
        guard let (name, text) = names.first(where: { $0.1.utf8.count > limit }) else { return nil }
        return "The server's \(name) has \(text.utf8.count) bytes, and \(limit) are the most that is taken."
    }

    /// Why a feed that says there is more is not followed; nil when it is (I8).
    ///
    /// - Parameters:
    ///   - state: How far the feed was read before this answer.
    ///   - changed: How many rows of the page changed something here.
    func flawOfFeed(
        _ answer: ExchangeAnswer, after state: CollectionState, changed: Int, wasPosting: Bool, in collection: String
    ) -> String? {
        var exchange = self.exchange(of: collection)
        let page = answer.page
        // A POST brings results, and a row that is in them need not come again (W6).
        // A page of what is known already is as good as none, but for a listing from the start, which names everything.
        let bringsNothing = changed == 0 && page.malformed.isEmpty && (page.rows.isEmpty || !state.isListing)
        let isEmpty = answer.hasMore && bringsNothing && !wasPosting
        exchange.walk.emptyPages = isEmpty ? exchange.walk.emptyPages + 1 : 0
        self.keep(exchange, of: collection)
        guard answer.hasMore else { return nil }
        if let watermark = state.watermark, CodePointString(watermark) == CodePointString(answer.watermark) {
            return "The server says there is more, but its watermark stands still."
        }
        if exchange.walk.hasPassed(answer.watermark) {
            return "The server's feed goes round in a circle: a watermark came again, with more to come after it."
        }
        if exchange.walk.emptyPages >= self.configuration.limits.emptyPages {
            return "The server says there is more, and sent \(exchange.walk.emptyPages) pages without anything new."
        }
        return nil
    }

    /// The feed was read to here.
    func pass(_ watermark: String, in collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.walk.pass(watermark)
        self.keep(exchange, of: collection)
    }

    /// Only this takes back what failed POSTs have led to.
    func noteThatPostWorked(in collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.forgetFailures()
        exchange.readsFirst = false
        exchange.loners.noteWrite()
        exchange.batchSize = Self.doubled(exchange.batchSize, below: self.configuration.limits.batchSize)
        exchange.pageSize = Self.doubled(exchange.pageSize, below: self.configuration.limits.pageSize)
        self.keep(exchange, of: collection)
    }

    /// A GET says nothing about the POST that failed before it (SPEC §3.1), or else poison would never be bisected. Nor
    /// does a page that brought nothing new and says that there is more end a back-off.
    func noteThatGetWorked(in collection: String, isProgress: Bool) {
        var exchange = self.exchange(of: collection)
        exchange.readsFirst = false
        if exchange.postFailure == nil {
            exchange.pageSize = Self.doubled(exchange.pageSize, below: self.configuration.limits.pageSize)
            if isProgress {
                exchange.attempts = 0
                exchange.failure = nil
            }
        }
        self.keep(exchange, of: collection)
    }

    /// Nothing is left to do, so no POST is left that could fail again.
    func noteRest(in collection: String) {
        var exchange = self.exchange(of: collection)
        exchange.forgetFailures()
        exchange.loners.canWrite = false
        self.keep(exchange, of: collection)
    }

    private static func doubled(_ size: Int?, below limit: Int) -> Int? {
        size.flatMap { $0 * 2 < limit ? $0 * 2 : nil }
    }
}
