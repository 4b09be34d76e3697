public import Observation
public import TidemarkRules

/// The status of a client for a view: it reads ``status``, and is drawn again when that changes.
///
/// ```swift
/// let model = await StatusModel(client)   // kept by the view, as @State
/// await model.follow()                    // .task { await model.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task.
@MainActor
@Observable
public final class StatusModel {
    /// The status of the client; nil before it was read.
    public private(set) var status: SyncStatus?

    /// The error of the store that ended ``follow()``; nil if there was none. Another ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let client: SyncClient

    /// Makes a model, which is empty until ``follow()`` is called.
    public init(_ client: SyncClient) {
        self.client = client
    }

    /// Reads the status of the client and follows its changes; see ``SyncClient/statuses``.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await status in self.client.statuses { self.status = status }
        } catch {
            self.failure = error
        }
    }
}
