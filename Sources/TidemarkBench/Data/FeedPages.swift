import Tidemark
import TidemarkWire

/// Answers to GETs, from the seed: each page is made when it is asked for.
struct FeedPages {
    let rows: Int
    let pageSize: Int

    private var tasks = TaskMaker(seed: 3)
    private var made = 0

    init(rows: Int, pageSize: Int) {
        self.rows = rows
        self.pageSize = pageSize
    }

    /// The next page; an empty one after the last.
    mutating func next() -> [UInt8] {
        let end = min(self.made + self.pageSize, self.rows)
        var bytes = Array(#"{"items":["#.utf8)
        bytes.reserveCapacity((end - self.made) * 320)
        for number in self.made..<end {
            let task = self.tasks.next(number)
            if number > self.made { bytes.append(UInt8(ascii: ",")) }
            let stamp = 1_763_000_000_000_000 + number
            bytes += Array(#"{"pk":"\#(task.pk)","updated_at":\#(stamp),"is_active":true,"data":\#(task.text)}"#.utf8)
        }
        self.made = end
        let more = end < self.rows
        bytes += Array(#"],"max_updated_at":"w\#(end)","more":\#(more),"epoch":"e","account":"a"}"#.utf8)
        return bytes
    }
}

/// A feed that is read to its end: the answers, and where their rows lie.
struct FeedData {
    private(set) var pages: [[UInt8]]
    let pageSize: Int

    /// What each page is asked for with; nil for the first.
    private(set) var marks: [String?] = []
    private(set) var rows: [[FeedPage.Row]] = []

    /// - Parameter file: One answer a line; nil makes them from the seed.
    init(rows: Int, pageSize: Int, file: [UInt8]?) throws {
        if let file {
            self.pages = file.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        } else {
            var maker = FeedPages(rows: rows, pageSize: pageSize)
            self.pages = (0..<(rows + pageSize - 1) / pageSize).map { _ in maker.next() }
        }
        self.pageSize = pageSize
        try self.walk()
    }

    var rowCount: Int { self.rows.reduce(0) { $0 + $1.count } }

    var byteCount: Int { self.pages.reduce(0) { $0 + $1.count } }

    func request(after mark: String?) -> ExchangeRequest {
        ExchangeRequest(collection: "tasks", watermark: mark, limit: self.pageSize)
    }

    private mutating func walk() throws {
        var mark: String?
        var last: ExchangeAnswer?
        for page in self.pages {
            let answer = try JSONAnswer.decode(page, to: self.request(after: mark))
            self.marks.append(mark)
            self.rows.append(answer.page.rows)
            mark = answer.watermark
            last = answer
        }
        // Pages that were cut off somewhere: whoever asks on is told that this was all.
        guard let last, last.hasMore else { return }
        self.marks.append(last.watermark)
        self.rows.append([])
        self.pages.append(Self.end(of: last))
    }

    private static func end(of answer: ExchangeAnswer) -> [UInt8] {
        let page: JSON = [
            "items": [], "max_updated_at": .string(JSONString(answer.watermark)), "more": false,
            "epoch": .string(JSONString(answer.epoch)), "account": .string(JSONString(answer.account)),
        ]
        return page.bytes
    }
}

/// An answer as a carrier hands it over.
enum JSONAnswer {
    static func decode(_ body: [UInt8], to request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        try WireAnswer.decode(
            status: 200, header: { $0.lowercased() == "content-type" ? "application/json" : nil }, body: body,
            request: request)
    }
}
