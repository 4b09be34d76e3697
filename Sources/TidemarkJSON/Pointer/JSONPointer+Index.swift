extension JSONPointer {
    /// Returns the array index for a step (RFC 6901 §4): digits without a leading zero, or nil.
    ///
    /// Any other text (`01`, `+1`, `-`, other scripts' digits, a number that is too large for an array) is not an index.
    static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var index = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, tensOverflow) = index.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !tensOverflow, !sumOverflow else { return nil }
            index = sum
        }
        return index
    }
}
