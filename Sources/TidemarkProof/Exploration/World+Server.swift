import TidemarkMachine

extension World {
    /// How the server treats a request.
    enum Treatment {
        /// The server follows W1 to W9.
        case asIs

        /// The server refuses the edit.
        case refused

        /// The server refuses the request and reads no edit of it.
        case unread

        /// The server answers 404 for a missing record; the reference server accepts a delete of it (R8).
        case missing
    }

    /// The request arrives, and the server sends its answer.
    mutating func deliver(_ treatment: Treatment) {
        switch self.flight {
        case .none, .answered: break
        case .getting(let cursor, let isFull):
            self.flight = .answered(self.reply(cursor, isFull: isFull, result: nil))
        case .posting(let upload, let cursor, let isFull):
            guard isFull || cursor >= self.server.horizon else {
                self.flight = .answered(Reply(requestID: upload.requestID))
                return
            }
            // The reply has the row after the edit.
            let result = treatment == .unread ? .refusedUnread : self.answer(to: upload, treatment)
            var reply =
                treatment == .unread
                ? Reply(result: .refusedUnread, listed: nil, cursor: cursor)
                : self.reply(cursor, isFull: isFull, result: result)
            reply.requestID = upload.requestID
            self.flight = .answered(reply)
        }
    }

    /// Applies an edit and returns the answer (W1, W2, W4, W7, W9).
    mutating func answer(to upload: Machine.Upload, _ treatment: Treatment) -> Machine.Answer {
        if let known = self.server.memory[upload.requestID] { return self.repeated(known) }
        let answer = self.apply(upload, treatment)
        if self.setting.features.contains(.memory) { self.server.memory[upload.requestID] = answer }
        return answer
    }

    /// A repeated answer: the same verdict, with the row of that time or the present row.
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
        if upload.version != self.server.state.version, content != self.server.state.content {
            self.fault = "I1: \(upload) was written over \(self.server.state), which its sender never saw"
        }
        if self.server.state.content == nil { self.server.isOthers = false }
        self.write(content)
        return .accepted(self.server.state)
    }

    /// W1: the edit was made on the version of the row.
    private func isCurrent(_ upload: Machine.Upload) -> Bool {
        guard upload.version == self.server.state.version else { return false }
        return (upload.intent == .create) == (self.server.state.content == nil)
    }

    /// The rows beyond the cursor, without a row that the result has at its present version (W6).
    private func reply(_ cursor: Int, isFull: Bool, result: Machine.Answer?) -> Reply {
        guard isFull || cursor >= self.server.horizon else { return Reply() }
        let state = self.server.state
        let isNew = isFull || Self.version(state.version) > cursor
        let isShown = result.map { Self.state(of: $0) == state } ?? false
        return Reply(
            result: result, listed: isNew && !isShown ? state : nil,
            cursor: max(Self.version(state.version), self.server.horizon, isFull ? 0 : cursor))
    }

    /// The row in an answer.
    static func state(of answer: Machine.Answer) -> Machine.ServerState? {
        switch answer {
        case .accepted(let state, _), .conflicted(let state): state
        case .refused, .refusedAsMissing, .refusedUnread: nil
        }
    }
}
