import TidemarkMachine

// What a sync tells while it goes on.

extension SyncEngine {
    /// Tells the app that a record goes up, or that no one knows whether it arrived.
    func tellUpload(of record: Record, in collection: String, _ effects: inout [Effect]) {
        effects.append(
            .tell(Change(collection: collection, pk: record.pk, origin: .upload, phase: record.machine.phase)))
    }

    /// Counts what an answer brought.
    func count(_ answer: ExchangeAnswer, in collection: String) {
        var exchange = self.exchange(of: collection)
        let rows = answer.page.rows.count
        exchange.received += rows
        exchange.left = answer.left ?? exchange.left.map { max(0, $0 - rows) }
        self.keep(exchange, of: collection)
    }
}

extension Exchange {
    /// How far the sync is that goes on.
    func progress(of collection: String, isOver: Bool) -> CollectionProgress {
        CollectionProgress(
            collection: collection, received: self.received, left: self.left,
            sent: self.report?.pushed.count ?? 0, isOver: isOver)
    }
}
