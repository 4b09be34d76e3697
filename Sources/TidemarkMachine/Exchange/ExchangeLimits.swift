/// What an exchange may not go beyond (SPEC §3.7).
package struct ExchangeLimits: Hashable, Sendable {
    /// How many edits one POST carries at most.
    package var batchSize: Int

    /// How many items one page brings at most.
    package var pageSize: Int

    /// How many pages in a row may bring no item and yet say that there is more (I8).
    package var emptyPages: Int

    /// How many known rows one sync is shown at most, beyond as many as there are records here (I8).
    package var knownRows: Int

    /// How many POSTs in a row have to bring no answer at all before it may be the doing of what they carry.
    package var silentTries: Int

    /// How many lost histories one sync follows, and how many listings that a server begins by itself, before it waits (SPEC §6, I8).
    package var listings: Int

    /// How often a change may come back before it waits for the next sync (SPEC §3.3).
    package var rounds: Int

    /// How often a record has to fail alone before it is held (SPEC §3.6).
    package var loneFailures: Int

    /// Names the limits.
    package init(
        batchSize: Int, pageSize: Int, emptyPages: Int, knownRows: Int, silentTries: Int, listings: Int, rounds: Int,
        loneFailures: Int
    ) {
        self.batchSize = batchSize
        self.pageSize = pageSize
        self.emptyPages = emptyPages
        self.knownRows = knownRows
        self.silentTries = silentTries
        self.listings = listings
        self.rounds = rounds
        self.loneFailures = loneFailures
    }

    /// Whether a record is held that has failed alone so often.
    package func isPoison(after failures: Int) -> Bool { failures >= self.loneFailures }
}
