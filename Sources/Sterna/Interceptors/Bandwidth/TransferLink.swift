package import SternaCore

/// What binds the requests of a transfer to the queue that runs it.
package struct TransferLink: Sendable {
    /// Limits on its bodies besides those of the session and the request.
    package var limits: [BandwidthLimit]

    /// Whether the transfer yields to those in the foreground.
    package var isBackground: Bool

    /// Called with the head of each response but followed redirects.
    package var headReceived: @Sendable (Response) -> Void

    /// Called with each redirect that is followed, and the request that follows it.
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

    /// Returns limits with its own, each once.
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

    /// The body has one reader.
    private static func head(_ response: Response) -> Response {
        var head = response
        head.body = ResponseBody()
        return head
    }
}

extension Session {
    /// Whether its requests belong to a transfer that yields to those in the foreground.
    package var isInBackground: Bool { plan.settings.transferLink?.isBackground ?? false }

    /// Notes that a transfer of its engine runs, or no longer.
    package func countTransfer(runs: Bool, isBackground: Bool) {
        switch (isBackground, runs) {
        case (true, true): traffic.backgroundBegan(loopClock)
        case (true, false): traffic.backgroundEnded()
        case (false, true): traffic.foregroundBegan()
        case (false, false): traffic.foregroundEnded()
        }
    }
}
