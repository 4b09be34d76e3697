#if !canImport(Darwin)
    internal import CCurl
    internal import TidemarkCore
    internal import TidemarkMachine

    /// One answer that is on its way: what libcurl hands over is collected, and stopped where it is too much.
    final class CurlReception {
        /// How long the head of an answer may be.
        private static let headLimit = 65_536

        private let call: HTTPCall
        private let start = ContinuousClock.now
        private let isStopped: () -> Bool
        private var headers: [(name: String, value: String)] = []
        private var headSize = 0
        private var isHeadWhole = false
        private var body: [UInt8] = []
        private var failure: RemoteFailure?

        init(_ call: HTTPCall, isStopped: @escaping () -> Bool) {
            self.call = call
            self.isStopped = isStopped
        }

        /// Takes a line of a head, with its end; false when no more is wanted.
        func takeHead(_ line: String) -> Bool {
            self.headSize += line.utf8.count
            guard self.headSize <= Self.headLimit else {
                self.failure = .notHTTP(self.call.base)
                return false
            }
            if line.hasPrefix("HTTP/"), self.body.isEmpty {
                // The first head, or the real one after an interim one (RFC 9110 section 15.2).
                self.isHeadWhole = false
                self.headers = []
            } else if line.allSatisfy(\.isNewline) {
                self.isHeadWhole = true
            } else if !self.isHeadWhole, let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace)
                self.headers.append((name: String(line[..<colon]), value: value.joined(separator: " ")))
            }
            return true
        }

        /// Takes a piece of the body, as it came; false when no more is wanted.
        func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
            if piece.count > self.call.options.answerLimit - self.body.count {
                self.failure = .tooLarge(self.call.base, self.call.options.answerLimit)
            } else if self.isLate {
                self.failure = .tooSlow(self.call.base, self.call.options.exchange)
            } else {
                unsafe self.body.append(contentsOf: piece)
            }
            return self.failure == nil
        }

        /// Whether anyone still waits for it.
        var isWanted: Bool { !self.isStopped() }

        private var isLate: Bool { self.start.duration(to: .now) > self.call.options.exchange }

        /// What it amounts to when libcurl is done.
        ///
        /// - Parameter detail: What libcurl says about it, in its own words.
        func result(_ code: CURLcode, status: Int, detail: String) -> Result<ReceivedReply, RemoteFailure> {
            if !self.isWanted {
                return .failure(.cancelled)
            }
            if let failure = self.failure {
                return .failure(failure)
            }
            if code == CURLE_OPERATION_TIMEDOUT, self.isLate {
                return .failure(.tooSlow(self.call.base, self.call.options.exchange))
            }
            guard code == CURLE_OK else {
                return .failure(RemoteFailure(code, detail: detail, call: self.call))
            }
            // libcurl is content with a head that breaks off after any of its lines.
            guard self.isHeadWhole, status >= 200 else { return .failure(.brokenOff(self.call.base)) }
            let reply = ReceivedReply(status: status, headers: self.headers, body: self.body)
            do throws(RemoteFailure) {
                return .success(try reply.unpacked(for: self.call))
            } catch {
                return .failure(error)
            }
        }
    }
#endif
