package import TidemarkCore
import TidemarkWire

/// An answer as an HTTP client returns it.
package enum JSONAnswer {
    package static func decode(_ body: [UInt8], to request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        try WireAnswer.decode(
            status: 200, header: { $0.lowercased() == "content-type" ? "application/json" : nil }, body: body,
            request: request)
    }
}
