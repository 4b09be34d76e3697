/// A whole answer, unpacked.
struct ReceivedReply: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []

    /// The first value of a field; names are compared without regard to case (RFC 9110 §5.1).
    func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return self.headers.first { $0.name.lowercased() == wanted }?.value
    }
}
