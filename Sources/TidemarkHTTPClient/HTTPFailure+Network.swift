// The failures of the network, each with a kind and a message for users.

extension HTTPFailure {
    static let cancelled = HTTPFailure(.cancelled, "The request was cancelled.")

    static func refused(_ base: String) -> HTTPFailure {
        HTTPFailure(
            .unreachable,
            "Could not connect to \(base): nothing answers there. Is the server running, and is the port right?")
    }

    static func unknownHost(_ base: String) -> HTTPFailure {
        HTTPFailure(
            .unreachable, "Could not connect to \(base): no such host is known. Check its name, and the network.")
    }

    static func silent(_ base: String, _ silence: Duration) -> HTTPFailure {
        HTTPFailure(
            .brokenOff, "\(base) sent nothing for \(silence). It may be overloaded, or the network is very slow.")
    }

    static func tooSlow(_ base: String, _ time: Duration) -> HTTPFailure {
        HTTPFailure(
            .brokenOff, "The answer of \(base) was not complete after \(time). Try again when the network is faster.")
    }

    static func brokenOff(_ base: String, _ detail: String? = nil) -> HTTPFailure {
        let detail = detail.map { " (\($0))" } ?? ""
        return HTTPFailure(
            .brokenOff,
            "The connection to \(base) was lost before the whole answer had arrived\(detail).")
    }

    static func notHTTP(_ base: String) -> HTTPFailure {
        HTTPFailure(
            .notUnderstood, "The server at \(base) does not speak HTTP. Check the URL, above all the port.")
    }

    static func switched(_ base: String) -> HTTPFailure {
        HTTPFailure(
            .notUnderstood,
            """
            \(base) answers with another protocol (101 Switching Protocols), which was not requested. Check the URL, and the \
            proxy in front of the server.
            """)
    }

    static func tooLarge(_ base: String, _ limit: Int) -> HTTPFailure {
        HTTPFailure(
            .tooLarge,
            "The answer of \(base) is larger than \(limit) bytes. Request less at once, or raise the limit."
        )
    }

    static func notAsked(_ base: String, _ coding: String) -> HTTPFailure {
        HTTPFailure(
            .notUnderstood,
            "The answer of \(base) is compressed as “\(coding)”, not gzip. Check the server, and any proxy in front of it."
        )
    }

    static func notURL(_ text: String) -> HTTPFailure {
        HTTPFailure(.unsendable, "“\(text)” is not a URL. Check the URL of the server.")
    }

    /// The failure of a proxy that can't be reached, or does not work: the server may be running.
    static func noProxy(_ base: String, _ detail: String) -> HTTPFailure {
        HTTPFailure(
            .unreachable,
            """
            The proxy on the way to \(base) does not work: \(detail). Whether the server runs is not known. Check the \
            environment variables http_proxy, https_proxy and all_proxy.
            """)
    }

    /// The failure of a server whose certificate is not signed by one that is trusted, is of another host, or has expired.
    static func notTrusted(_ call: HTTPCall, _ detail: String) -> HTTPFailure {
        let remedy =
            call.trusted == nil
            ? """
            If a private authority signed it, give the certificate of that authority: HTTPRemote.Options.certificates, or \
            --ca FILE of the tool.
            """
            : "It has to be signed by one of the certificates that were given; those of the system do not count then."
        return HTTPFailure(
            .unreachable,
            """
            The connection to \(call.base) is not secure, and nothing was sent: the certificate of the server is not trusted \
            (\(detail)). \(remedy) Check the host in the URL, too, and the dates of the certificate.
            """)
    }

    /// The failure of a server with a key that is not pinned.
    static func notPinned(_ base: String) -> HTTPFailure {
        HTTPFailure(
            .unreachable,
            """
            The connection to \(base) is not secure, and nothing was sent: the public key of the server's certificate is not pinned \
            (HTTPRemote.Options.pinnedKeys). If the server has a new key, pin that one, too; otherwise another program answers \
            in its place.
            """)
    }

    /// The failure of a library for TLS that can't pin keys.
    static func unusablePins(_ base: String, _ detail: String) -> HTTPFailure {
        HTTPFailure(
            .unsendable,
            "Keys can't be pinned by this libcurl, and nothing was sent to \(base): \(detail). Use one with OpenSSL or GnuTLS."
        )
    }

    /// The failure of certificates that the library for TLS can't read, or that it can't be given.
    static func unusableCertificates(_ base: String, _ detail: String) -> HTTPFailure {
        HTTPFailure(
            .unsendable,
            """
            The certificates to trust can't be used, and nothing was sent to \(base): \(detail). Check them with: \
            openssl x509 -in FILE -noout -text
            """)
    }

    static func notSafe(_ base: String, _ detail: String) -> HTTPFailure {
        HTTPFailure(
            .unreachable,
            """
            The connection to \(base) is not secure, and nothing was sent: \(detail). Check whether the URL \
            should start with http:// or https://, and the certificate of the server.
            """)
    }
}
