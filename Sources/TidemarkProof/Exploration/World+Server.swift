import TidemarkMachine

extension World {
    /// How the server treats a request.
    enum Treatment {
        /// As W1 to W9 say.
        case asIs

        /// It refuses the edit, for a reason of its own.
        case refused

        /// It refuses the request, and looks into nothing of it.
        case unread

        /// It calls what is not there missing, where ours calls a delete of it accepted (R8).
        case missing
    }

    /// The request that is under way arrives, and the answer sets out.
    mutating func deliver(_ treatment: Treatment) {
        switch self.flight {
        case .none, .answered: break
        case .getting(let watermark, let isFull):
            self.flight = .answered(self.reply(watermark, isFull: isFull, result: nil))
        case .posting(let upload, let watermark, let isFull):
            guard isFull || watermark >= self.server.horizon else {
                self.flight = .answered(Reply(requestID: upload.requestID))
                return
            }
            // The row that a reply shows is that of after the edit.
            let result = treatment == .unread ? .refusedUnread : self.answer(to: upload, treatment)
            var reply =
                treatment == .unread
                ? Reply(result: .refusedUnread, listed: nil, watermark: watermark)
                : self.reply(watermark, isFull: isFull, result: result)
            reply.requestID = upload.requestID
            self.flight = .answered(reply)
        }
    }

    /// What the server does with an edit, and says of it (W1, W2, W4, W7, W9).
    mutating func answer(to upload: Machine.Upload, _ treatment: Treatment) -> Machine.Answer {
        if let known = self.server.memory[upload.requestID] { return self.repeated(known) }
        let answer = self.apply(upload, treatment)
        if self.setting.features.contains(.memory) { self.server.memory[upload.requestID] = answer }
        return answer
    }

    /// An answer that is given again: the same verdict, with the row of then, or the present one.
    private func repeated(_ answer: Machine.Answer) -> Machine.Answer {
        guard self.setting.features.contains(.presentRows) else { return answer }
        return switch answer {
        case .accepted: .accepted(self.server.state)
        case .conflicted: .conflicted(self.server.state)
        case .refused, .refusedAsMissing, .refusedUnread: answer
        }
    }

    private mutating func apply(_ upload: Machine.Upload, _ treatment: Treatment) -> Machine.Answer {
        switch treatment {
        case .refused: return .refused
        case .unread: return .refusedUnread
        case .missing: return .refusedAsMissing
        case .asIs: break
        }
        if upload.intent == .delete, self.server.state.content == nil { return .accepted(self.server.state) }
        guard self.isCurrent(upload) else { return .conflicted(self.server.state) }
        guard let change = upload.change else {
            self.write(nil)
            return .accepted(self.server.state)
        }
        guard let content = try? self.algebra.apply(change, to: self.server.state.content) else { return .refused }
        guard content.a != Self.poison else { return .refused }
        if upload.stamp != self.server.state.stamp, content != self.server.state.content {
            self.fault = "I1: \(upload) was written over \(self.server.state), which its sender never saw"
        }
        if self.server.state.content == nil { self.server.isOthers = false }
        self.write(content)
        return .accepted(self.server.state)
    }

    /// W1: the version that the edit was made on is the row's.
    private func isCurrent(_ upload: Machine.Upload) -> Bool {
        guard upload.stamp == self.server.state.stamp else { return false }
        return (upload.intent == .create) == (self.server.state.content == nil)
    }

    /// The rows that are newer than the watermark, but for what the result shows at its present version (W6).
    private func reply(_ watermark: Int, isFull: Bool, result: Machine.Answer?) -> Reply {
        guard isFull || watermark >= self.server.horizon else { return Reply() }
        let state = self.server.state
        let isNew = isFull || Self.version(state.stamp) > watermark
        let isShown = result.map { Self.state(of: $0) == state } ?? false
        return Reply(
            result: result, listed: isNew && !isShown ? state : nil,
            watermark: max(Self.version(state.stamp), self.server.horizon, isFull ? 0 : watermark))
    }

    /// The row that an answer brings.
    static func state(of answer: Machine.Answer) -> Machine.ServerState? {
        switch answer {
        case .accepted(let state, _), .conflicted(let state): state
        case .refused, .refusedAsMissing, .refusedUnread: nil
        }
    }
}
