import TidemarkCore
import TidemarkJSON
import TidemarkServer

// A feed without an end (I8). The server itself does not change. A proxy invents cursors and knows the server's cursor behind
// each, so a device has missed no row when the trouble ends.

extension SimulatedServer {
    /// A cursor of the server, or an invented one: `theirs~number~origin`, where theirs and origin are cursors of the server.
    private struct MadeUp {
        var theirs: String
        var number: Int
        /// The beginning of the cycle: the rows after this cursor are repeated.
        var origin: String

        init?(_ text: String?) {
            guard let parts = text?.split(separator: "~", omittingEmptySubsequences: false), parts.count == 3,
                let number = Int(parts[1])
            else { return nil }
            (self.theirs, self.number, self.origin) = (String(parts[0]), number, String(parts[2]))
        }

        init(theirs: String, number: Int, origin: String) {
            (self.theirs, self.number, self.origin) = (theirs, number, origin)
        }

        var text: String { "\(self.theirs)~\(self.number)~\(self.origin)" }
    }

    /// The request for the server, without invented cursors.
    func honest(_ request: ExchangeRequest) -> ExchangeRequest {
        var honest = request
        if let madeUp = MadeUp(request.cursor) { honest.cursor = madeUp.theirs.isEmpty ? nil : madeUp.theirs }
        return honest
    }

    /// The request for the page where a cycle begins; nil without a cycle.
    func circled(_ request: ExchangeRequest) -> ExchangeRequest? {
        guard [.circle, .knownRows].contains(self.trouble), request.uploads.isEmpty,
            let madeUp = MadeUp(request.cursor)
        else {
            return nil
        }
        var circled = request
        circled.cursor = madeUp.origin.isEmpty ? nil : madeUp.origin
        return circled
    }

    /// The answer to a GET as the device gets it.
    func leadAstray(_ body: [UInt8], of request: ExchangeRequest) -> [UInt8] {
        let troubles: Set<SimulationStep.Trouble> = [
            .circle, .knownRows, .strangers, .alternating, .emptyPages, .longCursor, .standstill,
        ]
        guard request.uploads.isEmpty, troubles.contains(self.trouble),
            var answer = try? JSON(parsing: body), let cursor = answer.max_updated_at?.string
        else { return body }
        if self.trouble == .standstill {
            guard let former = request.cursor else { return body }
            answer.max_updated_at = .string(JSONString(former))
            answer.more = true
            return answer.bytes
        }
        var madeUp =
            MadeUp(request.cursor)
            ?? MadeUp(theirs: request.cursor ?? "", number: 0, origin: request.cursor ?? "")
        if self.trouble == .longCursor {
            (madeUp.theirs, madeUp.origin) = (cursor, String(repeating: "x", count: SimulationRun.longestName))
            answer.max_updated_at = .string(JSONString(madeUp.text))
            return answer.bytes
        }
        if self.trouble == .circle {
            (madeUp.theirs, madeUp.number) = (cursor, madeUp.number % 2 + 1)
        } else if self.trouble == .knownRows {
            // Deletions of missing records are new to a device each time, so it would follow them without an end.
            guard answer.items?.array?.contains(where: { $0.is_active == true }) == true else { return body }
            (madeUp.theirs, madeUp.number) = (cursor, madeUp.number + 1)
        } else if self.trouble == .alternating {
            guard let items = answer.items?.array, var item = items.first(where: { $0.is_active == true }) else {
                return body
            }
            madeUp.number = madeUp.number % 2 + 1
            if madeUp.number == 2 {
                item["updated_at"] = "another"
                item["data"]?["other"] = true
                if let pk = item.pk?.string, let data = item["data"] {
                    let place = SimulationStep.Place(collection: request.collection, pk: pk)
                    self.show(StoredVersion(version: "\"another\"", data: data.bytes), at: place)
                }
            }
            // The server's cursor stays before the row, so it comes again when the trouble ends.
            answer.items = [item]
        } else {
            // Before the first page there is no cursor to repeat.
            guard !madeUp.theirs.isEmpty else { return body }
            let isCycle = self.trouble == .strangers
            madeUp.number = isCycle ? madeUp.number % 3 + 1 : madeUp.number + 1
            answer.items = isCycle ? [["pk": "stranger", "updated_at": JSON(madeUp.number), "is_active": false]] : []
        }
        answer.max_updated_at = .string(JSONString(madeUp.text))
        answer.more = true
        return answer.bytes
    }
}

// MARK: - Results

extension SimulatedServer {
    /// The answer to a POST with each result twice, the second one as a refusal. Only the first counts.
    func doubled(_ body: [UInt8], of request: ExchangeRequest) -> [UInt8] {
        guard !request.uploads.isEmpty, self.trouble == .doubledResults, var answer = try? JSON(parsing: body) else {
            return body
        }
        answer.results = .array(
            (answer.results?.array ?? []).flatMap { result in
                // If a result has no outcome, its copy would count as the first one.
                guard result["error"] == .null || result["error"] == nil else { return [result] }
                var refusal = result
                refusal.item = .null
                refusal["error"] = ["status": 422, "title": "Not taken", "detail": "It is said twice."]
                return [result, refusal]
            })
        return answer.bytes
    }
}

// MARK: - Items

extension SimulatedServer {
    /// The answer with malformed items among the well-formed ones (Contract §3.5).
    func garbled(_ body: [UInt8], of request: ExchangeRequest) -> [UInt8] {
        switch self.trouble {
        case .oddItem(let place) where place.collection == request.collection: break
        case .namelessItems: break
        case _: return body
        }
        guard var answer = try? JSON(parsing: body), var items = answer.items?.array else { return body }
        if case .oddItem(let place) = self.trouble {
            items = items.map { item in
                guard item.pk?.string == place.pk, item.is_active == true else { return item }
                var odd = item
                odd["data"] = nil
                if let version = item.updated_at?.text { self.shownOdd.insert([place.text, version]) }
                return odd
            }
        } else {
            items.append(["pk": "", "updated_at": 1, "is_active": true, "data": ["odd": 1]])
        }
        answer.items = .array(items)
        return answer.bytes
    }

    /// Changes a record that is quarantined on a device, so that its row comes again. A version that was never sent malformed has
    /// to come by itself.
    func repair(_ place: SimulationStep.Place) throws(SimulationViolation) {
        guard let version = self.ledger.rows[place]?.version, self.ledger.rows[place]?.data != nil,
            self.shownOdd.contains([place.text, version])
        else { return }
        self.haste += 1
        _ = try self.post(
            "repair-\(self.haste)", of: place, .edit, on: version,
            #"[{"op":"add","path":"/repaired","value":\#(self.haste)}]"#)
    }
}

// MARK: - Others

extension SimulatedServer {
    /// Changes a member of each record that a request will change. The users of the simulation never edit that member.
    func getAhead(of request: ExchangeRequest) throws(SimulationViolation) {
        guard self.trouble == .contention else { return }
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            guard let version = self.ledger.rows[place]?.version, self.ledger.rows[place]?.data != nil else { continue }
            self.haste += 1
            _ = try self.post(
                "ahead-\(self.haste)", of: place, .edit, on: version,
                #"[{"op":"add","path":"/ahead","value":\#(self.haste)}]"#)
        }
    }

    /// Sends edits that no server may accept, before a valid request (W5, W10).
    func sendOddNames(before request: ExchangeRequest) throws(SimulationViolation) {
        guard self.trouble == .oddNames, !request.uploads.isEmpty else { return }
        for (name, pk) in [
            ("no name", ""), ("too long a name", String(repeating: "x", count: SimulationRun.longestName)),
        ] {
            self.haste += 1
            let place = SimulationStep.Place(collection: request.collection, pk: pk)
            let response = try self.post(
                "odd-\(self.haste)", of: place, .create, on: nil, #"[{"op":"add","path":"","value":{"odd":1}}]"#)
            let result = (try? JSON(parsing: response.body))?.results?[0]
            try SimulationViolation.unless(
                response.status != 200 || result?["error"]?.object != nil, "W5", "an edit is accepted that has \(name)",
                request.collection)
        }
    }

    private func post(
        _ id: String, of place: SimulationStep.Place, _ intent: UploadRequest.Intent, on version: String?,
        _ patch: String
    ) throws(SimulationViolation) -> ServerResponse {
        let pk = JSON.string(JSONString(place.pk)).text
        let edit =
            #"{"request_id":"\#(id)","pk":\#(pk),"sync_state":"\#(intent == .edit ? "EDITED" : "CREATED")","#
            + #""updated_at":\#(version ?? "null"),"edited_data":\#(patch)}"#
        let upload = UploadRequest(
            requestID: id, pk: place.pk, intent: intent, version: version, patch: nil, base: nil, wasResent: false,
            encodedEdit: Array(edit.utf8))
        let others = ServerLedger.Sender(name: "someone else") { _ in false }
        return try self.answer(
            ExchangeRequest(collection: place.collection, uploads: [upload], cursor: nil, limit: 1),
            isElsewhere: false, of: others)
    }
}
