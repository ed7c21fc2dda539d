import NIOCore

/// SOCKS 5: RFC 1928, and RFC 1929 for user names and passwords.
extension ProxyHandler {
    func takeGreeting() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return false }
        let methods = Array(bytes[2..<2 + Int(bytes[1])])
        buffer.moveReaderIndex(forwardBy: 2 + methods.count)
        if isSpoilt({ $0.socksMethods = methods }) { return false }
        guard bytes[0] == 5 else { return end() }
        var method: UInt8 = core.options.username == nil && methods.contains(0) ? 0 : 2
        if !methods.contains(method) || fault == .refusesMethods { method = 255 }
        return reply([5, method], next: method == 0 ? .socksRequest : method == 2 ? .socksCredentials : nil)
    }

    func takeCredentials() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 2 else { return false }
        let passwordStart = 3 + Int(bytes[1])
        guard bytes.count >= passwordStart, bytes.count >= passwordStart + Int(bytes[passwordStart - 1]) else {
            return false
        }
        let end = passwordStart + Int(bytes[passwordStart - 1])
        let credentials = TestProxy.Credentials(
            String(decoding: bytes[2..<passwordStart - 1], as: UTF8.self),
            String(decoding: bytes[passwordStart..<end], as: UTF8.self))
        buffer.moveReaderIndex(forwardBy: end)
        if isSpoilt({ $0.socksCredentials = credentials }) { return false }
        guard bytes[0] == 1 else { return self.end() }
        let isAdmitted = core.admits(credentials)
        return reply([1, isAdmitted ? 0 : 1], next: isAdmitted ? .socksRequest : nil)
    }

    func takeSOCKSRequest() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 5 else { return false }
        guard bytes[0] == 5, let type = TestProxy.SOCKSRequest.AddressType(rawValue: bytes[3]) else { return end() }
        let (start, length) = type == .name ? (5, Int(bytes[4])) : (4, type == .ipv4 ? 4 : 16)
        let end = start + length
        guard bytes.count >= end + 2 else { return false }
        buffer.moveReaderIndex(forwardBy: end + 2)
        let request = TestProxy.SOCKSRequest(
            command: bytes[1], addressType: type, host: Self.host(bytes[start..<end], type),
            port: Int(bytes[end]) << 8 | Int(bytes[end + 1]))
        if isSpoilt({ $0.socksRequest = request }) { return false }
        if case .refusesAddress(let code) = fault { return refuseAddress(code) }
        guard request.command == 1 else { return refuseAddress(7) }
        connect(host: request.host, port: request.port) { [self] result in
            switch result {
            case .failure(.unknownHost): _ = refuseAddress(4)
            case .failure(.refused): _ = refuseAddress(5)
            case .success:
                var bound: [UInt8] = [1, 0, 0, 0, 0, 0, 0]
                if case .binds(let bytes) = fault { bound = bytes }
                openTunnel([5, 0, 0] + bound)
            }
        }
        return false
    }

    private static func host(_ bytes: ArraySlice<UInt8>, _ type: TestProxy.SOCKSRequest.AddressType) -> String {
        if type == .name { return String(decoding: bytes, as: UTF8.self) }
        let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)
        return address?.ipAddress ?? ""
    }

    private func refuseAddress(_ code: UInt8) -> Bool { reply([5, code, 0, 1, 0, 0, 0, 0, 0, 0], next: nil) }

    /// Answers and continues with the next message, or closes if `next` is nil.
    private func reply(_ bytes: [UInt8], next: Stage?) -> Bool {
        stage = .busy
        answer(bytes) { [self] in
            guard let next else { return close() }
            if case .busy = stage { stage = next }
            process()
            resumeReading()
        }
        return false
    }

    private func end() -> Bool {
        close()
        return false
    }
}
