/// Where in a value a coder is, and what it goes by.
struct CodingPlace {
    /// The keys and indices from the root.
    private(set) var path: [any CodingKey] = []

    /// How dates are written.
    let dates: JSONDates

    init(dates: JSONDates) {
        self.dates = dates
    }

    /// One step further down.
    func below(_ key: any CodingKey) -> CodingPlace {
        var place = self
        place.path.append(key)
        return place
    }

    /// A value that JSON has no form for.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: self.path, debugDescription: "\(reason); encode nil or a string"))
    }
}
