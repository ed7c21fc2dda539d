import NIOCore

extension PeerConnection {
    /// Sends frames in one write, whatever the client's windows and limits say.
    func send(_ frames: WireFrame...) async throws { try await send(frames) }

    /// Sends frames in one write, whatever the client's windows and limits say.
    func send(_ frames: [WireFrame]) async throws {
        look { $0.note(sent: frames) }
        try await send(bytes: frames.flatMap(\.bytes))
    }

    /// Sends bytes in one write, which should end with a frame: acknowledgements of PING and SETTINGS may follow.
    func send(bytes: [UInt8]) async throws {
        try await write(bytes)
        try await sendReplies { $0.hasSpoken = true }
    }

    /// Sends bytes in pieces, each of which is written when the system has accepted the previous one.
    func sendSplit(_ bytes: [UInt8], every count: Int) async throws {
        try await sendSplit(bytes, at: Array(stride(from: max(1, count), to: bytes.count, by: max(1, count))))
    }

    /// Sends bytes in pieces that end at these places, also within a frame: acknowledgements of PING and SETTINGS wait.
    func sendSplit(_ bytes: [UInt8], at places: [Int]) async throws {
        look { $0.splitWrites += 1 }
        var start = 0
        for end in places + [bytes.count] where end > start {
            try await write(Array(bytes[start..<end]))
            start = end
        }
        try await sendReplies { state in
            state.hasSpoken = true
            state.splitWrites -= 1
        }
    }

    /// Changes the state, and sends the acknowledgements that waited for it.
    private func sendReplies(_ change: (inout PeerState) -> Void) async throws {
        let replies = look { state in
            change(&state)
            return state.replies()
        }
        if !replies.isEmpty { try await write(replies.flatMap(\.bytes)) }
    }

    private func write(_ bytes: [UInt8]) async throws {
        try await limited("a write of \(bytes.count) bytes") {
            self.channel.writeAndFlush(ByteBuffer(bytes: bytes))
        }
    }

    /// Sends frames in pieces of a number of bytes.
    func sendSplit(_ frames: [WireFrame], every count: Int) async throws {
        look { $0.note(sent: frames) }
        try await sendSplit(frames.flatMap(\.bytes), every: count)
    }

    /// Sends the head of a response and its content: in one write if the client's windows have room, else as they
    /// open.
    ///
    /// - Parameters:
    ///   - body: The content; `nil` for a response without DATA.
    ///   - end: Whether the last frame ends the stream.
    ///   - indexed: Whether the head names entries of the static table by their index.
    func respond(
        _ stream: UInt32, status: Int = 200, headers: [(String, String)] = [], body: [UInt8]? = nil, end: Bool = true,
        indexed: Bool = false
    ) async throws {
        let block = HeaderBlock.encode([(":status", "\(status)")] + headers, indexed: indexed)
        let maximum = look { $0.maximumFrame }
        let head = WireFrame.headerFrames(stream, block, end: end && body == nil, maximum: maximum)
        guard let body else { return try await send(head) }
        let isSent = look { state in
            guard body.count <= min(maximum, max(0, state.room(stream))) else { return false }
            state.note(sent: [.data(stream, body)])
            return true
        }
        if isSent {
            try await send(bytes: (head + [.data(stream, body, end: end)]).flatMap(\.bytes))
        } else {
            try await send(head)
            try await sendBody(stream, body, end: end)
        }
    }

    /// Sends a response with a text as its content.
    func respond(
        _ stream: UInt32, status: Int = 200, headers: [(String, String)] = [], text: String, indexed: Bool = false
    ) async throws {
        try await respond(stream, status: status, headers: headers, body: Array(text.utf8), indexed: indexed)
    }

    /// Sends DATA as the client's windows and its largest frame allow.
    func sendBody(_ stream: UInt32, _ bytes: [UInt8], end: Bool = true) async throws {
        var start = 0
        repeat {
            let from = start
            let frame = try await wait("room in the windows of stream \(stream)") { state -> WireFrame? in
                let count = min(bytes.count - from, state.maximumFrame, max(0, state.room(stream)))
                guard count > 0 || bytes.isEmpty else { return nil }
                let next = from + count
                let frame = WireFrame.data(stream, Array(bytes[from..<next]), end: end && next == bytes.count)
                state.note(sent: [frame])
                return frame
            }
            try await send(bytes: frame.bytes)
            start += frame.payload.count
        } while start < bytes.count
    }

    /// Sends trailers, which end the stream.
    func sendTrailers(_ stream: UInt32, _ fields: [(String, String)]) async throws {
        try await send(WireFrame.headerFrames(stream, HeaderBlock.encode(fields), end: true))
    }
}
