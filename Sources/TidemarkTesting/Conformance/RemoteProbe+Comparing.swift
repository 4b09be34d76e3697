import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// A value that a check compares as the server declares it: byte for byte, or by value and without the server's members.
protocol ComparedContent {
    associatedtype Form: Equatable

    func form(for probe: RemoteProbe) -> Form
}

extension RemoteProbe {
    /// A version in the form in which two are compared.
    struct ComparedVersion: Equatable {
        var version: String?
        var bytes: [UInt8]?
        var value: JSON?
    }

    /// An outcome in the form in which two are compared.
    struct ComparedOutcome: Equatable {
        var kind: String
        var version: ComparedVersion?
        var problem: ProblemDetails?
    }

    /// Throws a ``ConformanceFailure`` unless both have the same versions and contents.
    func compare<Value: ComparedContent>(_ subject: String, _ found: Value, is expected: Value) throws {
        guard found.form(for: self) == expected.form(for: self) else {
            throw ConformanceFailure(subject, expected: expected, found: found)
        }
    }

    /// Throws a ``ConformanceFailure`` unless a row has this content.
    func compare(_ subject: String, of version: StoredVersion?, is text: String) throws {
        let expected = StoredVersion(version: version?.version, data: Array(text.utf8))
        guard let version, version.form(for: self) == expected.form(for: self) else {
            throw ConformanceFailure(subject, expected: text, found: version?.text ?? "none")
        }
    }

    /// Throws a ``ConformanceFailure`` unless an edit was refused; by the wire of Contract §5, with one of these statuses.
    @discardableResult
    func expectRefusal(
        _ subject: String, _ outcome: UploadResult.Outcome, with statuses: Int...
    ) throws -> ProblemDetails {
        let words = statuses.map(String.init).joined(separator: " or ")
        guard case .refused(let problem) = outcome else {
            throw ConformanceFailure(
                subject, expected: "to be refused with \(words)", found: ConformanceWords.text(of: outcome))
        }
        if self.remote.capabilities.members.isEmpty, !statuses.contains(problem.status) {
            throw ConformanceFailure(subject, expected: "the status \(words)", found: "\(problem.status)")
        }
        return problem
    }
}

extension StoredVersion: ComparedContent {
    func form(for probe: RemoteProbe) -> RemoteProbe.ComparedVersion {
        let capabilities = probe.remote.capabilities
        guard capabilities.values != .exact || !capabilities.members.isEmpty, let data = self.data,
            let value = try? JSON(parsing: data)
        else { return RemoteProbe.ComparedVersion(version: self.version, bytes: self.data) }
        return RemoteProbe.ComparedVersion(version: self.version, value: capabilities.members.removed(from: value))
    }
}

extension RemoteProbe.Row: ComparedContent {
    struct Form: Equatable {
        var pk: CodePointString
        var version: RemoteProbe.ComparedVersion
    }

    func form(for probe: RemoteProbe) -> Form {
        Form(pk: CodePointString(self.pk), version: self.version.form(for: probe))
    }
}

extension UploadResult.Outcome: ComparedContent {
    func form(for probe: RemoteProbe) -> RemoteProbe.ComparedOutcome {
        switch self {
        case .accepted(let version): RemoteProbe.ComparedOutcome(kind: "accepted", version: version.form(for: probe))
        case .conflicted(let version):
            RemoteProbe.ComparedOutcome(kind: "conflicted", version: version.form(for: probe))
        case .refused(let problem): RemoteProbe.ComparedOutcome(kind: "refused", problem: problem)
        case .unknown: RemoteProbe.ComparedOutcome(kind: "unknown")
        }
    }
}

extension UploadResult: ComparedContent {
    struct Form: Equatable {
        var requestID: String
        var outcome: RemoteProbe.ComparedOutcome
    }

    func form(for probe: RemoteProbe) -> Form {
        Form(requestID: self.requestID, outcome: self.outcome.form(for: probe))
    }
}

extension Array: ComparedContent where Element: ComparedContent {
    func form(for probe: RemoteProbe) -> [Element.Form] { self.map { $0.form(for: probe) } }
}

extension Optional: ComparedContent where Wrapped: ComparedContent {
    func form(for probe: RemoteProbe) -> Wrapped.Form? { self.map { $0.form(for: probe) } }
}
