public import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// How many records one request of the tidying deletes.
    private static let tidiedAtOnce = 50

    /// Runs all checks that are fair to it over a server that is in use, each in a collection of its own, and deletes what it made.
    ///
    /// - Parameters:
    ///   - remote: The server, as the account that may be written to. What the checks make are a few hundred small
    ///     records; the tombstones of those stay until the server forgets them.
    ///   - prefix: How the names of all collections begin; it must not have been used before.
    ///   - limit: How long the checks may take together. A check that is not finished then, and each that has not begun, is
    ///     ``ConformanceReport/Outcome/unchecked(_:)``. Deleting what was made has 30 s more.
    ///   - time: The clock by which answers, hints and the run are ended; the real one when it is nil.
    ///   - told: Hears of each check when it is through.
    /// - Returns: Why something that was made is still there; nil where nothing is.
    /// - Throws: What `told` throws; then, too, all is tidied up.
    public static func examine(
        _ remote: some Remote, prefix: String, within limit: Duration = Self.usualLimit,
        time: (any TimeSource)? = nil, told: (ConformanceReport) async throws -> Void
    ) async throws -> String? {
        let time = ConformanceTime(time, within: limit)
        let recorder = ConformanceRecorder(remote)
        do {
            for (number, check) in Self.checks(for: remote.capabilities).enumerated() {
                let outcome = await Self.outcome(
                    of: check, on: recorder, in: "\(prefix)-\(number + 1)", time: time)
                try await told(
                    ConformanceReport(
                        check: check.name, rules: check.rules, outcome: outcome, evidence: recorder.takeLines()))
            }
        } catch {
            _ = await Self.tidy(recorder, remote, time.forTidying)
            throw error
        }
        return await Self.tidy(recorder, remote, time.forTidying)
    }

    private static func outcome(
        of check: Check, on remote: ConformanceRecorder, in collection: String, time: ConformanceTime
    ) async -> ConformanceReport.Outcome {
        do {
            try await check.runOrSkip(on: remote, in: collection, time: time)
            return .kept
        } catch let skip as ConformanceSkip {
            return .skipped(skip.why)
        } catch let end as ConformanceTimeUp {
            return .unchecked(end.description)
        } catch let failure as RemoteFailure {
            switch failure.failureClass {
            case .offline, .busy, .auth, .portal, .cancelled, .identityChanged: return .unchecked(failure.message)
            case .refused, .protocol, .notFound, .historyLost: return .broken(failure.message)
            }
        } catch {
            return .broken("\(error)")
        }
    }

    /// Deletes all records of the collections that were used.
    private static func tidy(
        _ recorder: ConformanceRecorder, _ remote: some Remote, _ time: ConformanceTime
    ) async -> String? {
        var trouble: String?
        for collection in recorder.collections {
            do {
                try await Self.empty(RemoteProbe(remote, collection: collection, time: time))
            } catch {
                trouble = trouble ?? "\(collection): \(error)"
            }
        }
        return trouble
    }

    private static func empty(_ probe: RemoteProbe) async throws {
        var rows = try await probe.listing().rows.filter { $0.version.data != nil }[...]
        while !rows.isEmpty {
            let some = rows.prefix(self.tidiedAtOnce)
            rows = rows.dropFirst(some.count)
            _ = try await probe.post(some.map { RemoteProbe.delete($0.pk, $0.version, id: "tidy \($0.pk)") })
        }
        let left = try await probe.listing().rows.filter { $0.version.data != nil }.count
        try expect("the records that are left", left, is: 0)
    }
}
