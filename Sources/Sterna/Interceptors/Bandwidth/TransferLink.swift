package import SternaCore

/// Connects the requests of a transfer to the queue that runs it.
package struct TransferLink: Sendable {
    /// Bandwidth limits of the queue, in addition to those of the session and the request.
    package var limits: [BandwidthLimit]

    /// Whether the transfer yields to foreground transfers.
    package var isBackground: Bool

    /// Called with the head of each response whose status is not a redirect (301, 302, 303, 307, 308).
    package var headReceived: @Sendable (Response) -> Void

    /// Called with each followed redirect, and the request that follows it.
    package var willRedirect: @Sendable (Response, Request) -> Void

    package init(
        limits: [BandwidthLimit], isBackground: Bool, headReceived: @escaping @Sendable (Response) -> Void,
        willRedirect: @escaping @Sendable (Response, Request) -> Void
    ) {
        self.limits = limits
        self.isBackground = isBackground
        self.headReceived = headReceived
        self.willRedirect = willRedirect
    }

    /// Returns the given limits and the queue's, each once.
    func adding(to limits: [BandwidthLimit]) -> [BandwidthLimit] {
        self.limits.reduce(into: limits) { all, limit in
            if !all.contains(where: { $0 === limit }) { all.append(limit) }
        }
    }

    func answered(_ response: Response) {
        guard ![301, 302, 303, 307, 308].contains(response.status.code) else { return }
        headReceived(Self.head(response))
    }

    func redirected(_ response: Response, _ following: Request) { willRedirect(Self.head(response), following) }

    /// Returns the response without its body, which only one reader may read.
    private static func head(_ response: Response) -> Response {
        var head = response
        head.body = ResponseBody()
        return head
    }
}

extension Session {
    /// Whether the session's requests belong to a transfer that yields to foreground transfers.
    package var isInBackground: Bool { plan.settings.transferLink?.isBackground ?? false }

    /// Records that a transfer of the session's engine has begun or ended.
    package func countTransfer(runs: Bool, isBackground: Bool) {
        switch (isBackground, runs) {
        case (true, true): traffic.backgroundBegan(loopClock)
        case (true, false): traffic.backgroundEnded()
        case (false, true): traffic.foregroundBegan()
        case (false, false): traffic.foregroundEnded()
        }
    }
}
