/// Messages of generic netlink that ask which links are Wi-Fi (linux/genetlink.h, linux/nl80211.h). Functions of bytes.
enum WirelessQuery {
    private static let controller: UInt16 = 16
    private static let getFamily: UInt8 = 3
    private static let familyID: UInt16 = 1
    private static let familyName: UInt16 = 2
    private static let getInterface: UInt8 = 5
    private static let interfaceIndex: UInt16 = 3

    /// Returns the request for the family number of nl80211.
    static func familyRequest(sequence: UInt32) -> [UInt8] {
        var writer = NetlinkWriter(controller, flags: NetlinkNumbers.Flag.request, sequence: sequence)
        writer.append(getFamily)
        writer.append(UInt8(1))
        writer.appendZeros(2)
        writer.appendAttribute(familyName, Array("nl80211\0".utf8))
        return writer.finished()
    }

    /// Returns the request for all interfaces of nl80211.
    static func interfacesRequest(family: UInt16, sequence: UInt32) -> [UInt8] {
        var writer = NetlinkWriter(
            family, flags: NetlinkNumbers.Flag.request | NetlinkNumbers.Flag.dump, sequence: sequence)
        writer.append(getInterface)
        writer.append(UInt8(0))
        writer.appendZeros(2)
        return writer.finished()
    }

    /// The content of the kernel's reply to a request.
    struct Answer: Sendable, Hashable {
        var family: UInt16?
        var interfaces: Set<Int32> = []
        /// Whether it is the last one: the dump has ended, or the kernel has refused the request.
        var isLast = false
    }

    /// Reads a datagram, as far as it is well formed.
    static func answer(in datagram: [UInt8], sequence: UInt32, family: UInt16?) -> Answer {
        let bytes = NetlinkBytes(datagram[...])
        var answer = Answer()
        var offset = 0
        while let length = bytes.integer(offset, as: UInt32.self),
            let type = bytes.integer(offset + 4, as: UInt16.self),
            let number = bytes.integer(offset + 8, as: UInt32.self), length >= NetlinkNumbers.headerLength,
            let body = bytes.part(
                offset + NetlinkNumbers.headerLength, Int(clamping: length) - NetlinkNumbers.headerLength)
        {
            offset += (Int(clamping: length) + 3) & ~3
            guard number == sequence else { continue }
            switch type {
            case NetlinkNumbers.Message.done, NetlinkNumbers.Message.error: answer.isLast = true
            case controller where family == nil:
                answer.family = body.suffix(4)?.attribute(familyID)?.integer(0) ?? answer.family
            case family:
                guard answer.interfaces.count < NetworkTable.limit,
                    let index = body.suffix(4)?.attribute(interfaceIndex)?.integer(0, as: Int32.self)
                else { continue }
                answer.interfaces.insert(index)
            default: continue
            }
        }
        return answer
    }
}
