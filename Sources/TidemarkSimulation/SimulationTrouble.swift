import TidemarkCore

extension SimulationStep {
    /// What is wrong with a server, or with what stands before it, until it is told otherwise: what befalls request after request,
    /// where a fate befalls one.
    package enum Trouble: Hashable, Sendable {
        /// Nothing is.
        case none

        /// What is read brings no rows, and says that there are more, each time with another watermark.
        case emptyPages

        /// What is read brings the first page again and again, and says that there are more.
        case circle

        /// What is read brings the first page again and again, and says that there are more, each time with another watermark; a
        /// page without a record that is there comes as it is.
        case knownRows

        /// What is read brings a watermark that is longer than any name may be.
        case longWatermark

        /// What is read says that there are more, and brings the watermark that the request had.
        case standstill

        /// What is written is answered twice, and the second time as refused.
        case doubledResults

        /// Strangers post what nobody may: edits without a name, and with one that is too long.
        case oddNames

        /// A record comes without its data, whenever it comes as an item.
        case oddItem(Place)

        /// Each page has one more item, which has no name.
        case namelessItems

        /// Others are faster: whenever an edit arrives, another member of its record has just changed.
        case contention

        /// Whoever posts gets a status, or (0) no answer; who reads is served.
        case unwritable(Int)

        /// Whoever posts an edit of this record gets a status, or (0) no answer.
        case poison(Place, Int)
    }
}

extension SimulationStep.Trouble {
    private static let plain: [(name: String, trouble: Self)] = [
        ("none", .none), ("empty-pages", .emptyPages), ("circle", .circle), ("known-rows", .knownRows),
        ("long-watermark", .longWatermark), ("contention", .contention), ("standstill", .standstill),
        ("doubled-results", .doubledResults),
        ("odd-names", .oddNames), ("nameless-items", .namelessItems),
    ]

    var text: String {
        switch self {
        case .unwritable(let status): "unwritable \(status)"
        case .poison(let place, let status): "poison \(place.text) \(status)"
        case .oddItem(let place): "odd-item \(place.text)"
        case .none, .emptyPages, .circle, .knownRows, .longWatermark, .contention, .standstill, .doubledResults,
            .oddNames, .namelessItems:
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

    /// What becomes of a request before it arrives; nil where it does.
    func fate(of request: ExchangeRequest) -> SimulationStep.RequestFate? {
        switch self {
        case .none, .emptyPages, .circle, .knownRows, .longWatermark, .contention, .standstill, .doubledResults,
            .oddNames, .oddItem, .namelessItems:
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
