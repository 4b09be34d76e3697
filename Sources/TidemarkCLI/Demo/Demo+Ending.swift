import Tidemark

// The final state of both devices and the server, and whether they agree.

extension Demo {
    /// Prints the records of all three, and compares the bytes.
    func compare() async throws -> Bool {
        try self.text.heading("5. The result, side by side.")
        let phone = try await self.phone.records()
        let rows = try await self.server.records(of: self.phone.list.name)
        let server = Dictionary(rows.map { ($0.pk, $0.data) }, uniquingKeysWith: { first, _ in first })
        let laptop = try await self.laptop.records()
        var lines = [["", "", "phone", "server", "laptop"]]
        for pk in Set(phone.keys).union(server.keys).union(laptop.keys).sorted() {
            lines += try self.lines(of: pk, in: [phone[pk], server[pk], laptop[pk]])
        }
        try self.text.table(lines, widths: [5, 7, 20, 20, 20])
        try self.text.line()

        let areInStep = (try await self.phone.isInSync(), try await self.laptop.isInSync())
        guard phone == server, laptop == server, rows.count == server.count, areInStep == (true, true) else {
            try self.text.line("The devices and the server do not agree.", .bad)
            return false
        }
        try self.text.tell(
            "All \(server.count) records are equal byte for byte, numbers included, and nothing is unsent.")
        try self.text.line("Both devices and the server agree.", .good)
        return true
    }

    /// One line for each field that any of the three has.
    private func lines(of pk: String, in records: [[UInt8]?]) throws -> [[String]] {
        let records = try records.map { bytes in try bytes.map { try JSON(parsing: $0) } }
        var fields: [String] = []
        for key in records.flatMap({ $0?.object?.keys ?? [] }) where !fields.contains(key) { fields.append(key) }
        return fields.enumerated().map { number, field in
            [number == 0 ? pk : "", field] + records.map { $0?[field]?.text ?? "-" }
        }
    }
}
