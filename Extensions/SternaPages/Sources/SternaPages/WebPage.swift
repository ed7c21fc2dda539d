public import SternaCore
public import SternaSerialization

/// A page with its resources, in memory.
public struct WebPage: Sendable {
    /// The URL of the page, after redirects.
    public var url: HTTPURL { loaded[0]?.url ?? requested }

    /// The resources that were fetched, in the order in which the page needs them.
    public let resources: [PageResource]

    /// The resources that failed or were too many, at most 1,000 of them; ``failureCount`` counts all.
    public let failures: [PageFailure]

    /// The number of resources that failed.
    public let failureCount: Int

    /// The resources that the options ruled out: other origins, http from https, frames and imports too deep. At most 1,000;
    /// ``skippedCount`` counts all.
    public let skipped: [PageFailure]

    /// The number of resources that the options ruled out.
    public let skippedCount: Int

    let requested: HTTPURL

    /// What was fetched, by number; the page is 0.
    let loaded: [Int: LoadedResource]

    /// The numbers by URL.
    let ids: [HTTPURL: Int]

    /// The names of the files by number, without folders.
    let names: [Int: String]

    let options: PageOptions

    init(loaded: [Int: LoadedResource], queue: LoadQueue, requested: HTTPURL, options: PageOptions) {
        self.loaded = loaded
        self.requested = requested
        self.options = options
        ids = queue.ids.filter { loaded[$0.value] != nil }
        let order = ResourceOrder.order(of: loaded, ids, options)
        names = ResourceNames.assign(order.compactMap { loaded[$0] })
        let names = names
        resources = order.compactMap { id in
            loaded[id].map {
                PageResource(
                    url: $0.url, mediaType: $0.mediaType, size: $0.size, fileName: names[id] ?? "")
            }
        }
        failures = queue.failures.list
        failureCount = queue.failures.count
        skipped = queue.skipped.list
        skippedCount = queue.skipped.count
    }
}

/// A resource of a page that was fetched.
public struct PageResource: Sendable, Hashable {
    /// The URL that answered, after redirects.
    public let url: HTTPURL

    /// The media type that the server names; nil if it names none.
    public let mediaType: MediaType?

    /// The size of its body in bytes.
    public let size: Int

    /// The name of its file in the folder of resources.
    public let fileName: String
}
