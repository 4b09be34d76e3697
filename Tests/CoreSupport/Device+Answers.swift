package import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
package import TidemarkTesting
import TidemarkWire
package import Testing

extension Device {
    /// Answers the oldest request with a response of a server or of a proxy.
    @discardableResult
    package func answerNext(_ body: String, status: Int = 200, headers: [String: String] = [:]) throws -> Outgoing {
        let sent = try #require(self.outbox.isEmpty ? nil : self.outbox.removeFirst())
        let answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try WireAnswer.decode(
                status: status, header: { headers[$0] }, body: Array(body.utf8), request: sent.request)
        } catch {
            try self.fail(error, for: sent.token)
            return sent
        }
        try self.receive(answer, for: sent.token)
        return sent
    }

    package func failNext(_ failure: RemoteFailure) throws {
        let sent = try #require(self.outbox.isEmpty ? nil : self.outbox.removeFirst())
        try self.fail(failure, for: sent.token)
    }

    package func resign(_ pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in try engine.resign(pk, in: SyncScenario.collection) }
    }

    package func renew() throws {
        try self.run { (engine) throws(TidemarkError) in try engine.renew(SyncScenario.collection) }
    }

    /// The text of a record's view.
    package func text(_ pk: String) throws -> String? {
        try self.view(pk)?.text
    }
}

extension ExchangeRequest {
    /// The bytes of the EDITs.
    package var encodedEdit: [[UInt8]] { self.uploads.map(\.encodedEdit) }
}

extension SyncScenario {
    /// Expects that all devices and the server agree on a record, and that no device has a pending change of it.
    package func expectAgreement(_ pk: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let server = try self.onServer(pk)
        for device in self.devices {
            let view = try device.view(pk)
            #expect(view == server, "\(device.name) has \(pk)", sourceLocation: sourceLocation)
            let phase = try device.phase(pk)
            let rest: RecordPhase = server == nil ? .absent : .synced
            #expect(phase == rest, "\(device.name) has \(pk)", sourceLocation: sourceLocation)
        }
    }
}
