import Testing
import TidemarkMachine

@Suite struct ActionSetTests {
    @Test func `the description of a set names its actions in execution order`() {
        let actions: RecordActions = [.notify, .save, .journal]
        #expect(actions.description == "journal, save, notify")
        #expect(RecordActions().description.isEmpty)
    }

    @Test(arguments: ExchangeAction.inOrder)
    func `a set of one action contains only that action`(_ action: ExchangeAction) {
        let actions = ExchangeActions(action)
        #expect(ExchangeAction.inOrder.filter { actions.has($0) } == [action])
    }

    @Test func `the action sets and the actions have the same order`() {
        let ofRecord: [RecordActions] = [
            .journal, .summarize, .save, .erase, .runTactic, .applyRefusalPolicy, .notify, .report,
        ]
        #expect(ofRecord == RecordAction.inOrder.map { RecordActions($0) })
        let ofExchange: [ExchangeActions] = [
            .refuse, .markUnconfirmed, .weighFailure, .readFirst, .countPoisonFailure, .clearFailures, .bisect,
            .shrinkPage, .advanceCursor, .endResync, .claimHistoryLoss,
            .resetFailures, .post, .get, .backOff, .throttle, .finish,
        ]
        #expect(ofExchange == ExchangeAction.inOrder.map { ExchangeActions($0) })
        let ofRun: [RunActions] = [.sync, .publish]
        #expect(ofRun == RunAction.inOrder.map { RunActions($0) })
        let ofTurn: [TurnActions] = [.release, .comeBack, .refresh]
        #expect(ofTurn == TurnAction.inOrder.map { TurnActions($0) })
    }
}
