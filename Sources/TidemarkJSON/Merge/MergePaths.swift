/// Paths that a merge tells of, in their order; where a side's changes stand as they are, its paths are made when somebody
/// asks for them.
struct MergePaths: Sendable {
    private enum Storage {
        case pointers([JSONPointer])
        case theirs(MergeSides)
        case ours(MergeSides)
    }

    private let storage: Storage

    /// These paths.
    init(_ pointers: [JSONPointer]) {
        self.storage = .pointers(pointers)
    }

    /// All that the server changed.
    static func ofServer(_ sides: MergeSides) -> MergePaths {
        sides.mayBeKept ? MergePaths(storage: .theirs(sides)) : MergePaths(sides.theirs.paths)
    }

    /// All that the client changed.
    static func ofClient(_ sides: MergeSides) -> MergePaths {
        sides.mayBeKept ? MergePaths(storage: .ours(sides)) : MergePaths(sides.ours.paths)
    }

    private init(storage: Storage) {
        self.storage = storage
    }

    /// The paths.
    var all: [JSONPointer] {
        switch self.storage {
        case .pointers(let pointers): pointers
        case .theirs(let sides): sides.theirs.paths
        case .ours(let sides): sides.ours.paths
        }
    }
}

extension MergePaths: Hashable {
    static func == (left: MergePaths, right: MergePaths) -> Bool { left.all == right.all }

    func hash(into hasher: inout Hasher) {
        self.all.hash(into: &hasher)
    }
}
