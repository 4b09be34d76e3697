// The Swift part of Apple's module Darwin, which its C headers can't declare: the overlay Platform.swift of the Swift project
// (github.com/swiftlang/swift, stdlib/public/Platform), and the manual pages open(2), fcntl(2), ioctl(2), stat(2), tty(4).
@_exported public import Darwin

public var errno: Int32 { get { 0 } set {} }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { fatalError() }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IRWXU: mode_t { 0o700 }
public var S_IRWXG: mode_t { 0o070 }
public var S_IRWXO: mode_t { 0o007 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var SIG_DFL: (@convention(c) (Int32) -> Void)? { nil }
public var SIG_IGN: (@convention(c) (Int32) -> Void) { fatalError() }
