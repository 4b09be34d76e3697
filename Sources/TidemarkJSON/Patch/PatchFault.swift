/// Why one operation can't be applied; the position of the operation in its patch is added later.
struct PatchFault: Error {
    let code: JSONError.Code
    let reason: String

    /// The document is not the one that the patch was made for.
    static func mismatch(_ reason: String) -> PatchFault { PatchFault(code: .patch, reason: reason) }

    static func nothing(at pointer: some Collection<String>) -> PatchFault {
        .mismatch("the document has no value at “\(JSONPointer(tokens: pointer))”; make the patch from this document")
    }

    static func noMembers(_ value: JSON, at pointer: some Collection<String>) -> PatchFault {
        .mismatch("“\(JSONPointer(tokens: pointer))” is \(value.kind), which has no members")
    }

    static func noIndex(_ token: String, at pointer: some Collection<String>) -> PatchFault {
        .mismatch(
            "“\(token.beginning)” is not an index of the array at “\(JSONPointer(tokens: pointer))”; write digits without a "
                + "leading zero, or, to add at the end, “-”")
    }

    static func beyondEnd(_ token: String, count: Int, at pointer: some Collection<String>) -> PatchFault {
        .mismatch(
            "index \(token.beginning) is beyond the end of the array at “\(JSONPointer(tokens: pointer))”, which has "
                + "\(count) element\(count == 1 ? "" : "s")")
    }

    static func tooDeep(_ limit: Int) -> PatchFault {
        PatchFault(code: .nesting, reason: "the document would be nested deeper than the limit of \(limit)")
    }

    static func tooMuchCopied(_ limit: Int) -> PatchFault {
        PatchFault(code: .tooLarge, reason: "the patch copies more than the limit of \(limit) bytes")
    }

    static func tooMuchShifted(_ limit: Int) -> PatchFault {
        PatchFault(
            code: .tooLarge,
            reason: "the patch moves array elements more than \(limit) times; replace the array as one value")
    }

    /// The error for the operation of this fault, with its number from 1, its name and its pointers.
    func error(of operation: JSONPatch.Operation, number: Int, count: Int) -> JSONError {
        let from = operation.from.map { " from “\($0)”" } ?? ""
        let message = "operation \(number) of \(count) (\(operation.name)\(from)): \(self.reason)"
        return JSONError(self.code, message, pointer: operation.path.text)
    }
}
