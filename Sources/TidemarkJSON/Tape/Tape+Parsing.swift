extension JSON {
    /// How many nodes are on the stack while a text is read; a longer one uses the heap.
    static let nodesOnStack = 64

    /// How many bytes are on the stack while a value is copied to a tape.
    static let bytesOnStack = 512

    /// Reads a whole text onto a tape, and describes repeated keys as far as `repeatedKeys` asks for them.
    static func read(
        _ input: UnsafeBufferPointer<UInt8>, limits: JSON.Limits, repeatedKeys: RepeatedKeys?
    ) throws(JSONError) -> (JSON, [JSON.Warning]) {
        // Positions are stored in 32 bits.
        guard input.count <= min(limits.bytes, Int(Int32.max)) else {
            throw unsafe JSON.fault(in: input, nil, limits: limits)
        }
        // The closure returns its error as a value, since the signature in the standard library would lose its type.
        let result = unsafe withUnsafeTemporaryAllocation(of: TapeNode.self, capacity: JSON.nodesOnStack) {
            room -> Result<(JSON, [JSON.Warning]), TapeScanner.Stop> in
            var scanner = unsafe TapeScanner(input, depthLimit: limits.nestingDepth, room: room)
            if input.count >= TapeNodes.reservedText {
                scanner.nodes.reserveCapacity(input.count / TapeNodes.bytesOfNode)
            }
            guard scanner.scan() else { return .failure(scanner.stop ?? .mistake) }
            guard !scanner.hasRepeatedKeys else {
                return .success(unsafe RepeatedMembers.resolved(scanner.nodes.all, input, repeatedKeys))
            }
            return .success((unsafe JSON(nodes: scanner.nodes.all, bytes: input), []))
        }
        switch result {
        case .success(let read): return read
        case .failure(let stop): throw unsafe JSON.fault(in: input, stop, limits: limits)
        }
    }

    /// A value alone on a tape; a scalar needs none.
    init(nodes: UnsafeBufferPointer<TapeNode>, bytes: UnsafeBufferPointer<UInt8>) {
        if nodes.count == 1, let base = nodes.baseAddress, let bytes = bytes.baseAddress,
            let scalar = unsafe JSON(scalar: base.pointee, of: TapeView(nodes: base, bytes: bytes))
        {
            self = scalar
        } else {
            self.init(storage: .tape(unsafe Tape(nodes: nodes, bytes: bytes), 0))
        }
    }

    /// Why a text was refused.
    static func fault(
        in input: UnsafeBufferPointer<UInt8>, _ stop: TapeScanner.Stop?, limits: JSON.Limits
    ) -> JSONError {
        do throws(JSONError) {
            var limits = limits
            limits.bytes = min(limits.bytes, Int(Int32.max))
            try unsafe TextCheck.check(input, limits: limits)
        } catch {
            return error
        }
        if case .nesting(let offset) = stop {
            return unsafe JSONError(
                .nesting,
                "arrays and objects are nested more than \(limits.nestingDepth) deep; flatten the value or raise"
                    + " JSON.Limits.nestingDepth", at: offset, of: input)
        }
        // A refusal without a mistake is possible only if there are more values than can be counted.
        return unsafe FaultFinder.firstFault(in: Array(input))
            ?? JSONError(.tooLarge, "an array or object has too many values to be counted; send them in smaller parts")
    }
}
