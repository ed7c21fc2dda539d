/// How far the loading of a page is.
public struct PageProgress: Sendable, Hashable, CustomStringConvertible {
    /// The number of resources found so far, without the page itself.
    public var found = 0

    /// The number of resources that were fetched.
    public var fetched = 0

    /// The number of resources that failed.
    public var failed = 0

    /// The bytes of all bodies so far, the page's included.
    public var bytes = 0

    public init() {}

    /// For instance `12 of 40 resources, 1 failed, 350000 bytes`.
    public var description: String {
        "\(fetched) of \(found) resources" + (failed > 0 ? ", \(failed) failed" : "") + ", \(bytes) bytes"
    }
}
