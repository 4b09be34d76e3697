extension JSON {
    /// The limits of the parser for a text.
    public struct Limits: Sendable, Hashable {
        /// The maximum nesting of arrays and objects; a scalar alone has depth 0, `[]` has depth 1.
        public var nestingDepth: Int

        /// The maximum number of bytes of a text.
        public var bytes: Int

        /// Makes limits. A value is visited on the stack of the thread that compares, writes or frees it, so a limit of many
        /// thousand levels can exhaust a small stack.
        public init(nestingDepth: Int = 512, bytes: Int = 64 * 1024 * 1024) {
            self.nestingDepth = nestingDepth
            self.bytes = bytes
        }

        /// 512 levels, 64 MiB.
        public static let `default` = Limits()
    }
}
