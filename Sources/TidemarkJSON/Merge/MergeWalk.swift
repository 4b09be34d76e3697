/// Visits the changed paths from the root down, and collects the result.
struct MergeWalk {
    let rule: (JSONPointer) -> JSONMerge.FieldDecision?
    let sums: (JSONPointer) -> Bool

    /// Whether the root is a dictionary, which is never a union, whatever its members are.
    let isDictionary: Bool

    private var operations: [JSONPatch.Operation] = []
    private var clashes: [JSONMerge.Clash] = []
    private var clientPaths: [JSONPointer] = []
    private var serverPaths: [JSONPointer] = []
    private var decidedPaths: [JSONPointer] = []

    init(
        rule: @escaping (JSONPointer) -> JSONMerge.FieldDecision?, sums: @escaping (JSONPointer) -> Bool,
        isDictionary: Bool
    ) {
        self.rule = rule
        self.sums = sums
        self.isDictionary = isDictionary
    }

    mutating func visit(_ node: MergeNode) {
        guard node.ours != MergeNode.unchanged else {
            if node.theirs != MergeNode.unchanged {
                node.sides.theirs.appendPaths(of: node.theirs, at: node.path, to: &self.serverPaths)
            }
            return
        }
        guard node.theirs != MergeNode.unchanged else {
            // The server's value is equal to the base here, so the client's changes apply to it.
            node.sides.ours.appendPaths(of: node.ours, at: node.path, to: &self.clientPaths)
            node.sides.ours.appendOperations(of: node.ours, at: node.path, to: &self.operations)
            return
        }
        if let decide = self.rule(node.path) {
            self.settle(node, by: decide)
        } else if node.isAnotherCase, !(self.isDictionary && node.path.isRoot) {
            self.settle(node) { _ in .client }
        } else if let members = node.members {
            for member in members { self.visit(node.member(member)) }
        } else if node.bothAddAnObject {
            self.visit(node.overTheEmptyObject)
        } else if node.isAgreed {
            self.agree(at: node.path)
        } else {
            self.carryOut(.client, at: node)
        }
    }

    /// The result of the walk.
    func result(over server: JSON?) -> JSONMerge {
        JSONMerge(
            patch: JSONPatch(sorting: self.operations), server: server,
            clashes: self.clashes.sorted(byPath: \.path),
            clientPaths: MergePaths(sorting: self.clientPaths), serverPaths: MergePaths(sorting: self.serverPaths),
            decidedPaths: MergePaths(sorting: self.decidedPaths))
    }

    private mutating func settle(_ node: MergeNode, by decide: JSONMerge.FieldDecision) {
        guard node.isAgreed else {
            self.carryOut(decide(node.fieldSides), at: node)
            return
        }
        guard self.sums(node.path) else {
            self.agree(at: node.path)
            return
        }
        switch decide(node.fieldSides) {
        case .client, .server, .ask: self.agree(at: node.path)
        case .value(let value, let lost): self.carryOut(.value(value, lost: lost), at: node)
        case .merged(let value, let clashes): self.carryOut(.merged(value, clashes: clashes), at: node)
        }
    }

    private mutating func carryOut(_ outcome: FieldOutcome, at node: MergeNode) {
        switch outcome {
        case .client:
            self.clientPaths.append(node.path)
            self.stand(node.client, at: node)
            self.clash(at: node, winner: .client)
        case .server:
            self.serverPaths.append(node.path)
            self.clash(at: node, winner: .server)
        case .value(let value, let lost):
            self.decidedPaths.append(node.path)
            self.stand(value, at: node)
            if lost { self.clash(at: node, winner: .value) }
        case .merged(let value, let clashes):
            self.decidedPaths.append(node.path)
            self.stand(value, at: node)
            self.clashes += clashes
        case .ask:
            self.clientPaths.append(node.path)
            self.stand(node.client, at: node)
            self.clash(at: node, winner: .undecided)
        }
    }

    private mutating func stand(_ value: JSON?, at node: MergeNode) {
        let changes = Changes.between(node.server, value, at: node.path)
        changes.appendOperations(at: node.path, to: &self.operations)
    }

    private mutating func agree(at path: JSONPointer) {
        self.clientPaths.append(path)
        self.serverPaths.append(path)
    }

    private mutating func clash(at node: MergeNode, winner: JSONMerge.Clash.Winner) {
        self.clashes.append(
            JSONMerge.Clash(path: node.path, base: node.base, server: node.server, client: node.client, winner: winner))
    }
}
