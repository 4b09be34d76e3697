import Tidemark

/// Asks the user to decide a conflict, field by field.
struct ConflictDialog {
    let terminal: any Terminal

    /// Asks until all questions are answered and the result is confirmed.
    ///
    /// - Returns: The user's decision; nil if the user quits.
    func verdict(_ review: ConflictReview) -> Verdict? {
        var review = review
        let conflict = review.conflict
        self.terminal.say("\(Self.safe(conflict.collection)) \(Self.safe(conflict.pk)): \(conflict.kind.rawValue)")
        while true {
            self.show(review)
            guard let choice = self.choice(among: review.choices), choice != .quit else { return nil }
            switch (review.step, choice) {
            case (.confirmation, .yes): return review.verdict
            case (_, .all): review.askAll()
            case (.clash, .next): review.keep()
            case (.clash, .edit): self.edit(&review)
            case (.clash, .server): self.answer(.server, &review)
            case (.clash, .client): self.answer(.client, &review)
            case (.clash, .merged): self.answer(nil, &review)
            case (_, .server), (_, .client), (_, .keepBoth): review.take(choice)
            case (_, .next), (_, .edit), (_, .merged), (_, .yes), (_, .quit): break
            }
        }
    }

    private func choice(among offered: [Choice]) -> Choice? {
        while let line = self.terminal.ask("\(Choice.menu(offered))?") {
            if let choice = Choice(typed: line, among: offered) { return choice }
            self.terminal.say("Type the letter in brackets, then Enter.")
        }
        return nil
    }

    private func edit(_ review: inout ConflictReview) {
        guard let line = self.terminal.ask("JSON (empty to cancel):"), !line.isEmpty else { return }
        do throws(CommandFailure) {
            let text = InputText(Array(line.utf8), named: "(the JSON typed)")
            let value = try text.reading { (bytes) throws(JSONError) in try JSON(parsing: bytes) }
            self.answer(.value(value), &review)
        } catch {
            self.terminal.say(error.description)
        }
    }

    private func answer(_ answer: RecordConflict.Choices.Answer?, _ review: inout ConflictReview) {
        do throws(TidemarkError) {
            try review.answer(answer)
        } catch {
            self.terminal.say(Self.safe(error.message))
        }
    }

    private func show(_ review: ConflictReview) {
        self.terminal.say("")
        switch review.step {
        case .sides:
            let isHere = review.conflict.client != nil
            self.terminal.say(isHere ? "It was deleted on the server." : "It was deleted here.")
            self.show(record: review.conflict.client ?? review.conflict.server)
        case .clash(let clash):
            self.terminal.say(clash.path.isRoot ? "the record" : Self.safe(clash.path.text))
            for line in ClashColumns(clash, width: self.terminal.width).lines { self.terminal.say(line) }
            if review.choices.contains(.next) || review.choices.contains(.merged) {
                let text = TerminalText("now: \(ClashColumns.text(of: review.present(clash)))")
                for line in text.lines(width: self.terminal.width, limit: 12) { self.terminal.say(line) }
            }
        case .confirmation: self.showDecision(review)
        }
    }

    private func showDecision(_ review: ConflictReview) {
        switch review.verdict {
        case .merge, .fields: self.showSide(review.record, "This record is kept")
        case .takeServer: self.showSide(review.conflict.server, "The server's side is kept")
        case .takeClient: self.showSide(review.conflict.client, "This device's side is kept")
        case .keepBoth(let pk):
            self.terminal.say("The server's record is kept, and this device's becomes \(pk ?? "a new record"):")
            self.show(record: review.conflict.client)
        case .clashes, .ask, nil: break
        }
    }

    private func showSide(_ record: JSON?, _ words: String) {
        self.terminal.say(record == nil ? "\(words): the record is deleted." : "\(words):")
        if record != nil { self.show(record: record) }
    }

    /// Prints one member per line.
    private func show(record: JSON?) {
        guard let members = record?.object, !members.isEmpty else { return self.terminal.say("  {}") }
        for (key, value) in members {
            let text = TerminalText("\"\(JSONString(key).source)\": \(value.text)")
            for line in text.lines(width: max(self.terminal.width - 2, 8)) { self.terminal.say("  \(line)") }
        }
    }

    private static func safe(_ text: String) -> String { TerminalText(text).text }
}
