/// How a page is loaded with its resources.
public struct PageOptions: Sendable, Hashable {
    /// Where resources may come from.
    public enum Origins: Sendable, Hashable, CaseIterable {
        /// Any origin.
        case all
        /// The origin that the page itself came from, after redirects.
        case sameOrigin
    }

    /// Where resources may come from; `.all` by default.
    public var origins = Origins.all

    /// How many imports of style sheets and frames may lie between the page and a resource; 3 by default, 0 for none.
    public var depth = 3

    /// The maximum number of resources, those that fail included; 1,000 by default.
    public var maxResources = 1_000

    /// The maximum size of the page and of each resource in bytes, without content coding; 16 MiB by default.
    public var maxResourceBytes = 16 << 20

    /// The maximum size of all together in bytes; 256 MiB by default. All are in memory until they are saved.
    public var maxTotalBytes = 256 << 20

    /// The maximum length of a reference in bytes; 8,192 by default. `data:` URLs may be longer.
    public var maxReferenceLength = 8_192

    /// How many resources are fetched at the same time; 6 by default.
    public var concurrency = 6

    /// Whether a page that came by https may have resources by http; no by default.
    public var allowsInsecureResources = false

    /// Whether the first resource that fails fails the page; no by default. What the options rule out, such as another origin, is no
    /// failure.
    public var failsAtFirstError = false

    public init() {}
}
