import Tidemark

extension [SyncPromise: SyncPromise.Standing] {
    /// What is not plainly kept, for a person, in the order of the promises. Over a Tidemark server that is nothing, and nothing
    /// is said.
    var lines: [String] {
        self.sorted { $0.key < $1.key }.compactMap { promise, standing in
            switch standing {
            case .kept: nil
            case .within(let time, let reason): "\(promise.name) is kept within \(time.inWords): \(reason)"
            case .reported(let reason): "\(promise.name) is reported where it is not kept: \(reason)"
            case .notKept(let reason): "\(promise.name) is not kept: \(reason)"
            }
        }
    }
}
