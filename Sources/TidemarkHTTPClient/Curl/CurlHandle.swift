#if !canImport(Darwin)
    import CCurl
    import CSystem
    import TidemarkHTTPFields

    /// libcurl's easy handle, which keeps its connection between calls.
    @safe struct CurlHandle: ~Copyable {
        private let easy: UnsafeMutableRawPointer
        private let detail: UnsafeMutablePointer<CChar>

        init?() {
            guard let easy = unsafe curl_easy_init() else { return nil }
            unsafe self.easy = easy
            unsafe self.detail = .allocate(capacity: Int(CURL_ERROR_SIZE))
        }

        deinit {
            // Closes the connection to the server, which may be closed already.
            BrokenPipe.ignored { [easy = unsafe self.easy] in unsafe curl_easy_cleanup(easy) }
            unsafe self.detail.deallocate()
        }

        /// Carries out a call, and waits for it.
        mutating func carryOut(
            _ call: HTTPCall, _ reception: CurlReception
        ) -> Result<HTTPAnswer, HTTPFailure> {
            // Clears the call, but keeps the connection.
            defer { unsafe curl_easy_reset(self.easy) }
            unsafe self.detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            let headers = unsafe Self.list(call)
            defer { unsafe curl_slist_free_all(headers) }
            var code = unsafe self.prepare(call, headers)
            if code == CURLE_OK {
                code = withExtendedLifetime(reception) {
                    let me = unsafe Unmanaged.passUnretained(reception).toOpaque()
                    unsafe tidemark_curl_set_callbacks(
                        self.easy, me, CurlCallbacks.head, CurlCallbacks.body, CurlCallbacks.progress)
                    unsafe tidemark_curl_ask_to_begin(self.easy, me, CurlCallbacks.begin)
                    return BrokenPipe.ignored { [easy = unsafe self.easy] in unsafe curl_easy_perform(easy) }
                }
            }
            return reception.result(
                code, status: unsafe tidemark_curl_status(self.easy), detail: self.words(code))
        }

        /// libcurl's message about a failure.
        private func words(_ code: CURLcode) -> String {
            let detail = unsafe String(cString: self.detail)
            let text = unsafe detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
            let words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
            return words.map { String($0) }.joined(separator: " ")
        }

        // MARK: Options

        private func prepare(_ call: HTTPCall, _ headers: UnsafeMutablePointer<curl_slist>?) -> CURLcode {
            let milliseconds = { (time: Duration) in Int(max(1, min(time / .milliseconds(1), Double(Int32.max)))) }
            var codes = unsafe [
                tidemark_curl_allow_http_only(self.easy), tidemark_curl_set_headers(self.easy, headers),
                tidemark_curl_set_pointer(self.easy, CURLOPT_ERRORBUFFER, self.detail),
                self.set(CURLOPT_URL, call.url), self.set(CURLOPT_USERAGENT, "Tidemark"),
                // Path steps are escaped already, and all other names are the server's.
                self.set(CURLOPT_PATH_AS_IS, 1),
                // A signal would affect the whole process.
                self.set(CURLOPT_NOSIGNAL, 1),
                // The answer of a proxy on the way is not the answer.
                self.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
                // The token is for one origin, so a redirect is the answer.
                self.set(CURLOPT_FOLLOWLOCATION, 0),
                self.set(CURLOPT_SSL_VERIFYPEER, 1), self.set(CURLOPT_SSL_VERIFYHOST, 2),
                self.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(call.limits.silence)),
                self.set(CURLOPT_LOW_SPEED_LIMIT, 1),
                self.set(CURLOPT_LOW_SPEED_TIME, (milliseconds(call.limits.silence) + 999) / 1000),
                // A stream may last indefinitely.
                self.set(CURLOPT_TIMEOUT_MS, call.stream == nil ? milliseconds(call.limits.whole) : 0),
            ]
            if Self.isThisMachine(call.url) {
                // A proxy can't know which machine is meant.
                codes.append(self.set(CURLOPT_PROXY, ""))
            }
            if call.body == nil, call.method == "HEAD" {
                codes.append(self.set(CURLOPT_NOBODY, 1))
            } else if call.method != (call.body == nil ? "GET" : "POST") {
                codes.append(self.set(CURLOPT_CUSTOMREQUEST, call.method))
            }
            if let trusted = call.trusted {
                let pem = trusted.pem
                codes.append(
                    unsafe pem.withUnsafeBytes {
                        unsafe tidemark_curl_trust_only(self.easy, $0.baseAddress, $0.count)
                    })
            }
            if let pinned = call.pinned { codes.append(self.set(CURLOPT_PINNEDPUBLICKEY, pinned.list)) }
            if let body = call.body {
                codes.append(self.set(CURLOPT_POST, 1))
                codes.append(
                    unsafe body.withUnsafeBytes {
                        unsafe tidemark_curl_set_body(self.easy, $0.baseAddress, curl_off_t($0.count))
                    })
            }
            return codes.first { $0 != CURLE_OK } ?? CURLE_OK
        }

        private func set(_ option: CURLoption, _ number: Int) -> CURLcode {
            unsafe tidemark_curl_set_number(self.easy, option, number)
        }

        private func set(_ option: CURLoption, _ text: String) -> CURLcode {
            unsafe tidemark_curl_set_text(self.easy, option, text)
        }

        /// The header fields as a list of libcurl; the caller frees it.
        private static func list(_ call: HTTPCall) -> UnsafeMutablePointer<curl_slist>? {
            // No `Expect` field: with it, libcurl would wait for servers that don't answer it.
            var list = unsafe curl_slist_append(nil, "Expect:")
            // Decompressed when all has arrived (see CurlReception): libcurl accepts gzip without its end.
            let coding = call.stream == nil ? "gzip" : "identity"
            unsafe list = curl_slist_append(list, "Accept-Encoding: \(coding)") ?? list
            if call.body != nil, !call.fields.contains(where: { HTTPFieldName.isSame($0.name, "Content-Type") }) {
                // libcurl would declare it as a form.
                unsafe list = curl_slist_append(list, "Content-Type:") ?? list
            }
            for (name, value) in call.fields {
                // A field without a value is written with a semicolon; with a colon libcurl omits it.
                unsafe list = curl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)") ?? list
            }
            return unsafe list
        }

        private static func isThisMachine(_ url: String) -> Bool {
            guard let host = URLParts(url)?.authority?.host.lowercased() else { return false }
            return host == "localhost" || host.utf8.suffix(10).elementsEqual(".localhost".utf8)
                || host.utf8.starts(with: "127.".utf8) || host == "[::1]" || host == "::1"
        }
    }

    /// Prevents a signal from ending the process: TLS sends a closing message even to a closed connection, and writing to a
    /// connection that the other side has closed raises `SIGPIPE`.
    private enum BrokenPipe {
        /// Runs a body with that signal blocked on this thread, and removes it if it was raised.
        static func ignored<Value>(_ body: () -> Value) -> Value {
            var signal = sigset_t()
            var before = sigset_t()
            unsafe sigemptyset(&signal)
            unsafe sigaddset(&signal, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            let value = body()
            var now = timespec()
            while unsafe sigtimedwait(&signal, nil, &now) == SIGPIPE {}
            return value
        }
    }
#endif
