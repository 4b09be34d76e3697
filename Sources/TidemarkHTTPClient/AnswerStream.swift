/// A receiver of an answer's body, piece by piece.
struct AnswerStream: Sendable {
    /// Gets the answer without its body when the body begins.
    let isStream: @Sendable (HTTPAnswer) -> Bool
    /// Gets each piece; returns false to end the answer.
    let take: @Sendable ([UInt8]) -> Bool
}
