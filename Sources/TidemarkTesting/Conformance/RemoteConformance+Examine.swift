public import TidemarkCore
import TidemarkMachine

extension RemoteConformance {
    /// The number of records that one request of the clean-up deletes.
    private static let tidiedAtOnce = 50

    /// Runs all applicable checks over a server in use, each in a separate collection, and deletes the checks' records.
    ///
    /// - Parameters:
    ///   - remote: The server, with an account that may be written to. The checks make a few hundred small records; their
    ///     tombstones remain until the server purges them.
    ///   - prefix: The prefix of all collection names; it must not have been used before.
    ///   - limit: The time limit of all checks together. A check that is unfinished then, and each later one, is
    ///     ``ConformanceReport/Outcome/unchecked(_:)``. The deletion of the records has 30 s more.
    ///   - time: The clock of all time limits; nil for the real one.
    ///   - told: Gets the report of each check when it is finished.
    /// - Returns: Why a record of the checks could not be deleted; nil if all were.
    /// - Throws: The error of `told`; the records are deleted in that case, too.
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
            case .refused, .invalidAnswer, .notFound, .historyLost: return .broken(failure.message)
            }
        } catch {
            return .broken("\(error)")
        }
    }

    /// Deletes all records of the used collections.
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
        try expect("the remaining records", left, is: 0)
    }
}
