import TidemarkServer

extension ServerResponse {
    /// There is no place for one more connection.
    static func tooManyConnections(_ settings: ListenerSettings) -> ServerResponse {
        .later(
            Problem(
                503, .tooManyConnections, "the server has as many connections as it takes; try again a little later"),
            settings)
    }

    /// There is no room for what one more client asks. Nothing of it was carried out.
    static func tooBusy(_ settings: ListenerSettings) -> ServerResponse {
        .later(
            Problem(
                503, .tooBusy, "the server holds as much for its clients as it can; try again a little later"),
            settings)
    }

    private static func later(_ problem: Problem, _ settings: ListenerSettings) -> ServerResponse {
        ServerResponse(
            problem, headers: [("Retry-After", String(max(settings.retryAfter.components.seconds, 1)))])
    }
}
