import TidemarkCore
import TidemarkDatabase

/// Writes changed rows of a collection to the tables of its projections: each at once, since the app's SQL may read other
/// tables of the store.
final class ProjectionFollower: RowFollower {
    private let projections: ProjectionSet
    private let parts: [ProjectionSet.Part]

    /// Whether it adds rows that the tables do not have yet.
    private let isBuilding: Bool

    init(_ projections: ProjectionSet, _ parts: [ProjectionSet.Part], isBuilding: Bool = false) {
        (self.projections, self.parts, self.isBuilding) = (projections, parts, isBuilding)
    }

    func follow(_ change: inout RowChange) throws(DatabaseError) {
        let (row, pk) = (change.row, change.pk)
        let parts = self.parts.filter { self.isBuilding ? $0.table.failure == nil : $0.table.has(row) }
        guard !parts.isEmpty, !change.keepsView() else { return }
        let content = change.to?.value
        // A record that can't be read has no rows, and a build need not remove any.
        if self.isBuilding, content == nil { return }
        for part in parts {
            try self.projections.call(part, for: .update) { (tables) in
                try part.member.projection.update(pk, to: content, in: tables)
            }
        }
    }

    func flush() {}
}
