/// A limit on the bandwidth of bodies, shared by all sessions, requests and groups of requests that use it.
///
///     let limit = BandwidthLimit(download: 2_000_000)  // bytes per second
///     let api = try Session(baseURL: url) { $0.limits.bandwidth = limit }
///     limit.download = 500_000  // applies at once, also to bodies under way
///
/// It counts the bytes of bodies as they are transferred, in their content codings, without heads and framing. Bodies take turns
/// with small portions, so all of them advance. A burst is at most the bytes of a sixteenth of a second.
///
/// A response is slowed down by reading less from its connection; up to a few hundred kilobytes of each wait in memory, and more in
/// the system's buffers. Waiting for bandwidth counts toward ``Timeouts/total`` and a request's deadline, but toward no other
/// limit, since the server is not slow.
public final class BandwidthLimit: Sendable {
    package let downloads: BandwidthQueue
    package let uploads: BandwidthQueue

    /// Makes a limit in bytes per second; nil for none. A rate below 1 counts as 1.
    public init(download: Int? = nil, upload: Int? = nil) {
        downloads = BandwidthQueue(rate: download)
        uploads = BandwidthQueue(rate: upload)
    }

    /// Bytes of response bodies per second, at least 1; nil for no limit. A change applies at once.
    public var download: Int? {
        get { downloads.rate }
        set { downloads.rate = newValue }
    }

    /// Bytes of request bodies per second, at least 1; nil for no limit. A change applies at once.
    public var upload: Int? {
        get { uploads.rate }
        set { uploads.rate = newValue }
    }
}

extension BandwidthLimit: CustomReflectable {
    /// Shows the rates.
    public var customMirror: Mirror {
        Mirror(self, children: ["download": download as Any, "upload": upload as Any])
    }
}
