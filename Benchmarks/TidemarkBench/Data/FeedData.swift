import GeneratedRows
import Tidemark
import TidemarkCore

/// A feed read to its end: the answers, and the places of their rows.
struct FeedData {
    private(set) var pages: [[UInt8]]
    let pageSize: Int

    /// The cursor of the request for each page; nil for the first.
    private(set) var marks: [String?] = []
    private(set) var rows: [[FeedPage.Row]] = []

    /// - Parameter file: One answer a line; nil makes them from the seed.
    init(rows: Int, pageSize: Int, file: [UInt8]? = nil, isChanged: Bool = false) throws {
        if let file {
            self.pages = file.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        } else {
            var maker = FeedPages(rows: rows, pageSize: pageSize, isChanged: isChanged)
            self.pages = (0..<(rows + pageSize - 1) / pageSize).map { _ in maker.next() }
        }
        self.pageSize = pageSize
        try self.walk()
    }

    var rowCount: Int { self.rows.reduce(0) { $0 + $1.count } }

    var byteCount: Int { self.pages.reduce(0) { $0 + $1.count } }

    func request(after mark: String?) -> ExchangeRequest {
        ExchangeRequest(collection: "tasks", cursor: mark, limit: self.pageSize)
    }

    private mutating func walk() throws {
        var mark: String?
        var last: ExchangeAnswer?
        for page in self.pages {
            let answer = try JSONAnswer.decode(page, to: self.request(after: mark))
            self.marks.append(mark)
            self.rows.append(answer.page.rows)
            mark = answer.cursor
            last = answer
        }
        // If the pages of the file end early, the last page becomes the end of the feed.
        guard let last, last.hasMore else { return }
        self.marks.append(last.cursor)
        self.rows.append([])
        self.pages.append(Self.end(of: last))
    }

    private static func end(of answer: ExchangeAnswer) -> [UInt8] {
        let page: JSON = [
            "items": [], "max_updated_at": .string(JSONString(answer.cursor)), "more": false,
            "epoch": .string(JSONString(answer.epoch)), "account": .string(JSONString(answer.account)),
        ]
        return page.bytes
    }
}
