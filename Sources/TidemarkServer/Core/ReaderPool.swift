import Synchronization

/// The readers that a storage has beside its writer; each is used by one caller at a time.
final class ReaderPool: Sendable {
    private final class Place: Sendable {
        let reader: Mutex<any ServerReader>

        init(_ reader: sending any ServerReader) {
            self.reader = Mutex(reader)
        }

        /// Runs `work` here; nil where somebody else does, and it is not to be waited for.
        func read<Outcome: Sendable>(
            waiting: Bool, _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
        ) -> Result<Outcome, ServerStorageError>? {
            // Written out twice: a closure that is made once may not be sent into the lock.
            guard waiting else {
                return self.reader.withLockIfAvailable { reader -> Result<Outcome, ServerStorageError> in
                    do throws(ServerStorageError) {
                        return .success(try work(reader))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return self.reader.withLock { reader -> Result<Outcome, ServerStorageError> in
                do throws(ServerStorageError) {
                    return .success(try work(reader))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private let places: [Place]
    private let turn = Atomic(0)

    /// Opens as many readers as the storage has, up to `count`.
    ///
    /// Where one can't be opened the server does with fewer, and in the end with the writer alone: that is slower, and right.
    init(
        of storage: any ServerStorage, count: Int, report: (ServerStorageError) -> Void
    ) {
        var places: [Place] = []
        do throws(ServerStorageError) {
            while places.count < count, let reader = try storage.openReader() {
                places.append(Place(reader))
            }
        } catch {
            report(error)
        }
        self.places = places
    }

    /// Runs `work` on a reader; nil where there is none.
    func read<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) -> Result<Outcome, ServerStorageError>? {
        guard !self.places.isEmpty else { return nil }
        for place in self.places {
            if let result = place.read(waiting: false, work) { return result }
        }
        // All are in use: whose turn it is to be waited for goes round, so that nobody is waited for by all.
        let turn = self.turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return self.places[Int(turn.magnitude % UInt(self.places.count))].read(waiting: true, work)
    }
}
