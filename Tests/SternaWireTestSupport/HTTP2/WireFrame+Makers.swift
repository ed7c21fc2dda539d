extension WireFrame {
    init(
        _ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, reserved: Bool = false, payload: [UInt8] = [],
        rawLength: Int? = nil
    ) {
        self.init(
            type: kind.rawValue, flags: flags, stream: stream, reserved: reserved, payload: payload,
            rawLength: rawLength)
    }

    static func settings(_ settings: [(UInt16, UInt32)]) -> WireFrame {
        WireFrame(.settings, payload: settings.flatMap { bigEndian($0.0) + bigEndian($0.1) })
    }

    static var settingsAck: WireFrame { WireFrame(.settings, flags: Flag.ack) }

    static func ping(_ payload: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0], ack: Bool = false) -> WireFrame {
        WireFrame(.ping, flags: ack ? Flag.ack : 0, payload: payload)
    }

    static func goAway(last: UInt32, code: Code = .noError, debug: [UInt8] = []) -> WireFrame {
        WireFrame(.goAway, payload: bigEndian(last) + bigEndian(code.rawValue) + debug)
    }

    static func reset(_ stream: UInt32, _ code: Code) -> WireFrame {
        WireFrame(.reset, stream: stream, payload: bigEndian(code.rawValue))
    }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> WireFrame {
        WireFrame(.windowUpdate, stream: stream, payload: bigEndian(increment))
    }

    /// - Parameter padding: The number of bytes of padding; `nil` for a frame without the field Pad Length.
    static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = false, padding: UInt8? = nil) -> WireFrame {
        WireFrame(
            .data, flags: (end ? Flag.endStream : 0) | (padding == nil ? 0 : Flag.padded), stream: stream,
            payload: padded(bytes, padding))
    }

    static func headers(
        _ stream: UInt32, _ block: [UInt8], end: Bool = false, endHeaders: Bool = true, padding: UInt8? = nil,
        priority: Priority? = nil
    ) -> WireFrame {
        var flags = (end ? Flag.endStream : 0) | (endHeaders ? Flag.endHeaders : 0)
        if padding != nil { flags |= Flag.padded }
        if priority != nil { flags |= Flag.priority }
        return WireFrame(
            .headers, flags: flags, stream: stream, payload: padded((priority?.bytes ?? []) + block, padding))
    }

    static func continuation(_ stream: UInt32, _ block: [UInt8], endHeaders: Bool = true) -> WireFrame {
        WireFrame(.continuation, flags: endHeaders ? Flag.endHeaders : 0, stream: stream, payload: block)
    }

    static func pushPromise(
        _ stream: UInt32, promised: UInt32, _ block: [UInt8], endHeaders: Bool = true, padding: UInt8? = nil
    ) -> WireFrame {
        WireFrame(
            .pushPromise, flags: (endHeaders ? Flag.endHeaders : 0) | (padding == nil ? 0 : Flag.padded),
            stream: stream, payload: padded(bigEndian(promised) + block, padding))
    }

    static func priority(_ stream: UInt32, _ priority: Priority = Priority()) -> WireFrame {
        WireFrame(.priority, stream: stream, payload: priority.bytes)
    }

    static func unknown(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) -> WireFrame {
        WireFrame(type: type, flags: flags, stream: stream, payload: payload)
    }

    /// A block in one HEADERS frame, or, if it is longer than a frame may be, with CONTINUATION after it.
    static func headerFrames(
        _ stream: UInt32, _ block: [UInt8], end: Bool = false, maximum: Int = 16_384
    ) -> [WireFrame] {
        let size = max(1, maximum)
        var frames = [headers(stream, Array(block.prefix(size)), end: end, endHeaders: block.count <= size)]
        var start = size
        while start < block.count {
            let next = min(block.count, start + size)
            frames.append(continuation(stream, Array(block[start..<next]), endHeaders: next == block.count))
            start = next
        }
        return frames
    }

    private static func padded(_ bytes: [UInt8], _ padding: UInt8?) -> [UInt8] {
        guard let padding else { return bytes }
        return [padding] + bytes + [UInt8](repeating: 0, count: Int(padding))
    }
}
