#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Tidemark's times are a `Duration` since 1970, so that a small app on Linux links no Foundation. These are the same times for
    // an app that shows them.

    extension Date {
        /// A time of Tidemark, such as ``RecordExplanation/nextTry``, as a date.
        ///
        /// - Parameter time: Since 1970-01-01T00:00:00Z.
        public init(sinceEpoch time: Duration) {
            let (seconds, attoseconds) = time.components
            self.init(timeIntervalSince1970: Double(seconds) + Double(attoseconds) / 1e18)
        }
    }

    extension SyncStatus {
        /// ``lastInSync`` as a date.
        public var lastInSyncDate: Date? { self.lastInSync.map(Date.init(sinceEpoch:)) }

        /// ``lastInSync(of:)`` as a date.
        public func lastInSyncDate(of collection: String) -> Date? {
            self.lastInSync(of: collection).map(Date.init(sinceEpoch:))
        }
    }

    extension SyncStatus.Summary {
        /// The time of the next try as a date; nil unless the summary is ``waiting(until:why:)``.
        ///
        /// ```swift
        /// if let next = try await client.status.summary.nextTryDate { print("Again at \(next)") }
        /// ```
        public var nextTryDate: Date? {
            if case .waiting(let time, _) = self { Date(sinceEpoch: time) } else { nil }
        }
    }

    extension SyncStatus.Collection {
        /// ``lastInSync`` as a date.
        public var lastInSyncDate: Date? { self.lastInSync.map(Date.init(sinceEpoch:)) }
    }

    extension SyncStatus.Run {
        /// ``budgetRenewal`` as a date.
        public var budgetRenewalDate: Date? { self.budgetRenewal.map(Date.init(sinceEpoch:)) }
    }

    extension SyncStatus.Run.CollectionRun {
        /// ``next`` as a date.
        public var nextDate: Date? { self.next.map(Date.init(sinceEpoch:)) }
    }

    extension SyncStatus.Run.Hints {
        /// When the client tries to receive change notifications again, as a date; nil if they arrive, while it tries, or if it
        /// will not.
        public var nextTryDate: Date? {
            if case .none(_, let time?) = self { Date(sinceEpoch: time) } else { nil }
        }
    }

    extension RecordExplanation {
        /// ``nextTry`` as a date.
        public var nextTryDate: Date? { self.nextTry.map(Date.init(sinceEpoch:)) }
    }

    extension CollectionReport {
        /// ``nextTry`` as a date.
        public var nextTryDate: Date? { self.nextTry.map(Date.init(sinceEpoch:)) }
    }

    extension SyncConfiguration.Event {
        /// ``time`` as a date.
        public var date: Date { Date(sinceEpoch: self.time) }
    }
#endif
