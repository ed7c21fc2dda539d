@_exported public import HTTPTypes
@_exported public import SternaCore
@_exported public import SternaSecurity
@_exported public import SternaSerialization
@_exported public import SternaTransport
