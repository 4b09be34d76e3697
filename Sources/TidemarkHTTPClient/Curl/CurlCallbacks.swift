#if !canImport(Darwin)
    import CCurl

    /// The C functions that libcurl calls during a call. They only translate; the reception decides.
    enum CurlCallbacks {
        /// The connection is open, and the request is about to be sent; any value but 0 ends the call.
        static let begin:
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
            ) -> Int32 = { me, _, _, _, _ in
                unsafe Self.reception(me)?.begins() == true ? 0 : 1
            }

        /// A line of a head was received; any value but the number of its bytes ends the call.
        static let head: curl_write_callback = { bytes, size, count, me in
            guard let reception = unsafe Self.reception(me) else { return 0 }
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return reception.takeHead(unsafe String(decoding: line, as: UTF8.self)) ? size * count : 0
        }

        /// A piece of the body was received.
        static let body: curl_write_callback = { bytes, size, count, me in
            guard let reception = unsafe Self.reception(me) else { return 0 }
            let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe reception.takeBody(piece) ? size * count : 0
        }

        /// Called at least once a second; any value but 0 ends the call.
        static let progress: curl_xferinfo_callback = { me, _, _, _, _ in
            unsafe Self.reception(me)?.isWanted == true ? 0 : 1
        }

        private static func reception(_ me: UnsafeMutableRawPointer?) -> CurlReception? {
            unsafe me.map { unsafe Unmanaged<CurlReception>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif
