import NIOCore

/// One attempt to open a connection, and the exchange that it was begun for.
// Invariant: everything is touched on the shard's event loop only.
final class Dial: @unchecked Sendable {
    let exchange: Exchange
    private var channels: [any Channel] = []
    private var isCancelled = false

    init(for exchange: Exchange) { self.exchange = exchange }

    /// Takes note of a channel that is being connected; there may be one for each address of the host.
    func track(_ channel: any Channel) {
        channels.append(channel)
        if isCancelled { channel.close(promise: nil) }
    }

    /// Gives it up: it fails as soon as its channels are closed.
    func cancel() {
        isCancelled = true
        for channel in channels { channel.close(promise: nil) }
    }
}
