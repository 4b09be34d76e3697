import Tidemark
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// Writes to one feed: its own records, and a few that all writers change. An unanswered request is repeated unchanged (Contract
/// W4).
struct Writer {
    private let name: String
    private let feed: Feed
    private let line: Line
    private let servers: Int
    private let ledger: Ledger
    private var random: SeededGenerator
    private var versions: [String: Int] = [:]
    private var count = 0

    init(_ number: Int, line: Line, servers: Int, ledger: Ledger, seed: UInt64) {
        self.name = "w\(number)"
        self.feed = Feed.all[number % Feed.all.count]
        self.line = line
        self.servers = servers
        self.ledger = ledger
        self.random = SeededGenerator(seed: seed &+ UInt64(number) &* 7_919)
    }

    static func account(of number: Int) -> Int { Feed.all[number % Feed.all.count].account }

    /// Writes until the time is over, and then finishes the edits that it has begun.
    mutating func write(until end: ContinuousClock.Instant) async {
        while ContinuousClock.now < end {
            var open = self.marks()
            while !open.isEmpty {
                guard let rest = await self.post(open) else { return }
                open = rest
            }
        }
    }

    /// Returns one to four changes of different records.
    private mutating func marks() -> [Ledger.Mark] {
        var marks: [Ledger.Mark] = []
        for _ in 0..<Int.random(in: 1...4, using: &self.random) {
            self.count += 1
            let isOwn = Bool.random(using: &self.random)
            let pk = isOwn ? "\(self.name)-\(self.count)" : "shared-\(Int.random(in: 0..<5, using: &self.random))"
            if !marks.contains(where: { $0.pk == pk }) {
                marks.append(Ledger.Mark(pk: pk, name: "\(self.name)n\(self.count)"))
            }
        }
        return marks
    }

    /// Posts changes until they are answered; returns those that conflicted, or nil after a refusal.
    private mutating func post(_ marks: [Ledger.Mark]) async -> [Ledger.Mark]? {
        let edits = marks.map { self.edit($0) }
        let body = (["edits": .array(edits)] as JSON).bytes
        var floor: Int? = await self.ledger.newest(in: self.feed)
        while true {
            let request = HTTPRequest("POST", "/\(self.feed.collection)?limit=1", body: body)
            switch await self.line.send(request, to: Int.random(in: 0..<self.servers, using: &self.random)) {
            case .page(let answer):
                return await self.settle(marks, answer["results"]?.array ?? [], above: floor)
            case .refused(let why):
                await self.ledger.complain("a POST of \(self.name) was refused: \(why)")
                return nil
            case .nothing:
                await self.ledger.noteUnanswered()
                // The server may have carried it out.
                floor = nil
                try? await Task.sleep(for: .milliseconds(Int.random(in: 10...100, using: &self.random)))
            }
        }
    }

    private mutating func edit(_ mark: Ledger.Mark) -> JSON {
        let member = JSON.string(JSONString("/\(mark.name)"))
        let id = JSON.string(JSONString("\(mark.name)-\(UInt64.random(in: 0 ... .max, using: &self.random))"))
        let pk = JSON.string(JSONString(mark.pk))
        guard let version = self.versions[mark.pk] else {
            var content: JSON = [:]
            content[mark.name] = true
            return [
                "request_id": id, "pk": pk, "sync_state": "CREATED",
                "edited_data": [["op": "add", "path": "", "value": content]],
            ]
        }
        return [
            "request_id": id, "pk": pk, "sync_state": "EDITED", "updated_at": .number(JSONNumber(version)),
            "edited_data": [["op": "add", "path": member, "value": true]],
        ]
    }

    private mutating func settle(_ marks: [Ledger.Mark], _ results: [JSON], above floor: Int?) async -> [Ledger.Mark]? {
        guard results.count == marks.count else {
            await self.ledger.complain("\(marks.count) edits were answered by \(results.count) results")
            return nil
        }
        var rest: [Ledger.Mark] = []
        for (mark, result) in zip(marks, results) {
            guard result["error"]?.isNull == true, let version = result["item"]?["updated_at"]?.int else {
                await self.ledger.complain("the edit of \(mark) was answered \(result.text)")
                return nil
            }
            self.versions[mark.pk] = version
            if result["is_conflicted"] == true {
                await self.ledger.noteConflict()
                rest.append(mark)
            } else {
                if result["item"]?["data"]?[mark.name] != true {
                    await self.ledger.complain("\(mark) was accepted, but is missing in the row of the answer")
                }
                await self.ledger.accept(mark, at: version, above: floor, in: self.feed)
            }
        }
        return rest
    }
}
