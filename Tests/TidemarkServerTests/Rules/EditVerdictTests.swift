import Testing
import TidemarkJSON
@testable import TidemarkServer

@Suite("W1, W7 as a table: what the versions alone say")
struct EditVerdictTests {
    private static let patch = JSONPatch([.add(.root, [:])])

    @Test(arguments: [
        (EditVerdict.Standing.missing(isNamed: false), EditVerdict.create),
        (.missing(isNamed: true), .conflicted),
        (.tombstone(isNamed: false), .conflicted),
        (.tombstone(isNamed: true), .create),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .create),
    ])
    func `W1 CREATED`(standing: EditVerdict.Standing, verdict: EditVerdict) {
        #expect(EditVerdict(.created(Self.patch), standing) == verdict)
    }

    @Test(arguments: [
        (EditVerdict.Standing.missing(isNamed: false), EditVerdict.conflicted),
        (.missing(isNamed: true), .conflicted),
        (.tombstone(isNamed: false), .conflicted),
        (.tombstone(isNamed: true), .conflicted),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .patch),
    ])
    func `W1 EDITED`(standing: EditVerdict.Standing, verdict: EditVerdict) {
        #expect(EditVerdict(.edited(Self.patch), standing) == verdict)
    }

    @Test(arguments: [
        (EditVerdict.Standing.missing(isNamed: false), EditVerdict.settled),
        (.missing(isNamed: true), .settled),
        (.tombstone(isNamed: false), .settled),
        (.tombstone(isNamed: true), .settled),
        (.live(isNamed: false), .conflicted),
        (.live(isNamed: true), .delete),
    ])
    func `W7 DELETED`(standing: EditVerdict.Standing, verdict: EditVerdict) {
        #expect(EditVerdict(.deleted, standing) == verdict)
    }
}
