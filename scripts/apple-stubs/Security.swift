// The declarations of Apple's module Security are in Foundation.swift, since its types name each other.
@_exported public import Foundation
