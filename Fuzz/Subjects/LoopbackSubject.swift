import TidemarkInspector

/// The bytes of a connection to the inspector's responder. Whatever they are, they are a request, no request yet, or refused; and
/// no other program could read an answered request in another way.
enum LoopbackSubject {
    static func examine(_ input: [UInt8]) {
        let whole = Self.read(input)
        guard case .success(let request?) = whole else { return }
        law("a target is a path of this server") {
            request.path.first == "/" && !request.path.utf8.starts(with: "//".utf8)
        }
        law("a body has a length, and no other framing") {
            request.headers["transfer-encoding"] == nil
                && (request.body.isEmpty || request.headers["content-length"] == "\(request.body.count)"
                    || Int(request.headers["content-length"] ?? "") == request.body.count)
        }
        law("a GET has no body") { request.method == .post || request.body.isEmpty }
        law("limits hold") {
            request.body.count <= LoopbackRequest.bodyLimit
                && input.count - request.body.count <= LoopbackRequest.headLimit
        }
        law("a field has a name of a token, in lower case") {
            request.headers.keys.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 33...126 ~= $0 && !(65...90 ~= $0) } }
        }
        for count in Set([0, 1, input.count / 2, input.count - 1]) where count < input.count {
            law("a part of a request is no request yet, and is not refused") {
                guard case .success(nil) = Self.read(Array(input[..<count])) else { return false }
                return true
            }
        }
        law("more bytes than the request are refused") {
            guard case .failure = Self.read(input + [0]) else { return false }
            return true
        }
    }

    private static func read(_ bytes: [UInt8]) -> Result<LoopbackRequest?, LoopbackRequest.Refusal> {
        do throws(LoopbackRequest.Refusal) {
            return .success(try LoopbackRequest.read(bytes))
        } catch {
            return .failure(error)
        }
    }
}
