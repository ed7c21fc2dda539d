/// Limits on a response's framing; a response that exceeds one fails with `limitExceeded`.
public struct Limits: Sendable, Hashable {
    /// The maximum size of the status line and header fields together, and of the trailer fields, in bytes. 64 KiB by default,
    /// clamped to between 256 bytes and 16 MiB.
    public var headBytes: Int {
        get { head }
        set { head = min(max(newValue, 256), 16 << 20) }
    }

    /// The maximum number of header fields, and of trailer fields; 256 by default, clamped to between 1 and 10,000.
    public var fieldCount: Int {
        get { fields }
        set { fields = min(max(newValue, 1), 10_000) }
    }

    /// The maximum number of interim (1xx) responses before the final one; 16 by default, clamped to between 0 and 1,000.
    ///
    /// Not counted are 104s by which a server confirms more and more content of a resumable upload, up to 100,000 for a request.
    public var informationalCount: Int {
        get { informational }
        set { informational = min(max(newValue, 0), 1_000) }
    }

    /// The maximum length of the line before a chunk, with its extensions, in bytes; 4 KiB by default, clamped to between 16 bytes
    /// and 1 MiB.
    public var chunkLineBytes: Int {
        get { chunkLine }
        set { chunkLine = min(max(newValue, 16), 1 << 20) }
    }

    private var head = 64 << 10
    private var fields = 256
    private var informational = 16
    private var chunkLine = 4 << 10

    public init() {}
}
