public import Observation
public import TidemarkRules

/// How a client stands as a view shows it: it reads ``status``, and is drawn again when that changes.
///
/// ```swift
/// let model = await StatusModel(client)   // kept by the view, as @State
/// await model.follow()                    // .task { await model.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts nothing by itself.
@MainActor
@Observable
public final class StatusModel {
    /// How the client stands; nil before it was read.
    public private(set) var status: ClientStatus?

    /// Why the model follows no more: what the store threw. Nil while all is well; ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let client: SyncClient

    /// Makes a model, which shows nothing until it is followed.
    public init(_ client: SyncClient) {
        self.client = client
    }

    /// Reads how the client stands and follows what changes; see ``SyncClient/statuses``.
    ///
    /// It returns when the task is cancelled or the client is closed, and when the store fails, which ``failure`` tells.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await status in self.client.statuses { self.status = status }
        } catch {
            self.failure = error
        }
    }
}
