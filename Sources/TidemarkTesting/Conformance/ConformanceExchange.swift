import TidemarkCore

/// One request with its answer, as both were on the wire.
package struct ConformanceExchange: Sendable {
    /// The most bytes of a body that are shown.
    private static let shown = 2_048

    let url: String
    let hasToken: Bool
    let request: ConformanceRequest
    let answer: Result<ConformanceReply, RemoteFailure>

    /// The request, as a command of curl if its body can be written in one, and the answer; a line each, and the bodies.
    package var lines: [String] {
        self.requestLines + ["answer: \(self.answerLine)"] + self.answerBody
    }

    private var requestLines: [String] {
        let body = self.request.body ?? []
        guard body.count <= Self.shown, Self.isText(body) else {
            return ["request: \(self.request.method) \(self.url)\(self.request.target)"] + Self.cut(body)
        }
        var words = ["curl -sS -i"]
        if self.request.method != "GET" { words.append("-X \(self.request.method)") }
        switch self.request.credentials {
        case .own: if self.hasToken { words.append(#"-H "Authorization: Bearer $TOKEN""#) }
        case .none: break
        case .wrong: words.append("-H 'Authorization: Bearer wrong'")
        }
        for field in self.request.fields { words.append("-H \(Self.quoted("\(field.name): \(field.value)"))") }
        if self.request.body != nil {
            words.append("--data-binary \(Self.quoted(String(decoding: body, as: UTF8.self)))")
        }
        words.append(Self.quoted("\(self.url)\(self.request.target)"))
        return ["request: \(words.joined(separator: " "))"]
    }

    private var answerLine: String {
        switch self.answer {
        case .success(let reply):
            "\(reply.status)\(reply.field("Content-Type").map { ", \($0)" } ?? ", without a Content-Type")"
        case .failure(let failure): "none: \(failure.message)".cutForEvidence
        }
    }

    private var answerBody: [String] {
        guard case .success(let reply) = self.answer else { return [] }
        return Self.cut(reply.body)
    }

    private static func cut(_ body: [UInt8]) -> [String] {
        guard !body.isEmpty else { return [] }
        guard body.count > self.shown else { return [String(decoding: body, as: UTF8.self)] }
        return ["\(String(decoding: body.prefix(self.shown), as: UTF8.self))… (\(body.count) bytes)"]
    }

    /// Whether a command can contain the body: text without a control character.
    private static func isText(_ body: [UInt8]) -> Bool {
        body.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: body, as: UTF8.self) != nil
    }

    /// A word in the single quotes of a shell, byte by byte.
    private static func quoted(_ word: String) -> String {
        var bytes = [UInt8(ascii: "'")]
        for byte in word.utf8 {
            bytes += byte == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [byte]
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}
