import TidemarkCore
import TidemarkJSON

/// The text of a value in a message for the user, without the notation of a debugger.
enum ConformanceWords {
    static func text(of value: Any) -> String {
        switch value {
        case let value as any PossibleValue: value.content.map(Self.text) ?? "nothing"
        case let value as String: "“\(value)”"
        case let value as CodePointString: "“\(value.value)”"
        case let value as JSON: value.text
        case let value as RemoteProbe.Row: "“\(value.pk)” with \(Self.words(for: value.version))"
        case let value as RemoteProbe.Named: "“\(value.pk)” with \(Self.words(for: value.version))"
        case let value as StoredVersion: Self.words(for: value)
        case let value as UploadResult: "the result of “\(value.requestID)”: \(Self.words(for: value.outcome))"
        case let value as UploadResult.Outcome: Self.words(for: value)
        case let value as QuarantinedItem: "an item that is malformed: \(value.reason)"
        case let value as Set<String>: Self.list(value.sorted())
        case let value as [Any]: Self.list(value)
        default: "\(value)"
        }
    }

    /// An edit, as in “the edit EDITED “a” of 17”.
    static func name(of upload: UploadRequest) -> String {
        let pk = JSON.string(JSONString(upload.pk)).text
        return "\(upload.intent.rawValue) \(pk)\(upload.version.map { " of \($0)" } ?? "")"
    }

    /// - Parameter isShort: Whether the content of a row is left out.
    static func words(for outcome: UploadResult.Outcome, isShort: Bool = false) -> String {
        switch outcome {
        case .accepted(let version): "accepted as \(Self.words(for: version, isShort: isShort))"
        case .conflicted(let version): "conflicted with \(Self.words(for: version, isShort: isShort))"
        case .refused(let problem): "refused with \(problem.status) (\(problem.title))"
        case .unknown: "with an unknown outcome"
        }
    }

    static func words(for version: StoredVersion, isShort: Bool = false) -> String {
        switch (version.version, version.text) {
        case (nil, _): "no row"
        case (.some(let version), nil): "the tombstone \(version)"
        case (.some(let version), .some) where isShort: version
        case (.some(let version), .some(let data)): "version \(version), \(data)"
        }
    }

    private static func list(_ values: [Any]) -> String {
        values.isEmpty ? "none" : values.map(Self.text).joined(separator: "; ")
    }
}

/// An optional value of any type.
private protocol PossibleValue {
    var content: Any? { get }
}

extension Optional: PossibleValue {
    fileprivate var content: Any? { self }
}
