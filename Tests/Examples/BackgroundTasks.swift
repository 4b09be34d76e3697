// The part of BackgroundTasks that examples use, if it is unavailable: an example is type-checked against the same declarations.
#if !canImport(BackgroundTasks)

    import Foundation

    nonisolated class BGTaskRequest {
        let identifier: String
        var earliestBeginDate: Date?

        init(identifier: String) { self.identifier = identifier }
    }

    nonisolated final class BGAppRefreshTaskRequest: BGTaskRequest {}

    nonisolated final class BGTaskScheduler: Sendable {
        static let shared = BGTaskScheduler()

        func submit(_ request: BGTaskRequest) throws {}
    }

#endif
