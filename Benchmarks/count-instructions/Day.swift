import TidemarkCore
import TidemarkJSON
import TidemarkWire

/// Typical records and answers of an app.
enum Day {
    static let firstRequest = ExchangeRequest(collection: "tasks", cursor: nil, limit: 500)

    static func text(_ number: Int, title: String = "Call the dentist", priority: Int = 2, isDone: Bool = false)
        -> String
    {
        """
        {"id":"task-\(number)","title":"\(title) about \(number)","done":\(isDone),"priority":\(priority),\
        "tags":["home","phone"],"due":"2026-03-14T09:30:00Z","estimate":1.5,\
        "assignee":{"id":\(number * 7),"name":"Noor Haddad"}}
        """
    }

    static func texts(_ count: Int) -> [[UInt8]] {
        (0..<count).map { Array(self.text($0).utf8) }
    }

    static func records(_ count: Int) throws -> [JSON] {
        try self.texts(count).map { try JSON(parsing: $0) }
    }

    /// The client changes two fields and the server another.
    static func forks(_ count: Int) throws -> [Fork] {
        try (0..<count).map { number in
            Fork(
                base: try JSON(parsing: self.text(number)), server: try JSON(parsing: self.text(number, isDone: true)),
                client: try JSON(parsing: self.text(number, title: "Ask the school", priority: 4)))
        }
    }

    /// An answer to a GET.
    static func page(_ count: Int) -> [UInt8] {
        let items = (0..<count).map { self.item($0, version: 1_000 + $0, self.text($0)) }
        return self.answer(#""items":[\#(items.joined(separator: ","))]"#)
    }

    /// The answer to a POST whose edits were all accepted.
    static func acceptance(of uploads: [UploadRequest]) throws -> [UInt8] {
        let results = try uploads.enumerated().map { number, upload in
            let item = self.item(upload.pk, version: 9_000 + number, try upload.record()?.text ?? "{}")
            return
                #"{"request_id":"\#(upload.requestID)","pk":"\#(upload.pk)","is_conflicted":false,"item":\#(item),"error":null}"#
        }
        return self.answer(#""results":[\#(results.joined(separator: ","))],"items":[]"#)
    }

    static func decode(_ answer: [UInt8], _ request: ExchangeRequest) throws -> ExchangeAnswer {
        try WireAnswer.decode(
            status: 200, header: { $0.lowercased() == "content-type" ? "application/json" : nil }, body: answer,
            request: request)
    }

    private static func item(_ number: Int, version: Int, _ data: String) -> String {
        self.item("task-\(number)", version: version, data)
    }

    private static func item(_ pk: String, version: Int, _ data: String) -> String {
        #"{"pk":"\#(pk)","updated_at":\#(version),"is_active":true,"data":\#(data)}"#
    }

    private static func answer(_ members: String) -> [UInt8] {
        Array(#"{\#(members),"max_updated_at":"w","more":false,"epoch":"e","account":"a"}"#.utf8)
    }
}
