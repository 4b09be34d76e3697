internal import TidemarkCore
internal import TidemarkGzip
internal import TidemarkMachine

/// A whole answer.
struct ReceivedReply: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []

    /// The first value of a field; names are compared without regard to case (RFC 9110 §5.1).
    func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return self.headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The same with its body unpacked, which must be whole: an answer without the end of its gzip has broken off,
    /// however well its JSON ends (RFC 1952 §2.3).
    func unpacked(for call: HTTPCall) throws(RemoteFailure) -> ReceivedReply {
        guard let coding = self.header("Content-Encoding")?.lowercased(), !self.body.isEmpty else { return self }
        switch coding {
        case "identity", "": return self
        case "gzip", "x-gzip": break
        default: throw .notAsked(call.base, coding)
        }
        var reply = self
        do throws(GzipError) {
            reply.body = try Gzip.decompress(self.body, limit: call.options.answerLimit)
        } catch {
            throw error.code == .tooLarge
                ? .tooLarge(call.base, call.options.answerLimit) : .brokenOff(call.base, error.message)
        }
        return reply
    }
}
