public import TidemarkJSON

/// The elements of JSON that arrives in chunks, each as soon as it is whole.
///
/// A chunk is a `Data`, an `[UInt8]` or any other collection of bytes, as a download or a file delivers them. The next chunk is read
/// when the elements of the one before were taken; see ``JSONStreamReader``.
///
/// ```swift
/// func titles(of chunks: some AsyncSequence<[UInt8], any Error>) async throws -> [String] {
///     var titles: [String] = []
///     for try await element in JSONElements(of: chunks, .array(at: try JSONPointer(parsing: "/notes"))) {
///         if let title = element.value["title"]?.string { titles.append(title) }
///     }
///     return titles
/// }
/// ```
public struct JSONElements<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Collection<UInt8> {
    /// A `JSONError` of the text, or the error of the chunks.
    public typealias Failure = any Error

    private let chunks: Chunks
    private let content: JSONStreamContent
    private let limits: JSON.Limits

    /// Makes a sequence.
    ///
    /// - Parameters:
    ///   - chunks: The text. An empty chunk is ignored.
    ///   - content: The values to return.
    ///   - limits: The maximum size and depth of one element.
    public init(of chunks: Chunks, _ content: JSONStreamContent = .automatic, limits: JSON.Limits = .default) {
        self.chunks = chunks
        self.content = content
        self.limits = limits
    }

    /// Begins to read the chunks.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            chunks: self.chunks.makeAsyncIterator(), reader: JSONStreamReader(self.content, limits: self.limits))
    }

    /// Reads the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator
        fileprivate let reader: JSONStreamReader

        /// Returns the next element; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> JSONStreamElement? {
            while true {
                if let element = try self.reader.next() { return element }
                guard !self.reader.isFinished else { return nil }
                if let chunk = try await self.chunks.next(isolation: actor) {
                    self.reader.feed(chunk)
                } else {
                    self.reader.finish()
                }
            }
        }
    }
}

extension JSONElements: Sendable where Chunks: Sendable {}
