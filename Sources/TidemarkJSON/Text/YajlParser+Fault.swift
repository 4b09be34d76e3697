extension YajlParser {
    /// Why a text was refused.
    static func fault(
        in input: UnsafeBufferPointer<UInt8>, tooDeepAt: Int?, limits: JSONLimits
    ) -> JSONError {
        if let tooDeepAt {
            return unsafe JSONError(
                .nesting,
                "more than \(limits.nestingDepth) arrays and objects lie in each other; flatten the value or raise"
                    + " JSONLimits.nestingDepth", at: tooDeepAt, of: input)
        }
        // A refusal without a mistake is left only where memory ran out.
        return unsafe FaultFinder.firstFault(in: Array(input))
            ?? JSONError(.tooLarge, "the text could not be read for want of memory; send it in smaller parts")
    }
}
