// Decides for all modules which Foundation and which C library they get: FoundationEssentials does not exist on Apple's
// platforms, and the C library's module has another name on each. All other files import SternaPlatform, which
// `.ci/imports` checks.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#endif
