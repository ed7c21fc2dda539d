package import SternaCore

package typealias NetworkFamily = IPAddress.Family

extension IPAddress.Family {
    /// An address for documentation (RFC 5737, RFC 3849), and the prefix of all addresses.
    var documentation: (address: IPAddress, all: IPPrefix?) {
        switch self {
        case .v4: (IPAddress(v4: 0xC000_0201), IPPrefix(IPAddress(v4: 0), length: 0))
        case .v6: (IPAddress(v6: 0x2001_0DB8 << 32, 1), IPPrefix(IPAddress(v6: 0, 0), length: 0))
        }
    }
}
