#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension JSONDates {
        /// Makes a form of two closures; nil says that there is no such date.
        public init(
            _ name: String, json: @escaping @Sendable (Date) -> JSON?, date: @escaping @Sendable (JSON) -> Date?
        ) {
            self.init(
                name, writing: { json(Date(timeIntervalSinceReferenceDate: $0)) },
                reading: { date($0)?.timeIntervalSinceReferenceDate })
        }

        /// The date as JSON, or nil where this form has no such date.
        public func json(of date: Date) -> JSON? { self.writing(date.timeIntervalSinceReferenceDate) }

        /// The date that JSON means, or nil if it has another form.
        public func date(of json: JSON) -> Date? {
            self.reading(json).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }
#endif
