#if !canImport(Darwin)
    import CCurl

    /// One call that is on its way: it begins once, and what libcurl hands over is collected, and stopped where it is too much.
    final class CurlReception {
        private let call: HTTPCall
        private let start = ContinuousClock.now
        private let isStopped: () -> Bool
        private var hasBegun = false
        private var fields: [(name: String, value: String)] = []
        private var headSize = 0
        private var status = 0
        /// Whether the body is handed over; nil before it begins.
        private var isHandedOver: Bool?
        /// True when who takes the body wants no more of it.
        private var isEnough = false
        private var isHeadWhole = false
        private var body: [UInt8] = []
        private var failure: CarrierFailure?

        init(_ call: HTTPCall, isStopped: @escaping () -> Bool) {
            self.call = call
            self.isStopped = isStopped
        }

        /// The request is about to be sent; false when it may have been carried out already.
        ///
        /// Where a server closes a kept connection without an answer, libcurl sends the request again by itself. What is said of the
        /// second would pass for the answer to the first: a change that was made could count as refused (SPEC I11).
        func begins() -> Bool {
            guard self.hasBegun, !["GET", "HEAD"].contains(self.call.method) else {
                self.hasBegun = true
                return true
            }
            self.failure = .brokenOff(self.call.base)
            return false
        }

        /// Takes a line of a head, with its end; false when no more is wanted.
        func takeHead(_ line: String) -> Bool {
            self.headSize += line.utf8.count
            guard self.headSize <= self.call.limits.headSize else {
                self.failure = .notHTTP(self.call.base)
                return false
            }
            if line.utf8.starts(with: "HTTP/".utf8), self.body.isEmpty {
                // The first head, or the real one after an interim one (RFC 9110 §15.2).
                self.isHeadWhole = false
                self.fields = []
                let words = line.utf8.split(separator: UInt8(ascii: " "))
                self.status = words.dropFirst().first.flatMap { Int(Substring($0)) } ?? 0
            } else if line.utf8.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
                self.isHeadWhole = true
                // libcurl would wait for another head (RFC 9110 §15.2.2: only who asks for it is answered so).
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

        /// Takes a piece of the body, as it came; false when no more is wanted.
        func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
            if let stream = self.call.stream, self.handsOver(to: stream) {
                self.isEnough = unsafe !self.isWanted || !stream.take(Array(piece))
                return !self.isEnough
            }
            if piece.count > self.call.limits.answerSize - self.body.count {
                self.failure = .tooLarge(self.call.base, self.call.limits.answerSize)
            } else if self.isLate {
                self.failure = .tooSlow(self.call.base, self.call.limits.whole)
            } else {
                unsafe self.body.append(contentsOf: piece)
            }
            return self.failure == nil
        }

        private func handsOver(to stream: AnswerStream) -> Bool {
            if let isHandedOver { return isHandedOver }
            let head = CarrierAnswer(status: self.status, fields: self.fields, url: self.call.url)
            let isHandedOver = stream.isStream(head)
            self.isHandedOver = isHandedOver
            return isHandedOver
        }

        /// Whether anyone still waits for it.
        var isWanted: Bool { !self.isStopped() }

        private var isLate: Bool { self.start.duration(to: .now) > self.call.limits.whole }

        /// What it amounts to when libcurl is done.
        ///
        /// - Parameter detail: What libcurl says about it, in its own words.
        func result(_ code: CURLcode, status: Int, detail: String) -> Result<CarrierAnswer, CarrierFailure> {
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
                return .failure(CarrierFailure(code, detail: detail, call: self.call))
            }
            // libcurl is content with a head that breaks off after any of its lines.
            guard self.isHeadWhole, status >= 200 else { return .failure(.brokenOff(self.call.base)) }
            let reply = CarrierAnswer(
                status: status, fields: self.fields, body: self.body, url: self.call.url)
            do throws(CarrierFailure) {
                return .success(try reply.unpacked(for: self.call))
            } catch {
                return .failure(error)
            }
        }
    }
#endif
