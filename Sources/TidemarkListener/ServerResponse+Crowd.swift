import TidemarkServer

extension ServerResponse {
    /// The refusal of a connection above the limit.
    static func tooManyConnections(_ settings: ListenerSettings) -> ServerResponse {
        .later(
            Problem(
                503, .tooManyConnections, "the server has reached its limit of connections; try again a little later"),
            settings)
    }

    /// The refusal of a request while the memory for clients is used up. The request was not carried out.
    static func tooBusy(_ settings: ListenerSettings) -> ServerResponse {
        .later(
            Problem(
                503, .tooBusy, "the server's memory for requests and answers is used up; try again a little later"),
            settings)
    }

    private static func later(_ problem: Problem, _ settings: ListenerSettings) -> ServerResponse {
        ServerResponse(
            problem, headers: [("Retry-After", String(max(settings.retryAfter.components.seconds, 1)))])
    }
}
