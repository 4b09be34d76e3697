/// How much of a store a page shows. A store can be larger than a browser's memory, so each list has a limit; the page says how many
/// entries there are.
package struct InspectorLimits: Hashable, Sendable {
    /// The number of records in the list.
    package var rows = 100_000

    /// The size of the text of a row, in Unicode scalars.
    package var rowText = 120

    /// The number of records that are shown with their contents: first those that need attention or have
    /// changes; the others get at most half.
    package var records = 5_000

    /// The size of the contents of all these records, in bytes.
    package var recordBytes = 16 << 20

    /// The number of problems of a kind in a collection.
    package var problems = 200

    /// The number of steps of the timeline.
    package var steps = 1_000

    /// The number of entries of the journal in a collection.
    package var entries = 1_000

    /// How much longer the time between two readings of a live page is than a reading takes, so that a large store costs the app and
    /// the machine little.
    package static let restFactor = 20

    /// The size of data, in bytes, up to which each change is read at once: they cost little.
    package static let smallSize = 1 << 20

    package init() {}
}
