// What the network can do to a request, as a kind and a sentence for a person.

extension CarrierFailure {
    static let cancelled = CarrierFailure(.cancelled, "The request was cancelled.")

    static func refused(_ base: String) -> CarrierFailure {
        CarrierFailure(
            .unreachable,
            "Could not connect to \(base): nothing answers there. Is the server running, and is the port right?")
    }

    static func unknownHost(_ base: String) -> CarrierFailure {
        CarrierFailure(
            .unreachable, "Could not connect to \(base): no such host is known. Check its name, and the network.")
    }

    static func silent(_ base: String, _ silence: Duration) -> CarrierFailure {
        CarrierFailure(
            .brokenOff, "\(base) said nothing for \(silence). It may be overloaded, or the network is very slow.")
    }

    static func tooSlow(_ base: String, _ time: Duration) -> CarrierFailure {
        CarrierFailure(
            .brokenOff, "The answer of \(base) was not complete after \(time). Try again when the network is faster.")
    }

    static func brokenOff(_ base: String, _ detail: String? = nil) -> CarrierFailure {
        let detail = detail.map { " (\($0))" } ?? ""
        return CarrierFailure(
            .brokenOff,
            "The connection to \(base) broke off before the whole answer had come\(detail).")
    }

    static func notHTTP(_ base: String) -> CarrierFailure {
        CarrierFailure(
            .notUnderstood, "What answers at \(base) does not speak HTTP. Check the URL, the port above all.")
    }

    static func switched(_ base: String) -> CarrierFailure {
        CarrierFailure(
            .notUnderstood,
            """
            \(base) answers with another protocol (101 Switching Protocols), which was not asked for. Check the URL, and the \
            proxy in front of the server.
            """)
    }

    static func tooLarge(_ base: String, _ limit: Int) -> CarrierFailure {
        CarrierFailure(
            .tooLarge,
            "The answer of \(base) is larger than \(limit) bytes. Less has to be asked for at once, or the limit raised."
        )
    }

    static func notAsked(_ base: String, _ coding: String) -> CarrierFailure {
        CarrierFailure(
            .notUnderstood,
            "The answer of \(base) is packed as “\(coding)”, and gzip was asked for. Check the server, and what stands before it."
        )
    }

    static func notURL(_ text: String) -> CarrierFailure {
        CarrierFailure(.unsendable, "“\(text)” is no URL. Check the URL of the server.")
    }

    /// What a proxy that can't be reached, or does not work, is called: the server may be well.
    static func noProxy(_ base: String, _ detail: String) -> CarrierFailure {
        CarrierFailure(
            .unreachable,
            """
            The proxy on the way to \(base) does not work: \(detail). Whether the server runs is not known. Check the \
            environment variables http_proxy, https_proxy and all_proxy.
            """)
    }

    static func notSafe(_ base: String, _ detail: String) -> CarrierFailure {
        CarrierFailure(
            .unreachable,
            """
            The connection to \(base) is not safe, and nothing was sent: \(detail). Check whether the URL \
            should start with http:// or https://, and the certificate of the server.
            """)
    }
}
