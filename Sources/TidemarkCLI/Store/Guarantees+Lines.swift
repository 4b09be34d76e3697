import Tidemark

extension [SyncGuarantee: SyncGuarantee.Level] {
    /// A line for each guarantee that is limited or missing, in their order. Empty for a Tidemark server, which gives all.
    var lines: [String] {
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
