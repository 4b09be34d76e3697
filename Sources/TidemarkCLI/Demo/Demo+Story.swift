import Tidemark

// The parts of the demo, in order.

extension Demo {
    func writeTheList() async throws {
        try self.text.heading("1. The phone writes the list. It needs no network for that.")
        let contents = [
            ("bread", #"{"title":"Bread","price":3.5,"count":1}"#),
            ("eggs", #"{"title":"Eggs","price":2.80,"count":6}"#),
            ("milk", #"{"title":"Milk","price":1.10,"count":2}"#),
        ]
        for (pk, content) in contents {
            try await self.phone.list.create(try JSON(parsing: content), pk: pk)
            try self.text.act(self.phone.name, "create \(pk) \(content)")
        }
        _ = try await self.sync(self.phone)
        _ = try await self.sync(self.laptop)
    }

    func editApart() async throws {
        try self.text.heading("2. Neither device syncs for a while, and both edit the list.")
        try await self.set("title", of: "milk", to: #""Oat milk""#, on: self.phone)
        try await self.set("count", of: "milk", to: "3", on: self.laptop)
        try await self.set("price", of: "bread", to: "3.20", on: self.phone)
        try await self.set("price", of: "bread", to: "2.95", on: self.laptop)
        try await self.phone.list["eggs"].delete()
        try self.text.act(self.phone.name, "delete eggs")
        try await self.set("count", of: "eggs", to: "12", on: self.laptop)
    }

    func meet() async throws {
        try self.text.heading("3. Both sync. The laptop is first.")
        for device in [self.laptop, self.phone, self.laptop] { _ = try await self.sync(device) }
        try self.text.line()
        try await self.claim(
            "milk", #"{"title":"Oat milk","price":1.10,"count":3}"#,
            "two fields, two devices: both changes are kept, without a question.")
        try await self.claim(
            "bread", #"{"title":"Bread","price":3.20,"count":1}"#,
            "one field on both. The phone synced later, and its value wins.")
        try await self.claim(
            "eggs", #"{"title":"Eggs","price":2.80,"count":12}"#,
            "deleted on the phone, edited on the laptop. By default the edit wins.")
        try self.text.line()
        let journal = try await self.phone.list.journal
        try self.check(journal.map(\.pk) == ["bread", "eggs"], "The phone's journal should have two entries.")
        try self.text.tell("Values that lost are not gone. The phone's journal can restore them:")
        for entry in journal {
            let value = try entry.lostValue?.text ?? "the deletion"
            let whose = entry.lostSide == .client ? "the phone's" : "the server's"
            let what = entry.raw.value == nil ? "\(value) lost" : "\(whose) \(value) lost"
            try self.text.line("  \(entry.number)  \(entry.pk)\(entry.path)  \(what) (\(entry.reason))", .quiet)
        }
    }

    func loseAnAnswer() async throws {
        try self.text.heading("4. The server's answer gets lost.")
        let content = #"{"title":"Tea","price":4.00,"barcode":12345678901234567890}"#
        try await self.phone.list.create(try JSON(parsing: content), pk: "tea")
        try self.text.act(self.phone.name, "create tea \(content)")
        let before = self.phone.line.sentEdits.count
        self.phone.line.loseNextAnswer()
        _ = try await self.sync(self.phone)
        try self.text.act(self.phone.name, "explain tea: \(try await self.phone.list["tea"].explain().why)")
        _ = try await self.sync(self.phone)

        let sent = self.phone.line.sentEdits[before...]
        for (number, edit) in sent.enumerated() {
            let name = try JSON(parsing: edit)["request_id"]?.string ?? "none"
            try self.text.line("  request \(number + 1)  request_id \(name)", .quiet)
        }
        let rows = try await self.server.records(of: self.phone.list.name)
        try self.check(sent.count == 2 && Set(sent).count == 1, "The same bytes should have been sent twice.")
        try self.check(rows.filter { $0.pk == "tea" }.count == 1, "The server should have one row for the tea.")
        try self.text.tell(
            """
            The phone sent the same bytes twice. The server recognized the request_id, repeated its answer and wrote \
            nothing: 1 of its \(rows.count) rows is "tea".
            """)
        _ = try await self.sync(self.laptop)
    }

    private func set(_ field: String, of pk: String, to value: String, on device: DemoDevice) async throws {
        let value = try JSON(parsing: value)
        try await device.list[pk].edit { $0[field] = value }
        try self.text.act(device.name, "edit   \(pk)  \(field) -> \(value.text)")
    }

    /// Checks the content of a record, and prints it.
    private func claim(_ pk: String, _ expected: String, _ words: String) async throws {
        let shown = try await self.phone.list[pk].get()?.text ?? "deleted"
        try self.check(shown == expected, "\(pk) should be \(expected), and is \(shown).")
        try self.text.act(pk, words)
        try self.text.act("", shown)
    }

    /// Throws if a claim of the demo is false.
    private func check(_ isSo: Bool, _ claim: String) throws {
        guard isSo else { throw DemoError(description: claim) }
    }
}

/// A claim of the demo was false.
private struct DemoError: Error, CustomStringConvertible {
    let description: String
}
