public import TidemarkCore

/// Shows a client of this process as a live page, in a debug build of an app.
///
/// ```swift
/// #if DEBUG
///     let inspector = try Inspector(client, trouble: remote)
///     print(inspector.makeLink())         // http://127.0.0.1:51234/#…: open it within a minute, once
/// #endif
/// ```
///
/// It listens on 127.0.0.1 alone, until it is deinitialized: keep it in a property. It keeps the client. Each other program of the device can reach that address; the token, which
/// the page gets for the code in the link, is what keeps it out. So make an inspector only in builds for developers. The page shows
/// all records; its buttons retry, discard, restore and resolve, each only if the record is still as the page shows it; others resume
/// paused collections and switch the trouble.
public final class Inspector: Sendable {
    private let responder: LoopbackResponder
    private let service: InspectorService

    /// Starts to listen on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - client: The client. The page has a timeline if its ``SyncConfiguration/traceLimit`` is not nil.
    ///   - title: The heading of the page.
    ///   - trouble: The same instance that the client has as its remote, for buttons that make trouble; nil for none.
    ///   - port: The port; 0 for a free one. To open the page on another computer, forward the same number: the page answers only to
    ///     `127.0.0.1:PORT`.
    /// - Throws: An error whose description says why the port can't be listened on.
    public convenience init(
        _ client: SyncClient, title: String = "app", trouble: TroubleRemote? = nil, port: UInt16 = 0
    ) throws {
        try self.init(ClientSource(client, title: title, trouble), port: port)
    }

    package init(_ source: some InspectorSource, port: UInt16 = 0) throws {
        var made: InspectorService?
        self.responder = try LoopbackResponder(port: port) { port in
            let service = InspectorService(source, port: port)
            made = service
            return { await service.answer($0) }
        }
        guard let made else { preconditionFailure("a responder made no handler") }
        self.service = made
    }

    deinit { self.responder.stop() }

    /// The port on 127.0.0.1.
    public var port: UInt16 { self.responder.port }

    /// A link to the page that can be opened once, within a minute. The link before it is not valid any more; a page that is open
    /// stays open.
    public func makeLink() -> String { self.service.makeLink() }
}
