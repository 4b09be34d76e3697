// What the package uses of Apple's module Foundation, with Apple's signatures and availability. The methods of delegates are
// requirements here, not optional: one whose name or types differ from Apple's is an error, where Apple's compiler would only never call it.
@_exported public import Darwin
@_exported public import Dispatch

public typealias TimeInterval = Double

open class NSObject: Equatable, Hashable {
    public init() {}
    public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) {}
}
public protocol NSObjectProtocol: AnyObject {}
extension NSObject: NSObjectProtocol {}

public struct Date: Comparable, Hashable, Sendable, CustomStringConvertible, Codable {
    public init() {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
    public var timeIntervalSince1970: TimeInterval { 0 }
    public static func < (a: Date, b: Date) -> Bool { false }
    public var description: String { "" }
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public struct ISO8601FormatStyle: Sendable {}
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
    public func formatted<F: FormatStyle>(_ format: F) -> F.FormatOutput where F.FormatInput == Date { fatalError() }
}
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
public protocol FormatStyle<FormatInput, FormatOutput> { associatedtype FormatInput; associatedtype FormatOutput }
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension Date.ISO8601FormatStyle: FormatStyle { public typealias FormatInput = Date; public typealias FormatOutput = String }
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension FormatStyle where Self == Date.ISO8601FormatStyle { public static var iso8601: Date.ISO8601FormatStyle { fatalError() } }

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
public protocol ParseStrategy<ParseInput, ParseOutput>: Decodable, Encodable, Hashable {
    associatedtype ParseInput
    associatedtype ParseOutput
    func parse(_ value: ParseInput) throws -> ParseOutput
}
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
public protocol ParseableFormatStyle: FormatStyle {
    associatedtype Strategy: ParseStrategy where Strategy.ParseInput == FormatOutput, Strategy.ParseOutput == FormatInput
    var parseStrategy: Strategy { get }
}

public protocol ContiguousBytes { func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R }
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
public struct Data: RandomAccessCollection, MutableCollection, RangeReplaceableCollection, Hashable, Sendable, Codable, DataProtocol, ContiguousBytes {
    public struct Base64EncodingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    public struct Base64DecodingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    public struct ReadingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1)
    }
    public struct SearchOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public init() {}
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
    public func range(of other: Data, options: SearchOptions = [], in range: Range<Index>? = nil) -> Range<Index>? { nil }
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 { get { 0 } set {} }
    public subscript(bounds: Range<Int>) -> Data { get { self } set {} }
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == UInt8 {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public struct Decimal: Hashable, Sendable, Comparable, CustomStringConvertible, Codable {
    public init() {}
    public init?(string: String, locale: Locale? = nil) {}
    public static func < (a: Decimal, b: Decimal) -> Bool { false }
    public var description: String { "" }
}
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension Decimal {
    public struct FormatStyle: ParseableFormatStyle, Sendable {
        public typealias FormatInput = Decimal
        public typealias FormatOutput = String
        public var parseStrategy: ParseStrategy { fatalError() }
    }
    public struct ParseStrategy: Foundation.ParseStrategy, Sendable { public func parse(_ value: String) throws -> Decimal { Decimal() } }
}
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension FormatStyle where Self == Decimal.FormatStyle { public static var number: Decimal.FormatStyle { fatalError() } }
public struct Locale: Hashable, Sendable {}
/// Apple's is part of CoreGraphics, which Foundation exports.
public struct CGFloat: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral: Int) {}
    public init(floatLiteral: Double) {}
}

public struct URL: Hashable, Sendable, CustomStringConvertible, Codable {
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public enum DirectoryHint: Hashable, Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public init?(string: String) {}
    public init(fileURLWithPath: String) {}
    public init(fileURLWithPath: String, isDirectory: Bool) {}
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public init(filePath: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}
    public var absoluteString: String { "" }
    public var path: String { "" }
    public var relativePath: String { "" }
    public var lastPathComponent: String { "" }
    public func appendingPathComponent(_ pathComponent: String) -> URL { self }
    public func appendingPathComponent(_ pathComponent: String, isDirectory: Bool) -> URL { self }
    public var isFileURL: Bool { false }
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
    public func appending<S: StringProtocol>(path: S, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public func resolvingSymlinksInPath() -> URL { self }
    public var standardizedFileURL: URL { self }
    public var description: String { "" }
}
public struct UUID: Hashable, Sendable, CustomStringConvertible, Codable {
    public init() {}
    public var uuidString: String { "" }
    public var description: String { "" }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}
extension Error { public var localizedDescription: String { "" } }

// MARK: URLSession

public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let unknown = Code(rawValue: -1)
        public static let cancelled = Code(rawValue: -999)
        public static let badURL = Code(rawValue: -1000)
        public static let timedOut = Code(rawValue: -1001)
        public static let unsupportedURL = Code(rawValue: -1002)
        public static let cannotFindHost = Code(rawValue: -1003)
        public static let cannotConnectToHost = Code(rawValue: -1004)
        public static let networkConnectionLost = Code(rawValue: -1005)
        public static let dnsLookupFailed = Code(rawValue: -1006)
        public static let httpTooManyRedirects = Code(rawValue: -1007)
        public static let resourceUnavailable = Code(rawValue: -1008)
        public static let notConnectedToInternet = Code(rawValue: -1009)
        public static let redirectToNonExistentLocation = Code(rawValue: -1010)
        public static let badServerResponse = Code(rawValue: -1011)
        public static let userCancelledAuthentication = Code(rawValue: -1012)
        public static let userAuthenticationRequired = Code(rawValue: -1013)
        public static let zeroByteResource = Code(rawValue: -1014)
        public static let cannotDecodeRawData = Code(rawValue: -1015)
        public static let cannotDecodeContentData = Code(rawValue: -1016)
        public static let cannotParseResponse = Code(rawValue: -1017)
        public static let internationalRoamingOff = Code(rawValue: -1018)
        public static let callIsActive = Code(rawValue: -1019)
        public static let dataNotAllowed = Code(rawValue: -1020)
        public static let appTransportSecurityRequiresSecureConnection = Code(rawValue: -1022)
        public static let dataLengthExceedsMaximum = Code(rawValue: -1103)
        public static let secureConnectionFailed = Code(rawValue: -1200)
        public static let serverCertificateHasBadDate = Code(rawValue: -1201)
        public static let serverCertificateUntrusted = Code(rawValue: -1202)
        public static let serverCertificateHasUnknownRoot = Code(rawValue: -1203)
        public static let serverCertificateNotYetValid = Code(rawValue: -1204)
        public static let clientCertificateRejected = Code(rawValue: -1205)
        public static let clientCertificateRequired = Code(rawValue: -1206)
    }
    public var code: Code { .unknown }
    public var localizedDescription: String { "" }
}
public struct URLRequest: Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0) {}
    public var timeoutInterval: TimeInterval { get { 0 } set {} }
    public var httpMethod: String? { get { nil } set {} }
    public var httpBody: Data? { get { nil } set {} }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}
open class NSURLRequest: NSObject, @unchecked Sendable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData, returnCacheDataElseLoad, returnCacheDataDontLoad }
}
open class URLResponse: NSObject, @unchecked Sendable { open var url: URL? { nil } }
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
    @available(macOS 10.15, iOS 13.0, *) open func value(forHTTPHeaderField field: String) -> String? { nil }
}
open class OperationQueue: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { fatalError() }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var requestCachePolicy: NSURLRequest.CachePolicy { get { fatalError() } set {} }
    open var timeoutIntervalForRequest: TimeInterval { get { 0 } set {} }
    open var timeoutIntervalForResource: TimeInterval { get { 0 } set {} }
    open var waitsForConnectivity: Bool { get { false } set {} }
    open var httpShouldSetCookies: Bool { get { false } set {} }
    open var httpAdditionalHeaders: [AnyHashable: Any]? { get { nil } set {} }
    open var httpMaximumConnectionsPerHost: Int { get { 0 } set {} }
    open var httpCookieStorage: HTTPCookieStorage? { get { nil } set {} }
    open var urlCredentialStorage: URLCredentialStorage? { get { nil } set {} }
    open var urlCache: URLCache? { get { nil } set {} }
}
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { [] }
}
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable { open var requestStartDate: Date? { nil } }
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { 0 }
    open func cancel() {}
    open func resume() {}
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSession: NSObject, @unchecked Sendable {
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
    public init(configuration: URLSessionConfiguration) {}
    public init(configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?) {}
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
}
open class URLProtectionSpace: NSObject, @unchecked Sendable { open var serverTrust: SecTrust? { nil } }
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable { open var protectionSpace: URLProtectionSpace { fatalError() } }
open class URLCredential: NSObject, @unchecked Sendable { public init(trust: SecTrust) {} }
extension URLSession {
    public enum AuthChallengeDisposition: Int, Sendable { case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace }
}
// Security. Without the bridge to Objective-C, `data as CFData` is checked as a conversion to the same type, and an array as one of any.
public typealias CFData = Data
public typealias CFArray = [Any]
public final class CFAllocator {}
public final class CFError: Error { public var localizedDescription: String { "" } }
public final class SecTrust {}
public final class SecCertificate {}
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> Int32 { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> Int32 { 0 }
@available(macOS 10.14, iOS 12.0, tvOS 12.0, watchOS 5.0, *)
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

// MARK: Files and processes, for the tools

public struct CharacterSet: Hashable, Sendable {
    public static var whitespaces: CharacterSet { fatalError() }
    public static var newlines: CharacterSet { fatalError() }
    public static var whitespacesAndNewlines: CharacterSet { fatalError() }
}
extension StringProtocol { public func trimmingCharacters(in set: CharacterSet) -> String { "" } }
extension String {
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Encoding(rawValue: 4)
    }
    public init?(data: Data, encoding: Encoding) { nil }
    public init(contentsOf url: URL, encoding: Encoding) throws { fatalError() }
}
extension StringProtocol {
    public func range<T: StringProtocol>(of text: T, options: String.CompareOptions = [], range: Range<Index>? = nil, locale: Locale? = nil) -> Range<Index>? { nil }
}
extension String {
    public struct CompareOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
}
public enum POSIXErrorCode: Int32, Sendable { case EIO = 5 }
public struct POSIXError: Error, Sendable { public init(_ code: POSIXErrorCode) {} }
open class JSONDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
open class Thread: NSObject, @unchecked Sendable {
    @available(macOS 10.12, iOS 10.0, *) public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
    open func start() {}
    open var stackSize: Int { get { 0 } set {} }
}
open class FileManager: NSObject, @unchecked Sendable {
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open func contents(atPath path: String) -> Data? { nil }
    open func createDirectory(at url: URL, withIntermediateDirectories: Bool, attributes: [AnyHashable: Any]? = nil) throws {}
    open func removeItem(at url: URL) throws {}
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { [] }
    public enum SearchPathDirectory: UInt, Sendable { case applicationSupportDirectory, cachesDirectory }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var userDomainMask: SearchPathDomainMask { SearchPathDomainMask(rawValue: 1) }
    }
}
public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let size = FileAttributeKey(rawValue: "")
    public static let modificationDate = FileAttributeKey(rawValue: "")
}
open class NSNumber: NSObject, @unchecked Sendable {
    open var int64Value: Int64 { 0 }
}
open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { fatalError() }
    open var bundleIdentifier: String? { nil }
}
open class FileHandle: NSObject, @unchecked Sendable {
    open class var standardError: FileHandle { fatalError() }
    open class var nullDevice: FileHandle { fatalError() }
    public init?(forReadingAtPath path: String) {}
    public init?(forWritingAtPath path: String) {}
    open var fileDescriptor: Int32 { 0 }
    open var availableData: Data { Data() }
    open func write(_ data: Data) {}
    open func readDataToEndOfFile() -> Data { Data() }
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *) public func readToEnd() throws -> Data? { nil }
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *) public func read(upToCount count: Int) throws -> Data? { nil }
    open func closeFile() {}
}
open class Pipe: NSObject, @unchecked Sendable {
    public override init() {}
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { [:] }
    open var activeProcessorCount: Int { 0 }
    open var processName: String { "" }
}
#if os(macOS)
open class Process: NSObject, @unchecked Sendable {
    public override init() {}
    open var executableURL: URL?
    open var arguments: [String]?
    open var environment: [String: String]?
    open var standardInput: Any?
    open var standardOutput: Any?
    open var standardError: Any?
    open var processIdentifier: Int32 { 0 }
    open var isRunning: Bool { false }
    open var terminationStatus: Int32 { 0 }
    open func run() throws {}
    open func waitUntilExit() {}
    open func terminate() {}
}
#endif
