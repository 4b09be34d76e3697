/// The position of a coder in a value, and its options.
struct CodingPlace {
    /// The keys and indexes from the root.
    private(set) var path: [any CodingKey] = []

    /// The format of dates.
    let dates: JSONDates

    init(dates: JSONDates) {
        self.dates = dates
    }

    /// Returns the position one step down.
    func below(_ key: any CodingKey) -> CodingPlace {
        var place = self
        place.path.append(key)
        return place
    }

    /// Makes the error for a value that JSON has no form for.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: self.path, debugDescription: "\(reason); encode nil or a string"))
    }
}
