#if !canImport(Darwin)
    import CCurl

    /// One call in progress: it begins once, and the data from libcurl is collected, and stopped if it is too much.
    final class CurlReception {
        private let call: HTTPCall
        private let start = ContinuousClock.now
        private let isStopped: () -> Bool
        private var hasBegun = false
        private var fields: [(name: String, value: String)] = []
        private var headSize = 0
        private var status = 0
        /// Whether the body is passed to the stream; nil before it begins.
        private var isHandedOver: Bool?
        /// True when the receiver of the body has ended the answer.
        private var isEnough = false
        private var isHeadWhole = false
        /// The body; nil before it begins.
        private var body: ReceivedBody?
        private var failure: HTTPFailure?

        init(_ call: HTTPCall, isStopped: @escaping () -> Bool) {
            self.call = call
            self.isStopped = isStopped
        }

        /// The request is about to be sent; returns false if it may have been carried out already.
        ///
        /// If a server closes a kept connection without an answer, libcurl sends the request again automatically. Its second
        /// answer would be taken for the first: a change that was applied could count as refused (I11).
        func begins() -> Bool {
            guard self.hasBegun, !["GET", "HEAD"].contains(self.call.method) else {
                self.hasBegun = true
                return true
            }
            self.failure = .brokenOff(self.call.base)
            return false
        }

        /// Handles a line of a head, with its line end; returns false to end the call.
        func takeHead(_ line: String) -> Bool {
            self.headSize += line.utf8.count
            guard self.headSize <= self.call.limits.headSize else {
                self.failure = .notHTTP(self.call.base)
                return false
            }
            if line.utf8.starts(with: "HTTP/".utf8), self.body == nil {
                // The first head, or the final one after an interim one (RFC 9110 §15.2).
                self.isHeadWhole = false
                self.fields = []
                let words = line.utf8.split(separator: UInt8(ascii: " "))
                self.status = words.dropFirst().first.flatMap { Int(Substring($0)) } ?? 0
            } else if line.utf8.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
                self.isHeadWhole = true
                // libcurl would wait for another head (RFC 9110 §15.2.2: a server switches only on request).
                if self.status == 101 {
                    self.failure = .switched(self.call.base)
                    return false
                }
            } else if !self.isHeadWhole, let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
                let value = line.unicodeScalars[line.utf8.index(after: colon)...]
                    .split(whereSeparator: \.properties.isWhitespace)
                let words = value.map { String($0) }
                self.fields.append((name: String(line[..<colon]), value: words.joined(separator: " ")))
            }
            return true
        }

        /// Handles a piece of the body; returns false to end the call.
        func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
            guard piece.count > 0 else { return true }
            if let stream = self.call.stream, self.handsOver(to: stream) {
                self.isEnough = unsafe !self.isWanted || !stream.take(Array(piece))
                return !self.isEnough
            }
            guard !self.isLate else {
                self.failure = .tooSlow(self.call.base, self.call.limits.whole)
                return false
            }
            do throws(HTTPFailure) {
                if self.body == nil { self.body = try ReceivedBody(of: self.answer, for: self.call) }
                try unsafe self.body?.append(Array(piece)[...])
            } catch {
                self.failure = error
            }
            return self.failure == nil
        }

        private func handsOver(to stream: AnswerStream) -> Bool {
            if let isHandedOver { return isHandedOver }
            let isHandedOver = stream.isStream(self.answer)
            self.isHandedOver = isHandedOver
            return isHandedOver
        }

        /// The answer without its body.
        private var answer: HTTPAnswer {
            HTTPAnswer(status: self.status, fields: self.fields, url: self.call.url)
        }

        /// Whether the caller still waits for it.
        var isWanted: Bool { !self.isStopped() }

        private var isLate: Bool { self.start.duration(to: .now) > self.call.limits.whole }

        /// Returns the result after libcurl has finished.
        ///
        /// - Parameter detail: libcurl's message.
        func result(_ code: CURLcode, status: Int, detail: String) -> Result<HTTPAnswer, HTTPFailure> {
            if !self.isWanted {
                return .failure(.cancelled)
            }
            if let failure = self.failure {
                return .failure(failure)
            }
            if code == CURLE_OPERATION_TIMEDOUT, self.isLate {
                return .failure(.tooSlow(self.call.base, self.call.limits.whole))
            }
            guard code == CURLE_OK || self.isEnough else {
                return .failure(HTTPFailure(code, detail: detail, call: self.call))
            }
            // libcurl accepts a head that is cut off after any of its lines.
            guard self.isHeadWhole, status >= 200 else { return .failure(.brokenOff(self.call.base)) }
            var answer = HTTPAnswer(status: status, fields: self.fields, url: self.call.url)
            do throws(HTTPFailure) {
                answer.body = try self.body.take()?.whole() ?? []
                return .success(answer)
            } catch {
                return .failure(error)
            }
        }
    }
#endif
