import Foundation
import Testing

/// Whatever is asked, it answers 200 with a page to log in: a captive portal, or a wrong URL.
final class HTMLPage {
    let url: String
    private let descriptor: Int32

    init() throws {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        try #require(isListening)
        self.descriptor = descriptor
        self.url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/v1"
        Thread.detachNewThread { Self.answer(descriptor) }
    }

    deinit {
        shutdown(self.descriptor, Int32(SHUT_RDWR))
        close(self.descriptor)
    }

    private static func answer(_ descriptor: Int32) {
        let page = "<!DOCTYPE html><html><body>Log in</body></html>"
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n"
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 65_536)
            _ = recv(client, &request, request.count, 0)
            let bytes = Array("\(head)\r\n\(page)".utf8)
            _ = send(client, bytes, bytes.count, 0)
            close(client)
        }
    }
}
