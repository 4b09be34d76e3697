import TidemarkHTTPClient
import TidemarkJSON

/// Sends the requests of one account, each to any of the servers.
struct Line: Sendable {
    private let clients: [HTTPClient]

    init(to urls: [String], token: String) throws {
        let limits = HTTPClient.Limits(silence: .seconds(20), whole: .seconds(40))
        self.clients = try urls.map { try HTTPClient(url: $0, auth: .bearer(token), limits: limits) }
    }

    /// The answer of a server.
    enum Answer {
        /// The ANSWER.
        case page(JSON)
        /// A refusal that a retry would not change.
        case refused(String)
        /// No answer, or a request to retry.
        case nothing(String)
    }

    func send(_ request: HTTPRequest, to server: Int) async -> Answer {
        do throws(HTTPFailure) {
            let answer = try await self.clients[server].send(request)
            guard answer.status == 200 else {
                let text = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
                return answer.status >= 500 ? .nothing(text) : .refused(text)
            }
            guard let json = try? JSON(parsing: answer.body) else { return .refused("an answer is not JSON") }
            return .page(json)
        } catch {
            return .nothing("\(error)")
        }
    }
}

/// An account's collection.
struct Feed: Hashable, Sendable {
    var account: Int
    var collection: String

    static let all = [0, 1].flatMap { account in ["notes", "tags"].map { Feed(account: account, collection: $0) } }
}
