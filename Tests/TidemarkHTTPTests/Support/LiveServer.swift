import Synchronization
import TidemarkHTTP
import TidemarkListener
import TidemarkServer

/// The reference server behind a real listener on a free port.
final class LiveServer: Sendable {
    let listener: HTTPListener

    var url: String { "http://127.0.0.1:\(self.listener.port)/v1" }

    init(tokens: [String] = []) throws {
        let ticks = Mutex<Int64>(1_763_000_000_000_000)
        let core = ServerCore(
            storage: try SQLiteServerStorage(.memory), accounts: ServerAccounts(tokens: tokens),
            now: {
                ticks.withLock {
                    $0 += 1; return $0
                }
            })
        self.listener = try HTTPListener(core)
    }

    deinit { self.listener.stop() }
}
