import Testing
import TidemarkMachine

@Suite struct ActionSetTests {
    @Test func `a set names its actions in the order in which they are carried out`() {
        let actions: RecordActions = [.notify, .save, .journal]
        #expect(actions.description == "journal, save, notify")
        #expect(RecordActions().description.isEmpty)
    }

    @Test(arguments: ExchangeAction.inOrder)
    func `a set of one action has that action alone`(_ action: ExchangeAction) {
        let actions = ExchangeActions(action)
        #expect(ExchangeAction.inOrder.filter { actions.has($0) } == [action])
    }

    @Test func `the members have the names of the actions`() {
        let ofRecord: [RecordActions] = [.journal, .summarise, .save, .erase, .consult, .appeal, .notify, .report]
        #expect(ofRecord == RecordAction.inOrder.map { RecordActions($0) })
        let ofExchange: [ExchangeActions] = [
            .refuse, .lose, .blame, .readFirst, .charge, .acquit, .bisect, .shorten, .pass, .endListing, .startOver,
            .clear, .post, .get, .backOff, .rest, .finish,
        ]
        #expect(ofExchange == ExchangeAction.inOrder.map { ExchangeActions($0) })
        let ofRun: [RunActions] = [.sync, .cancel, .wake, .say]
        #expect(ofRun == RunAction.inOrder.map { RunActions($0) })
    }
}
