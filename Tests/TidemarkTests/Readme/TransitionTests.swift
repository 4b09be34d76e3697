import Testing
import Tidemark
import TidemarkMachine

@Test func `an edit of a SYNCD record is saved and waits to be sent`() {
    #expect(RecordPhase.synced.transition(on: .edited) == .move(.edited(.idle), [.save, .notify]))
}

@Test func `a record is never uploaded twice at the same time`() {
    #expect(RecordPhase.edited(.uploading).transition(on: .sent) == .impossible)
}

@Test func `the lower of two prices wins`() {
    let conflict = RecordConflict(
        collection: "prices", pk: "milk", base: ["price": 3], server: ["price": 2], client: ["price": 4])
    #expect(LowerPriceWins().decide(conflict) == .merge(["price": 2]))
}
