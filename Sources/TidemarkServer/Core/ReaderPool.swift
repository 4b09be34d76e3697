import Synchronization

/// The storage's readers, which read while its writer writes; each is used by one caller at a time.
final class ReaderPool: Sendable {
    private final class Place: Sendable {
        let reader: Mutex<any ServerReader>

        init(_ reader: sending any ServerReader) {
            self.reader = Mutex(reader)
        }

        /// Runs `work` here; nil if the reader is in use and `waiting` is false.
        func read<Outcome: Sendable>(
            waiting: Bool, _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
        ) -> Result<Outcome, ServerStorageError>? {
            // Written twice: a closure that is stored in a constant may not be sent into the lock.
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
    /// If a reader can't be opened, the server works with fewer, at worst with the writer alone: slower, but correct.
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

    /// Runs `work` on a reader; nil if the pool has none.
    func read<Outcome: Sendable>(
        _ work: (any ServerReader) throws(ServerStorageError) -> Outcome
    ) -> Result<Outcome, ServerStorageError>? {
        guard !self.places.isEmpty else { return nil }
        for place in self.places {
            if let result = place.read(waiting: false, work) { return result }
        }
        // All are in use: the callers wait for the readers in turn, so that they do not all wait for the same one.
        let turn = self.turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return self.places[Int(turn.magnitude % UInt(self.places.count))].read(waiting: true, work)
    }
}
