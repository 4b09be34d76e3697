import TidemarkCore
import TidemarkJSON
import TidemarkServer

// A feed without an end (I8). The server itself stays as it is: what stands before it makes up the watermarks, and knows what is
// behind each, so that a device which was led astray has missed nothing once the server is itself again.

extension SimulatedServer {
    /// A watermark of the server, or one that was made up: `theirs~number~origin`, where both are theirs.
    private struct MadeUp {
        var theirs: String
        var number: Int
        /// Where the circle begins: what came after this comes again.
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

    /// The request as the server is to get it: without what was made up.
    func honest(_ request: ExchangeRequest) -> ExchangeRequest {
        var honest = request
        if let madeUp = MadeUp(request.watermark) { honest.watermark = madeUp.theirs.isEmpty ? nil : madeUp.theirs }
        return honest
    }

    /// The request for the page where a circle begins; nil where there is none.
    func circled(_ request: ExchangeRequest) -> ExchangeRequest? {
        guard [.circle, .knownRows].contains(self.trouble), request.uploads.isEmpty,
            let madeUp = MadeUp(request.watermark)
        else {
            return nil
        }
        var circled = request
        circled.watermark = madeUp.origin.isEmpty ? nil : madeUp.origin
        return circled
    }

    /// The answer to a GET as the device is to get it.
    func leadAstray(_ body: [UInt8], of request: ExchangeRequest) -> [UInt8] {
        let troubles: Set<SimulationStep.Trouble> = [.circle, .knownRows, .emptyPages, .longWatermark, .standstill]
        guard request.uploads.isEmpty, troubles.contains(self.trouble),
            var answer = try? JSON(parsing: body), let watermark = answer.max_updated_at?.string
        else { return body }
        if self.trouble == .standstill {
            guard let former = request.watermark else { return body }
            answer.max_updated_at = .string(JSONString(former))
            answer.more = true
            return answer.bytes
        }
        var madeUp =
            MadeUp(request.watermark)
            ?? MadeUp(theirs: request.watermark ?? "", number: 0, origin: request.watermark ?? "")
        if self.trouble == .longWatermark {
            (madeUp.theirs, madeUp.origin) = (watermark, String(repeating: "x", count: SimulationRun.longestName))
            answer.max_updated_at = .string(JSONString(madeUp.text))
            return answer.bytes
        }
        if self.trouble == .circle {
            (madeUp.theirs, madeUp.number) = (watermark, madeUp.number % 2 + 1)
        } else if self.trouble == .knownRows {
            // Deletions of what is not there are new to a device each time, and are followed without an end.
            guard answer.items?.array?.contains(where: { $0.is_active == true }) == true else { return body }
            (madeUp.theirs, madeUp.number) = (watermark, madeUp.number + 1)
        } else {
            // Before anything was read there is no place to stay at.
            guard !madeUp.theirs.isEmpty else { return body }
            madeUp.number += 1
            answer.items = []
        }
        answer.max_updated_at = .string(JSONString(madeUp.text))
        answer.more = true
        return answer.bytes
    }
}

// MARK: - Results

extension SimulatedServer {
    /// The answer to a POST with each result twice, the second time as refused: only the first counts.
    func doubled(_ body: [UInt8], of request: ExchangeRequest) -> [UInt8] {
        guard !request.uploads.isEmpty, self.trouble == .doubledResults, var answer = try? JSON(parsing: body) else {
            return body
        }
        answer.results = .array(
            (answer.results?.array ?? []).flatMap { result in
                // Of one that says nothing of its edit, the second would be the first.
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
    /// The answer with items that make no sense among the others (SPEC §3.5).
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
                if let stamp = item.updated_at?.text { self.shownOdd.insert([place.text, stamp]) }
                return odd
            }
        } else {
            items.append(["pk": "", "updated_at": 1, "is_active": true, "data": ["odd": 1]])
        }
        answer.items = .array(items)
        return answer.bytes
    }

    /// Changes a record that is set aside somewhere, so that it comes again. One whose version was never shown without sense has to
    /// come by itself.
    func repair(_ place: SimulationStep.Place) throws(SimulationViolation) {
        guard let stamp = self.ledger.rows[place]?.stamp, self.ledger.rows[place]?.data != nil,
            self.shownOdd.contains([place.text, stamp])
        else { return }
        self.haste += 1
        _ = try self.post(
            "repair-\(self.haste)", of: place, .edit, on: stamp,
            #"[{"op":"add","path":"/repaired","value":\#(self.haste)}]"#)
    }
}

// MARK: - Others

extension SimulatedServer {
    /// Changes a member of each record that a request is about to change, which no person of the simulation touches.
    func getAhead(of request: ExchangeRequest) throws(SimulationViolation) {
        guard self.trouble == .contention else { return }
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            guard let stamp = self.ledger.rows[place]?.stamp, self.ledger.rows[place]?.data != nil else { continue }
            self.haste += 1
            _ = try self.post(
                "ahead-\(self.haste)", of: place, .edit, on: stamp,
                #"[{"op":"add","path":"/ahead","value":\#(self.haste)}]"#)
        }
    }

    /// Sends edits that no server may take, before a request that is as it should be (W5, W10).
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
            guard response.status != 200 || result?["error"]?.object != nil else {
                throw SimulationViolation("W5", "an edit is taken that has \(name)", request.collection)
            }
        }
    }

    private func post(
        _ id: String, of place: SimulationStep.Place, _ intent: UploadRequest.Intent, on stamp: String?, _ patch: String
    ) throws(SimulationViolation) -> ServerResponse {
        let pk = JSON.string(JSONString(place.pk)).text
        let edit =
            #"{"request_id":"\#(id)","pk":\#(pk),"sync_state":"\#(intent == .edit ? "EDITED" : "CREATED")","#
            + #""updated_at":\#(stamp ?? "null"),"edited_data":\#(patch)}"#
        let upload = UploadRequest(
            requestID: id, pk: place.pk, intent: intent, version: stamp, patch: nil, base: nil, wasResent: false,
            frozen: Array(edit.utf8))
        let others = ServerLedger.Sender(name: "someone else") { _ in false }
        return try self.answer(
            ExchangeRequest(collection: place.collection, uploads: [upload], watermark: nil, limit: 1),
            isElsewhere: false, of: others)
    }
}
