import Testing
import TidemarkCarrier

/// The failure of a request that has to fail.
func failure(of carrier: HTTPCarrier, _ request: CarrierRequest) async throws -> CarrierFailure {
    var found: CarrierFailure?
    do throws(CarrierFailure) {
        _ = try await carrier.send(request)
    } catch {
        found = error
    }
    return try #require(found)
}

extension CarrierRequest {
    static let get = CarrierRequest("GET", "/notes")
}
