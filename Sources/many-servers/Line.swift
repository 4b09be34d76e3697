import TidemarkCarrier
import TidemarkJSON

/// A way to all servers for one account; each request goes to any of them.
struct Line: Sendable {
    private let carriers: [HTTPCarrier]

    init(to urls: [String], token: String) throws {
        let limits = HTTPCarrier.Limits(silence: .seconds(20), whole: .seconds(40))
        self.carriers = try urls.map { try HTTPCarrier(url: $0, auth: .bearer(token), limits: limits) }
    }

    /// What a server said.
    enum Answer {
        /// The ANSWER.
        case page(JSON)
        /// A refusal that no repetition changes.
        case refused(String)
        /// No answer, or one that says to come again.
        case nothing(String)
    }

    func send(_ request: CarrierRequest, to server: Int) async -> Answer {
        do throws(CarrierFailure) {
            let answer = try await self.carriers[server].send(request)
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
