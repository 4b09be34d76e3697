/// Reads an HTTP/1.1 answer from pieces of any size (RFC 9112), and knows whether it came whole.
struct ResponseReader {
    /// Why an answer can't be used.
    enum Fault: Error, Hashable {
        /// This is no HTTP.
        case notHTTP

        /// The body is larger than the limit.
        case tooLarge

        /// The connection ended too early.
        case brokenOff
    }

    private enum State {
        case head
        case body(left: Int)
        case bodyUntilEnd
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case complete
    }

    /// How long the head of an answer, or one line, may be.
    private static let headLimit = 65_536

    /// The answer, as far as it has come; nil before its head has.
    private(set) var reply: ReceivedReply?

    private let limit: Int
    private var state = State.head
    private var status: Int?
    private var headers: [(name: String, value: String)] = []
    private var headSize = 0
    private var line: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the answer came whole.
    var isComplete: Bool {
        if case .complete = self.state { true } else { false }
    }

    /// Takes what came.
    mutating func take(_ bytes: [UInt8]) throws(Fault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch self.state {
            case .body(let left): self.state = Self.body(left: try self.takeBody(&rest, atMost: left))
            case .bodyUntilEnd: _ = try self.takeBody(&rest, atMost: rest.count)
            case .chunk(let left):
                let left = try self.takeBody(&rest, atMost: left)
                self.state = left == 0 ? .chunkEnd : .chunk(left: left)
            case .head, .chunkSize, .chunkEnd, .trailer:
                guard let line = try self.takeLine(&rest) else { return }
                try self.read(line)
            case .complete: return
            }
        }
    }

    /// The connection ended: an answer whose length no one told is whole then, and any other is not.
    mutating func end() throws(Fault) {
        switch self.state {
        case .bodyUntilEnd, .complete: self.state = .complete
        case .head, .body, .chunkSize, .chunk, .chunkEnd, .trailer: throw .brokenOff
        }
    }

    // MARK: Pieces

    /// Returns how much is still to come.
    private mutating func takeBody(_ rest: inout ArraySlice<UInt8>, atMost left: Int) throws(Fault) -> Int {
        let piece = rest.prefix(left)
        guard piece.count <= self.limit - (self.reply?.body.count ?? 0) else { throw .tooLarge }
        self.reply?.body.append(contentsOf: piece)
        rest = rest.dropFirst(piece.count)
        return left - piece.count
    }

    /// A whole line without its end; nil when more has to come.
    private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> String? {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        self.line += rest[..<(end ?? rest.endIndex)]
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard self.line.count <= Self.headLimit else { throw .notHTTP }
        guard end != nil else { return nil }
        if self.line.last == UInt8(ascii: "\r") {
            self.line.removeLast()
        }
        defer { self.line = [] }
        return String(decoding: self.line, as: UTF8.self)
    }

    private mutating func read(_ line: String) throws(Fault) {
        switch self.state {
        case .head: try self.readHead(line)
        case .chunkSize:
            let digits = line.prefix { $0 != ";" }.split(separator: " ").joined()
            guard !digits.hasPrefix("+"), !digits.hasPrefix("-"), let size = Int(digits, radix: 16) else {
                throw .notHTTP
            }
            self.state = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard line.isEmpty else { throw .notHTTP }
            self.state = .chunkSize
        case .trailer:
            if line.isEmpty {
                self.state = .complete
            }
        case .body, .bodyUntilEnd, .chunk, .complete: break
        }
    }

    // MARK: Head

    private mutating func readHead(_ line: String) throws(Fault) {
        self.headSize += line.utf8.count
        guard self.headSize <= Self.headLimit else { throw .notHTTP }
        if self.status == nil {
            self.status = try Self.status(line)
        } else if line.isEmpty {
            try self.finishHead()
        } else {
            guard let colon = line.firstIndex(of: ":") else { throw .notHTTP }
            let value = line[line.index(after: colon)...].split(whereSeparator: Self.isBlank).joined(separator: " ")
            self.headers.append((name: String(line[..<colon]), value: value))
        }
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }

    private static func status(_ line: String) throws(Fault) -> Int {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
            let status = Int(words[1]), status >= 100
        else { throw .notHTTP }
        return status
    }

    private mutating func finishHead() throws(Fault) {
        let reply = ReceivedReply(status: self.status ?? 0, headers: self.headers)
        self.status = nil
        self.headers = []
        // An interim answer; the real one comes after it (RFC 9110 section 15.2).
        guard reply.status >= 200 else { return }
        self.reply = reply
        self.state = try Self.state(after: reply)
    }

    /// How the length of the body is told (RFC 9112 section 6.3).
    private static func state(after reply: ReceivedReply) throws(Fault) -> State {
        if reply.status == 204 || reply.status == 304 { return .complete }
        if let coding = reply.header("Transfer-Encoding") {
            guard coding.lowercased() == "chunked" else { throw .notHTTP }
            return .chunkSize
        }
        guard let text = reply.header("Content-Length") else { return .bodyUntilEnd }
        guard let length = Int(text), length >= 0 else { throw .notHTTP }
        return Self.body(left: length)
    }

    private static func body(left: Int) -> State {
        left == 0 ? .complete : .body(left: left)
    }
}
