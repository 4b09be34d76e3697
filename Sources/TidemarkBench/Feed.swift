import Foundation
import Tidemark
import TidemarkDatabase
import TidemarkWire

/// The answers of a server that has many rows, made up front.
struct Feed {
    struct Row {
        var pk: String
        var stamp: String
        var data: [UInt8]
    }

    let pageSize: Int
    let pages: [[Row]]
    let answers: [[UInt8]]

    init(rows count: Int, pageSize: Int) {
        var generator = SeededGenerator(seed: 1)
        let rows = (0..<count).map { index in
            Row(pk: generator.uuid(), stamp: "\(1_763_000_000_000_000 + index)", data: Self.data(index, &generator))
        }
        self.pageSize = pageSize
        let pages = stride(from: 0, to: count, by: pageSize).map { Array(rows[$0..<min($0 + pageSize, count)]) }
        self.pages = pages
        self.answers = pages.enumerated().map { index, page in
            Self.answer(page, watermark: "w\(index)", hasMore: index + 1 < pages.count)
        }
    }

    var megabytes: Double {
        (Double(self.answers.reduce(0) { $0 + $1.count }) / 1e5).rounded() / 10
    }

    private static func data(_ index: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let words = (0..<24).map { _ in String(generator.next() % 1_000_000, radix: 36) }.joined(separator: " ")
        return Array(
            """
            {"title":"Note \(index)","body":"\(words)","count":\(index),"price":\(index).50,"done":\(index % 2 == 0),\
            "tags":["home","work"],"place":{"lat":52.\(index),"lon":13.4}}
            """.utf8)
    }

    private static func answer(_ rows: [Row], watermark: String, hasMore: Bool) -> [UInt8] {
        var bytes = Array(#"{"items":["#.utf8)
        for (index, row) in rows.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += Array(#"{"pk":"\#(row.pk)","updated_at":\#(row.stamp),"is_active":true,"data":"#.utf8)
            bytes += row.data
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += Array(#"],"max_updated_at":"\#(watermark)","more":\#(hasMore),"epoch":"e","account":"a"}"#.utf8)
        return bytes
    }
}

// MARK: - The three ways

extension Feed {
    /// What there is at best: the rows go to SQLite as they are.
    func insertBare(in folder: URL) throws {
        let database = try Self.database(in: folder)
        for page in self.pages {
            try database.transaction { () throws(DatabaseError) in
                let insert = try Self.insertion(database)
                for row in page { try Self.insert(row.pk, row.stamp, row.data, insert) }
            }
        }
    }

    /// What Tidemark does, from the bytes of the answer to the last transaction.
    func pull(in folder: URL) throws {
        let store = try SQLiteStore(path: folder.appendingPathComponent("tidemark.db").path)
        let engine = try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 1)
        var effects = try engine.sync("notes", now: .zero)
        for answer in self.answers {
            for case .send(let request, let token) in effects {
                let decoded = try WireAnswer.decode(
                    status: 200, header: { $0.lowercased() == "content-type" ? "application/json" : nil }, body: answer,
                    request: request)
                effects = try engine.receive(decoded, for: token, now: .zero)
            }
        }
    }

    /// What a user would write.
    func insertThroughFoundation(in folder: URL) throws {
        let database = try Self.database(in: folder)
        for answer in self.answers {
            let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
            guard let items = object?["items"] as? [[String: Any]] else { throw CocoaError(.fileReadCorruptFile) }
            try database.begin()
            let insert = try Self.insertion(database)
            for item in items {
                guard let pk = item["pk"] as? String, let stamp = item["updated_at"] as? NSNumber,
                    let data = item["data"]
                else { throw CocoaError(.fileReadCorruptFile) }
                let bytes = try JSONSerialization.data(withJSONObject: data)
                try Self.insert(pk, stamp.stringValue, Array(bytes), insert)
            }
            try database.commit()
        }
    }

    private static func database(in folder: URL) throws(DatabaseError) -> DatabaseConnection {
        let database = try DatabaseConnection(.file(folder.appendingPathComponent("bare.db").path), exclusive: true)
        try database.execute(
            """
            CREATE TABLE record (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, pk TEXT NOT NULL, state TEXT NOT NULL,
                stamp TEXT, data BLOB) STRICT;
            CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
            """)
        return database
    }

    private static func insertion(_ database: DatabaseConnection) throws(DatabaseError) -> DatabaseStatement {
        try database.statement(
            "INSERT OR REPLACE INTO record (collection, pk, state, stamp, data) VALUES (1, ?1, 'SYNCD', ?2, ?3)")
    }

    private static func insert(
        _ pk: String, _ stamp: String, _ data: [UInt8], _ statement: DatabaseStatement
    ) throws(DatabaseError) {
        try statement.bind(1, pk)
        try statement.bind(2, stamp)
        try statement.bind(3, data)
        try statement.run()
    }
}
