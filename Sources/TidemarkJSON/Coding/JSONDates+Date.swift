#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension JSONDates {
        /// Makes a format from two closures; nil means that the format has no such date.
        public init(
            _ name: String, json: @escaping @Sendable (Date) -> JSON?, date: @escaping @Sendable (JSON) -> Date?
        ) {
            self.init(
                name, writing: { json(Date(timeIntervalSinceReferenceDate: $0)) },
                reading: { date($0)?.timeIntervalSinceReferenceDate })
        }

        /// The date as JSON, or nil if this format has no such date.
        public func json(of date: Date) -> JSON? { self.writing(date.timeIntervalSinceReferenceDate) }

        /// The date for a JSON value, or nil if it has another format.
        public func date(of json: JSON) -> Date? {
            self.reading(json).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }
#endif
