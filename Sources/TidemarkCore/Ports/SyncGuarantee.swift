/// A guarantee of the client over a server: the invariants I1 to I11 (Contract §7).
///
/// ```swift
/// configuration.accepts = [.noLostUpdates]      // the server checks no version: the last write overwrites earlier ones
/// ```
public enum SyncGuarantee: String, CaseIterable, Hashable, Sendable, Comparable {
    /// I1: a write that the server acknowledged is not lost without a reported conflict.
    case noLostUpdates

    /// I2: a local edit ends only when the server accepts it, a decision discards it, or it is resigned; the last two are
    /// journalled.
    case noLostEdits

    /// I3: when no edits and requests are left, every device shows the data of the server.
    case convergence

    /// I4: confirmed data is, byte for byte, a payload that the server sent.
    case exactData

    /// I5: an upload does not change until it is settled.
    case immutableUploads

    /// I6: the cursor never passes a row that was not applied.
    case noSkippedRows

    /// I7: every event has exactly one outcome in each phase of a record.
    case oneOutcome

    /// I8: without new input the number of requests is bounded.
    case boundedRequests

    /// I9: if a message is lost, repeated or delayed, the end is the same.
    case toleratesMessageLoss

    /// I10: if the process is killed at any moment, the client recovers.
    case crashRecovery

    /// I11: a create that the app gave up does not stay on the server.
    case noOrphans

    /// The number of the invariant in the contract: `I1` … `I11`.
    public var rule: String { "I\(self.number)" }

    /// The order of the contract.
    public static func < (left: SyncGuarantee, right: SyncGuarantee) -> Bool { left.number < right.number }

    private var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}

extension SyncGuarantee {
    /// How far a guarantee is kept over a server. The texts give the reason.
    public enum Level: Hashable, Sendable {
        /// Always.
        case kept

        /// Always, except for changes within this time.
        case within(Duration, String)

        /// The guarantee is not always kept, but each exception is reported or journalled.
        case reported(String)

        /// The guarantee is not kept.
        case notKept(String)
    }
}

extension [SyncGuarantee: SyncGuarantee.Level] {
    /// A line for each guarantee that is limited or missing, in their order, with the reason. Empty for a Tidemark server, which
    /// keeps all.
    ///
    /// ```swift
    /// for line in client.guarantees.lines { print(line) }      // I6 is kept within 5 seconds: …
    /// ```
    public var lines: [String] {
        self.sorted { $0.key < $1.key }.compactMap { guarantee, level in
            switch level {
            case .kept: nil
            case .within(let time, let reason): "\(guarantee.rule) is kept within \(time.inWords): \(reason)"
            case .reported(let reason): "\(guarantee.rule) is reported if it is not kept: \(reason)"
            case .notKept(let reason): "\(guarantee.rule) is not kept: \(reason)"
            }
        }
    }
}

extension Duration {
    /// In whole seconds, minutes, hours or days, rounded up.
    package var inWords: String {
        let (whole, attoseconds) = self.components
        let seconds = whole + (attoseconds > 0 ? 1 : 0)
        switch seconds {
        case ..<120: return seconds == 1 ? "1 second" : "\(seconds) seconds"
        case ..<7_200: return "\((seconds + 59) / 60) minutes"
        case ..<172_800: return "\((seconds + 3_599) / 3_600) hours"
        default: return "\((seconds + 86_399) / 86_400) days"
        }
    }
}
