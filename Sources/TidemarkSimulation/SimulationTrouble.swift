import TidemarkCore

extension SimulationStep {
    /// A fault of the server or of a proxy that lasts until it is changed. It applies to all requests; a message fault
    /// applies to one request.
    package enum Trouble: Hashable, Sendable {
        /// No trouble.
        case none

        /// Each page has no rows, declares more, and has another cursor.
        case emptyPages

        /// Each page is the first page, and declares more.
        case circle

        /// Each page is the first page, declares more, and has another cursor. A page without a live record is
        /// unchanged.
        case knownRows

        /// Each page has one deletion of a record that never was, and declares more. Three cursors repeat.
        case strangers

        /// Each page has the same new row, in one of two versions, and declares more. Two cursors repeat. A page without a new row
        /// is unchanged.
        case alternating

        /// Each page has a cursor that exceeds the size limit.
        case longCursor

        /// Each page declares more, and has the cursor of the request.
        case standstill

        /// Each edit has two results, the second one a refusal.
        case doubledResults

        /// Other clients post invalid edits: without a name, and with a name that is too long.
        case oddNames

        /// A record has no data in each item.
        case oddItem(Place)

        /// Each page has an additional item without a name.
        case namelessItems

        /// Other devices are faster: before each edit arrives, another member of its record changes.
        case contention

        /// Each POST gets a status, or (0) no answer. Each GET is answered.
        case unwritable(Int)

        /// Each POST with an edit of this record gets a status, or (0) no answer.
        case poison(Place, Int)
    }
}

extension SimulationStep.Trouble {
    private static let plain: [(name: String, trouble: Self)] = [
        ("none", .none), ("empty-pages", .emptyPages), ("circle", .circle), ("known-rows", .knownRows),
        ("strangers", .strangers), ("alternating", .alternating),
        ("long-cursor", .longCursor), ("contention", .contention), ("standstill", .standstill),
        ("doubled-results", .doubledResults),
        ("odd-names", .oddNames), ("nameless-items", .namelessItems),
    ]

    var text: String {
        switch self {
        case .unwritable(let status): "unwritable \(status)"
        case .poison(let place, let status): "poison \(place.text) \(status)"
        case .oddItem(let place): "odd-item \(place.text)"
        case .none, .emptyPages, .circle, .knownRows, .strangers, .alternating, .longCursor, .contention,
            .standstill, .doubledResults, .oddNames, .namelessItems:
            Self.plain.first { $0.trouble == self }?.name ?? ""
        }
    }

    init?(_ words: inout SimulationStep.Words) {
        let name = words.next()
        let trouble: Self?
        switch name {
        case "unwritable": trouble = words.count().map { .unwritable($0) }
        case "odd-item": trouble = words.place().map { .oddItem($0) }
        case "poison":
            guard let place = words.place(), let status = words.count() else { return nil }
            trouble = .poison(place, status)
        case _: trouble = Self.plain.first { $0.name == name }?.trouble
        }
        guard let trouble else { return nil }
        self = trouble
    }

    /// The delivery of a request that the trouble affects; nil for another request.
    func fate(of request: ExchangeRequest) -> SimulationStep.RequestFate? {
        switch self {
        case .none, .emptyPages, .circle, .knownRows, .strangers, .alternating, .longCursor, .contention,
            .standstill, .doubledResults, .oddNames, .oddItem, .namelessItems:
            return nil
        case .unwritable(let status):
            guard !request.uploads.isEmpty else { return nil }
            return status == 0 ? .lost : .status(status)
        case .poison(let place, let status):
            guard place.collection == request.collection, request.uploads.contains(where: { $0.pk == place.pk }) else {
                return nil
            }
            return status == 0 ? .lost : .status(status)
        }
    }
}
