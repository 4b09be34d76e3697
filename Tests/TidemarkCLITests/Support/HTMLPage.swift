/// Whatever is asked, it answers 200 with a page to log in: a captive portal, or a wrong URL.
final class HTMLPage {
    private let server: ScriptedServer

    var url: String { self.server.url }

    init() throws {
        self.server = try ScriptedServer([
            .init(200, "<!DOCTYPE html><html><body>Log in</body></html>", headers: ["Content-Type: text/html"])
        ])
    }
}
