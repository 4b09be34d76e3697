extension JSON {
    /// What a text may ask of the parser.
    public struct Limits: Sendable, Hashable {
        /// How deep arrays and objects may lie in each other; a scalar alone has depth 0, `[]` has depth 1.
        public var nestingDepth: Int

        /// How many bytes a text may have.
        public var bytes: Int

        /// A value is walked on the stack of the thread that compares, writes or frees it, so a limit of many thousand levels
        /// can exhaust a small stack.
        public init(nestingDepth: Int = 512, bytes: Int = 64 * 1024 * 1024) {
            self.nestingDepth = nestingDepth
            self.bytes = bytes
        }

        /// 512 levels, 64 MiB.
        public static let `default` = Limits()
    }
}
