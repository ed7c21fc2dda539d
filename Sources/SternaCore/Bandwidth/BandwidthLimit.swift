/// A limit on the bandwidth that bodies take, shared by every session, request and group of requests that is given it.
///
///     let limit = BandwidthLimit(download: 2_000_000)  // bytes per second
///     let api = try Session(baseURL: url) { $0.bandwidth = limit }
///     limit.download = 500_000  // at once, for bodies that are under way, too
///
/// It counts the bytes of bodies as they are transferred, in their content codings, without heads and framing. Bodies take turns
/// with small portions, so all of them advance. A burst is at most what comes in a sixteenth of a second.
///
/// A response is held back by reading less from its connection; up to a few hundred kilobytes of each wait in memory, and more in
/// the system's buffers. Waiting for bandwidth counts towards ``Timeouts/total`` and a request's deadline, and towards no other
/// limit: the server is not slow.
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
