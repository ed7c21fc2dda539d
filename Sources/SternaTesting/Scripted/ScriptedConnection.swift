import NIOCore
import Synchronization

/// The connections of one scripted server.
final class ScriptedState: Sendable {
    private let connections = Mutex((list: [ScriptedConnection](), stopping: false))
    let changes = ChangeSignal()

    func accepted(_ connection: ScriptedConnection) -> Int? {
        let number = connections.withLock { state -> Int? in
            guard !state.stopping else { return nil }
            state.list.append(connection)
            return state.list.count - 1
        }
        changes.changed()
        return number
    }

    func connection(_ number: Int) -> ScriptedConnection? {
        connections.withLock { $0.list.indices.contains(number) ? $0.list[number] : nil }
    }

    var count: Int { connections.withLock { $0.list.count } }

    func stop() -> [ScriptedConnection] {
        connections.withLock { state in
            state.stopping = true
            return state.list
        }
    }
}

/// One connection of a scripted server: its received bytes and the task that runs its script.
final class ScriptedConnection: Sendable {
    private struct State {
        var received: [UInt8] = []
        var taken = 0
        var peerClosed = false
        var task: Task<Void, Never>?
    }

    static let receivedLimit = 16 << 20

    let channel: any Channel
    let anchor: ConnectionAnchor.Handle
    let changes = ChangeSignal()
    private let state = Mutex(State())

    init(channel: any Channel, anchor: ConnectionAnchor.Handle) {
        self.channel = channel
        self.anchor = anchor
    }

    var received: [UInt8] { state.withLock { $0.received } }
    var peerClosed: Bool { state.withLock { $0.peerClosed } }

    func receive(_ buffer: ByteBuffer) {
        state.withLock { state in
            let room = Self.receivedLimit - state.received.count
            state.received.append(contentsOf: buffer.readableBytesView.prefix(room))
        }
        changes.changed()
    }

    func inputClosed() {
        state.withLock { $0.peerClosed = true }
        changes.changed()
    }

    func abort() async {
        state.withLock { $0.task }?.cancel()
        await anchor.abort()
    }

    func play(_ script: [ScriptedServer.Step]) {
        let task = Task {
            for step in script {
                do {
                    try await self.run(step)
                } catch {
                    return await self.anchor.abort()
                }
                guard !Task.isCancelled else { return }
            }
            _ = await self.changes.wait(within: nil) { self.peerClosed }
            try? await self.channel.close().get()
        }
        state.withLock { $0.task = task }
    }

    private struct PeerClosed: Error {}

    private func run(_ step: ScriptedServer.Step) async throws {
        switch step {
        case .receiveHead:
            try await take { received, taken in Self.endOfHead(in: received, from: taken) }
        case .receive(let count):
            try await take { received, taken in
                received.count - taken >= max(0, count) ? taken + max(0, count) : nil
            }
        case .send(let text):
            try await write(ByteBuffer(string: text))
        case .sendBytes(let bytes):
            try await write(ByteBuffer(bytes: bytes))
        case .sendRepeating(let bytes, let count):
            try await sendRepeating(bytes, count: count)
        case .sendSplit(let bytes, let size):
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + max(1, size))
                try await write(ByteBuffer(bytes: bytes[start..<end]))
                start = end
            }
        case .pause(let milliseconds):
            try await Task.sleep(for: .milliseconds(max(0, milliseconds)))
        case .close:
            try await channel.close().get()
            // If the connection is closed as soon as it is accepted, its handler receives no further events.
            inputClosed()
        case .closeOutput:
            try await channel.close(mode: .output).get()
        case .closeAbruptly:
            await anchor.abort()
            inputClosed()
        case .reset:
            await anchor.reset()
            inputClosed()
        case .hang:
            _ = await changes.wait(within: nil) { false }
        case .waitForClose:
            _ = await changes.wait(within: nil) { self.peerClosed }
        }
    }

    /// Waits until the search finds the end of the bytes that the step takes.
    private func take(_ end: @escaping @Sendable (_ received: [UInt8], _ taken: Int) -> Int?) async throws {
        let search: @Sendable () -> Bool = {
            self.state.withLock { state in
                guard let position = end(state.received, state.taken) else { return state.peerClosed }
                _ = position
                return true
            }
        }
        _ = await changes.wait(within: nil, search)
        let found = state.withLock { state -> Bool in
            guard let position = end(state.received, state.taken) else { return false }
            state.taken = position
            return true
        }
        if !found { throw PeerClosed() }
    }

    static func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= 4 else { return nil }
        var index = start + 3
        while index < bytes.count {
            if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A, bytes[index - 3] == 0x0D {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    private func write(_ buffer: ByteBuffer) async throws {
        try await channel.writeAndFlush(buffer).get()
    }

    private func sendRepeating(_ bytes: [UInt8], count: Int?) async throws {
        guard !bytes.isEmpty, count ?? 1 > 0 else { return }
        // Small pieces are joined, so that repeated short lines do not cost a system call each.
        let batch = max(1, (16 << 10) / bytes.count)
        var joined = ByteBuffer()
        for _ in 0..<min(batch, count ?? batch) { joined.writeBytes(bytes) }
        var left = count ?? Int.max
        while left > 0 {
            try Task.checkCancellation()
            if left >= batch {
                try await write(joined)
                if count != nil { left -= batch }
            } else {
                try await write(joined.getSlice(at: 0, length: left * bytes.count) ?? joined)
                left = 0
            }
        }
    }
}

/// Passes received bytes to the connection, reading as fast as they arrive.
final class ScriptedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ScriptedConnection

    init(connection: ScriptedConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(Self.unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent { connection.inputClosed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.inputClosed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.inputClosed()
        context.close(promise: nil)
    }
}
