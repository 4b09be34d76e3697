import Tidemark

/// The longer of two texts wins, and the other goes to the journal.
struct Longest: FieldRule {
    func decide(_ field: FieldConflict) -> FieldOutcome {
        guard let server = field.server?.string, let client = field.client?.string else { return .client }
        return server.count > client.count ? .server : .client
    }
}

func shopRules() throws(TidemarkError) -> FieldRules {
    try FieldRules([("/title", Longest()), ("/count", .sum), ("/lines", .keyed("id")), ("/lines/*/price", .ask)])
}
