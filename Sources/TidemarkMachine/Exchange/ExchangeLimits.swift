/// The limits of an exchange (Contract §3.7).
package struct ExchangeLimits: Hashable, Sendable {
    /// The maximum number of edits in one POST.
    package var batchSize: Int

    /// The maximum number of items on one page.
    package var pageSize: Int

    /// How many GETs in a row may have a page without an item that yet announces more (I8).
    package var emptyPages: Int

    /// How many known rows the GETs of one sync read at most, beyond the number of records in the store (I8).
    package var knownRows: Int

    /// How many POSTs in a row have to get no answer at all before their edits may be the cause.
    package var unansweredPosts: Int

    /// How many lost histories one sync follows, and how many full resyncs that the server starts by itself, before it waits
    /// (Contract §6, I8).
    package var fullResyncs: Int

    /// How many answers that are too large one sync receives at most, before it waits (I8).
    package var oversizedAnswers: Int

    /// How often a change may conflict although no field clashes, before it waits for the next sync (Contract §3.3).
    package var rounds: Int

    /// How often a record has to fail alone before it is held (Contract §3.6).
    package var poisonFailures: Int

    package init(
        batchSize: Int, pageSize: Int, emptyPages: Int, knownRows: Int, unansweredPosts: Int, fullResyncs: Int,
        oversizedAnswers: Int, rounds: Int, poisonFailures: Int
    ) {
        self.batchSize = batchSize
        self.pageSize = pageSize
        self.emptyPages = emptyPages
        self.knownRows = knownRows
        self.unansweredPosts = unansweredPosts
        self.fullResyncs = fullResyncs
        self.oversizedAnswers = oversizedAnswers
        self.rounds = rounds
        self.poisonFailures = poisonFailures
    }

    /// Returns whether a record that has failed alone so often is held.
    package func isPoison(after failures: Int) -> Bool { failures >= self.poisonFailures }
}
