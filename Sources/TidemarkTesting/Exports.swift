// The types in the signatures of a test's remote, so that `import Tidemark` and `import TidemarkTesting` are enough for a helper
// that takes, wraps or makes one.

@_exported public import struct TidemarkCore.ExchangeAnswer
@_exported public import struct TidemarkCore.ExchangeRequest
@_exported public import protocol TidemarkCore.Remote
@_exported public import struct TidemarkCore.RemoteCapabilities
@_exported public import enum TidemarkCore.RemoteHint
@_exported public import struct TidemarkCore.UploadRequest
@_exported public import struct TidemarkCore.UploadResult
