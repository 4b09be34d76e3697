// The part of os.Logger that examples use, if it is unavailable: an example is type-checked against the same declarations.
#if !canImport(os)

    nonisolated struct Logger: Sendable {
        init(subsystem: String, category: String) {}

        func notice(_ message: OSLogMessage) {}
        func error(_ message: OSLogMessage) {}
    }

    nonisolated enum OSLogPrivacy {
        case `public`
        case `private`
    }

    nonisolated struct OSLogMessage: ExpressibleByStringInterpolation {
        struct StringInterpolation: StringInterpolationProtocol {
            init(literalCapacity: Int, interpolationCount: Int) {}

            func appendLiteral(_ literal: String) {}
            func appendInterpolation(_ value: some CustomStringConvertible, privacy: OSLogPrivacy) {}
        }

        init(stringLiteral value: String) {}
        init(stringInterpolation: StringInterpolation) {}
    }

#endif
