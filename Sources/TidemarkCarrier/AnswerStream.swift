/// Who takes the body of an answer piece by piece.
struct AnswerStream: Sendable {
    /// Gets the answer without its body when that begins.
    let isStream: @Sendable (CarrierAnswer) -> Bool
    /// Gets each piece; false where no more is wanted.
    let take: @Sendable ([UInt8]) -> Bool
}
