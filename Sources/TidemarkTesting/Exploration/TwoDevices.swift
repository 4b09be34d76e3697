public import TidemarkMachine

/// Two devices that both run the real `RecordMachine` and the real `ExchangeMachine`, a server, and a network that loses what it carries, around one
/// record.
///
/// ``World`` shows everything that can happen to one device while someone else writes. Here nobody writes but devices:
/// what one does is what the other one meets.
public struct TwoDevices: Hashable, Sendable {
    /// The machine under exploration.
    public typealias Machine = RecordMachine<TinyAlgebra>

    /// What the engine keeps for each collection; here the one record is called 0, and what fails is a class.
    typealias Exchange = ExchangeMachine<Int, FailureClass>

    /// What is under way between a device and the server.
    enum Flight: Hashable, Sendable {
        case none
        case asking(Machine.Upload?, watermark: Int)
        case answered(Answer)
    }

    /// What the server sent back.
    struct Answer: Hashable, Sendable {
        var requestID: String?
        var result: Machine.Answer?
        var listed: Machine.ServerState?
        var watermark: Int
    }

    /// One device.
    struct Device: Hashable, Sendable {
        var machine = Machine()
        var exchange = Exchange()
        var watermark = 0
        var flight = Flight.none
        var uploads = 0

        /// Every value that this device ever showed or had in a journal: it may overwrite those, and no others (I1).
        var known: Set<UInt8> = []
        var inputs: Int
    }

    /// What the server has, and remembers (W4).
    struct Server: Hashable, Sendable {
        var state = Machine.ServerState.nothing
        var clock = 0
        var answers: [String: Machine.Answer] = [:]

        /// A planted fault: edits are taken whatever they were made on, as in the first system of this kind.
        var ignoresVersions = false
    }

    /// One thing that can happen; the number is the device's.
    public enum Move: Hashable, Sendable, CustomStringConvertible {
        /// The app makes the record.
        case create(Int)

        /// The app changes the first field, or the second.
        case edit(Int, first: Bool)

        /// The app deletes the record.
        case delete(Int)

        /// The device sends what it has, or asks for what is new.
        case send(Int)

        /// The server takes the request and answers.
        case deliver(Int)

        /// The device hears the answer.
        case receive(Int)

        /// The request, or the answer, is lost.
        case lose(Int)

        /// The process is killed and started again; what it sent goes on its way.
        case crash(Int)

        /// A request of a process that has ended reaches the server.
        case deliverLate

        /// What happens, and to which device.
        public var description: String {
            switch self {
            case .create(let device): "device \(device) creates"
            case .edit(let device, let first): "device \(device) edits \(first ? "a" : "b")"
            case .delete(let device): "device \(device) deletes"
            case .send(let device): "device \(device) sends"
            case .deliver(let device): "the server answers device \(device)"
            case .receive(let device): "device \(device) hears"
            case .lose(let device): "a message of device \(device) is lost"
            case .crash(let device): "device \(device) is killed and started"
            case .deliverLate: "a late request arrives"
            }
        }
    }

    var devices: [Device]
    var server = Server()
    var late: Machine.Upload?
    var faults: Int

    /// What was typed and neither reached the server nor was replaced by its own device nor is in a journal (I2).
    var alive: Set<UInt8> = []

    /// What is wrong; nil when nothing is.
    public var violation: String?

    /// Makes two devices.
    ///
    /// - Parameters:
    ///   - startsInStep: Whether both have the record already.
    ///   - inputs: How often each app does something.
    ///   - faults: How many messages are lost, and processes killed.
    ///   - ignoresVersions: A planted fault of the server: to see that it is found.
    public init(startsInStep: Bool, inputs: [Int], faults: Int, ignoresVersions: Bool = false) {
        self.devices = inputs.map { Device(inputs: $0) }
        self.faults = faults
        self.server.ignoresVersions = ignoresVersions
        guard startsInStep else { return }
        let row = Machine.ServerState.row(stamp: "1", TinyContent(a: 1, b: 1))
        self.server.state = row
        self.server.clock = 1
        for index in self.devices.indices {
            self.devices[index].machine = Machine(phase: .synced, confirmed: row)
            self.devices[index].watermark = 1
            self.devices[index].known = [1]
        }
    }
}
