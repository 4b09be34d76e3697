import Tidemark
import TidemarkHTTPClient

/// The certificates that sign the one of a server, from a file.
enum GivenCertificates {
    static let option = Option(
        name: "--ca", value: "FILE",
        summary: "certificates (PEM) one of which signed the server's, as of a private authority; replace the system's",
        kind: .file)

    /// Reads a file; `-` is standard input.
    ///
    /// - Returns: The certificates as PEM, without any other text of the file.
    /// - Throws: ``UsageError`` if the name is empty, as a shell passes it for a variable that is not set; ``CommandFailure`` if
    ///   the file has no certificate, a damaged one, or a private key.
    static func read(_ path: String, _ console: Console, for command: any Command.Type) throws -> [UInt8] {
        guard !path.isEmpty else { throw UsageError("--ca needs the name of a file", for: command) }
        let text = try InputText(path, console, limit: TrustedCertificates.sizeLimit)
        do throws(HTTPFailure) {
            return try TrustedCertificates(pem: text.bytes).pem
        } catch {
            throw CommandFailure("\(text.name): \(error.message)")
        }
    }
}
