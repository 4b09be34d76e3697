/// Random names of histories and incarnations, as hexadecimal digits.
public enum RandomDigits {
    /// 128 random bits: the name of a history (Contract §5).
    public static func epoch() -> String { Self.digits(words: 4) }

    /// 64 random bits: the name of an incarnation of the server (W8).
    public static func run() -> String { Self.digits(words: 2) }

    private static func digits(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}
