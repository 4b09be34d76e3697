/// The paths of a merge, in order. They are sorted when they are used; if all changes of a side are in the merge, they are
/// also made then.
struct MergePaths: Sendable {
    private enum Storage {
        case pointers([JSONPointer])
        case unsorted([JSONPointer])
        case theirs(MergeChanges)
        case ours(MergeChanges)
    }

    private let storage: Storage

    /// Makes a list of the given paths.
    init(_ pointers: [JSONPointer]) {
        self.storage = .pointers(pointers)
    }

    /// Makes a list of the given paths in order.
    init(sorting pointers: [JSONPointer]) {
        self.storage = .unsorted(pointers)
    }

    /// All paths that the server changed.
    static func ofServer(_ sides: MergeChanges) -> MergePaths {
        sides.mayBeKept ? MergePaths(storage: .theirs(sides)) : MergePaths(sides.theirs.paths)
    }

    /// All paths that the client changed.
    static func ofClient(_ sides: MergeChanges) -> MergePaths {
        sides.mayBeKept ? MergePaths(storage: .ours(sides)) : MergePaths(sides.ours.paths)
    }

    private init(storage: Storage) {
        self.storage = storage
    }

    /// The paths.
    var all: [JSONPointer] {
        switch self.storage {
        case .pointers(let pointers): pointers
        case .unsorted(let pointers): pointers.sorted(byPath: \.self)
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
