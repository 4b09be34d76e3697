import Testing

/// The final state does not depend on whether a message arrived, over real connections (I9).
///
/// Each case runs several times, each time with a new server and new devices: the message arrives, its answer is lost, its
/// request is lost. The phone's app does nothing between the loss and the next sync, and the tablet takes the action of the
/// case. Then all sync until nothing changes. Each record must be the same, on the server and on both devices, as after the run
/// in which the message arrived.
///
/// An edit that the server has neither accepted nor refused is decided later, and the tablet may be earlier. So such a record
/// may also end as in a run in which the phone syncs after the tablet, or in which the message arrives and the phone's next
/// message follows the tablet's. Only the conflict of a small edit needs the last run: the server repeats the conflict with the
/// former row (W4), and the tablet has deleted the record since.
@Suite(.timeLimit(.minutes(10))) struct LostMessageTests {
    @Test(arguments: LostMessage.sample(of: LostMessageKind.pages))
    func `a lost page of the feed changes nothing in the end (I6, I9)`(lost: LostMessage) async throws {
        try await self.check(lost)
    }

    @Test(arguments: LostMessage.posts)
    func `a lost POST or its lost answer changes nothing in the end (I9, R17, W4)`(lost: LostMessage) async throws {
        try await self.check(lost)
    }

    @Test(arguments: LostMessage.sample(of: LostMessageKind.gone))
    func `a lost 410 or a lost page after it changes nothing in the end (I9, W8)`(lost: LostMessage) async throws {
        try await self.check(lost)
    }

    @Test(arguments: LostMessage.sample(of: LostMessageKind.renewed))
    func `a lost 401 or a loss after it changes nothing in the end (I9, R17)`(lost: LostMessage) async throws {
        try await self.check(lost)
    }

    private func check(_ lost: LostMessage) async throws {
        async let others = (lost.play(.arrived), lost.play(.requestLost))
        let answerLost = try await lost.play(.answerLost)
        let (arrived, requestLost) = try await others
        let isAlone = lost.other == .doesNothing
        var lawful = [arrived]
        if !isAlone, requestLost != arrived || answerLost != arrived { lawful.append(try await lost.play(.later)) }
        self.compare(requestLost, with: lawful, "the request is lost")
        if !isAlone, !answerLost.differences(from: lawful).isEmpty { lawful.append(try await lost.play(.restLost)) }
        self.compare(answerLost, with: lawful, "the answer is lost")
        self.compare(answerLost, with: [arrived], only: lost.kind.judged, "the answer that judged it is lost")

        for end in lawful + [answerLost, requestLost] {
            #expect(end.disagreeing.isEmpty, "I3: \(end)")
            #expect(end.unnamed.isEmpty, "I1, I2: \(end)")
        }
    }

    private func compare(
        _ end: LostMessageEnd, with lawful: [LostMessageEnd], only pks: Set<String>? = nil, _ what: Comment
    ) {
        for pk in end.differences(from: lawful) where pks?.contains(pk) ?? true {
            #expect(lawful.map { $0.records[pk] }.contains(end.records[pk]), "\(what): \(pk)")
        }
    }
}
