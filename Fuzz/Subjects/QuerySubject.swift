import TidemarkCore
import TidemarkServer
import TidemarkWire

/// The target of a first line, then a collection, a cursor, a limit and a seen cursor, one on a line: what the client
/// writes is what the server reads (Contract §5).
enum QuerySubject {
    private static let core = ServerSubject.core()

    static func examine(_ input: [UInt8]) {
        let lines = input.lines.map(\.repairedText)
        let asked = ServerRequest(method: "GET", target: lines[0])
        ServerSubject.examine(self.core.handle(asked), to: asked)
        guard lines.count >= 3 else { return }
        let limit = lines.count > 3 ? Int(lines[3]) ?? 1 : 1
        let seen = lines.count > 4 ? lines[4] : nil
        self.examine(
            ExchangeRequest(
                collection: lines[1], cursor: lines[2], seen: seen, limit: limit, countsRows: limit > 5))
    }

    private static func examine(_ request: ExchangeRequest) {
        let wire = WireRequest(request)
        law("a target is written in visible ASCII") { wire.target.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        let read = ServerRequest(method: wire.method, target: "/v1\(wire.target)")
        law("the server reads the cursor that the client wrote") {
            read.parameter("max_updated_at").map { Array($0.utf8) } == request.cursor.map { Array($0.utf8) }
        }
        law("the server reads the seen cursor that the client wrote") {
            read.parameter("seen").map { Array($0.utf8) } == request.seen.map { Array($0.utf8) }
        }
        law("the server reads the limit that the client wrote") { read.parameter("limit") == "\(request.limit)" }
        let answer = self.core.handle(read)
        ServerSubject.examine(answer, to: read)
        if (1...512).contains(request.collection.utf8.count), request.limit > 0 {
            law("every name is a collection's") { answer.status == 200 || answer.status == 410 }
        }
    }
}
