import Testing
import TidemarkJSON
@testable import TidemarkServer

@Suite("The decision table by versions (W1, W7)")
struct EditVerdictTests {
    private static let patch = JSONPatch([.add(.root, [:])])

    @Test(arguments: [
        (EditVerdict.RowState.missing(isNamed: false), EditVerdict.create),
        (.missing(isNamed: true), .conflicted),
        (.tombstone(isNamed: false), .conflicted),
        (.tombstone(isNamed: true), .create),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .create),
    ])
    func `a CREATED is decided by the row and the named version (W1)`(
        row: EditVerdict.RowState, verdict: EditVerdict
    ) {
        #expect(EditVerdict(.created(Self.patch), row) == verdict)
    }

    @Test(arguments: [
        (EditVerdict.RowState.missing(isNamed: false), EditVerdict.conflicted),
        (.missing(isNamed: true), .conflicted),
        (.tombstone(isNamed: false), .conflicted),
        (.tombstone(isNamed: true), .conflicted),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .patch),
    ])
    func `an EDITED is decided by the row and the named version (W1)`(
        row: EditVerdict.RowState, verdict: EditVerdict
    ) {
        #expect(EditVerdict(.edited(Self.patch), row) == verdict)
    }

    @Test(arguments: [
        (EditVerdict.RowState.missing(isNamed: false), EditVerdict.settled),
        (.missing(isNamed: true), .settled),
        (.tombstone(isNamed: false), .settled),
        (.tombstone(isNamed: true), .settled),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .delete),
    ])
    func `a DELETED is decided by the row and the named version (W7)`(
        row: EditVerdict.RowState, verdict: EditVerdict
    ) {
        #expect(EditVerdict(.deleted, row) == verdict)
    }
}
