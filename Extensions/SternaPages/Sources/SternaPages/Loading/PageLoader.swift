import HTTPTypes
import Sterna
import SternaCore
import SternaSerialization
import Synchronization

/// Loads a page and then its resources, some at a time.
struct PageLoader {
    let options: PageOptions
    let progress: PageProgressReport
    private let session: Session
    private let draft: RequestDraft
    private let budget: ByteBudget

    init(
        _ session: Session, _ draft: RequestDraft, _ options: PageOptions,
        _ progress: (@Sendable (PageProgress) -> Void)?
    ) {
        self.session = session
        self.draft = draft
        self.options = options
        self.progress = PageProgressReport(progress)
        budget = ByteBudget(options.maxTotalBytes)
    }

    func load() async throws -> WebPage {
        let page = try await fetcher(session).fetch(draft)
        let requested = page.redirects.first ?? page.url
        guard LoadedResource.form(of: page.mediaType, page.url, for: .frame) == .document || page.mediaType == nil
        else {
            throw SternaError(
                .unacceptableMediaType, phase: .decode,
                "The server answered with \(page.mediaType?.description ?? ""), which is no page; download it as a file."
            ).at(Request(.get, page.url))
        }
        var typed = page
        typed.mediaType = page.mediaType ?? MediaType("text/html")
        let first: LoadedResource
        do {
            first = try LoadedResource(typed, id: 0, kind: .frame, environment: .utf8)
        } catch {
            throw error.at(Request(.get, page.url))
        }
        let rule = OriginRule(page: page.url, origins: options.origins, allowsInsecure: options.allowsInsecureResources)
        var queue = LoadQueue(page: page.url, aliases: page.redirects, rule: rule, options: options)
        let confined = try ConfinedSession(session, to: requested, rule)
        var loaded = [0: first]
        add(first, to: &queue)
        try await loadResources(&queue, &loaded, confined)
        return WebPage(loaded: loaded, queue: queue, requested: requested, options: options)
    }

    private func fetcher(_ session: Session) -> ResourceFetcher {
        ResourceFetcher(session: session, options: options, budget: budget) { [progress] in progress.add(bytes: $0) }
    }

    private func add(_ resource: LoadedResource, to queue: inout LoadQueue) {
        for target in resource.targets(longest: options.maxReferenceLength) {
            if let target {
                queue.add(target.url, target.kind, referrer: resource.id)
            } else {
                queue.addTooLong(referrer: resource.id)
            }
        }
        progress.set(found: queue.jobs.count - 1)
    }

    // MARK: Resources

    /// How many pieces a frame may have, and all documents together.
    private static let frameNodes = 500_000
    private static let allNodes = 4_000_000

    private typealias Outcome = (id: Int, result: Result<(FetchedResource, LoadedResource), any Error>)

    private func loadResources(
        _ queue: inout LoadQueue, _ loaded: inout [Int: LoadedResource], _ confined: ConfinedSession
    ) async throws {
        let fetcher = fetcher(confined.session)
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var running = 0
            var nodes = loaded[0]?.nodes ?? 0
            while true {
                while running < max(1, options.concurrency), let job = queue.begin() {
                    guard !budget.isEmpty else {
                        try fail(job.id, ResourceFetcher.overBudget(options), &queue)
                        continue
                    }
                    let environment = loaded[job.referrer]?.encoding ?? .utf8
                    let draft = confined.draft(job.url)
                    // A document takes much more memory than its bytes.
                    let limit = min(Self.frameNodes, max(0, Self.allNodes - nodes))
                    group.addTask { (job.id, await Self.outcome(of: job, draft, fetcher, environment, limit)) }
                    running += 1
                }
                guard running > 0, let outcome = try await group.next() else { break }
                running -= 1
                try Self.checkCancellation()
                switch outcome.result {
                case .success(let (fetched, resource)):
                    loaded[outcome.id] = resource
                    nodes += resource.nodes
                    queue.redirected(outcome.id, to: fetched.url)
                    progress.fetchedOne()
                    add(resource, to: &queue)
                case .failure(let error):
                    try fail(
                        outcome.id, SternaError.wrap(error, as: .interceptorFailed, phase: .read, "\(error)"), &queue)
                }
            }
            try Self.checkCancellation()
        }
        if options.failsAtFirstError, let failure = queue.failures.list.first { throw failure.error }
    }

    private func fail(_ id: Int, _ error: SternaError, _ queue: inout LoadQueue) throws {
        queue.failed(id, error)
        progress.failedOne()
        if options.failsAtFirstError, let failure = queue.failures.list.first { throw failure.error }
    }

    private static func outcome(
        of job: LoadQueue.Job, _ draft: RequestDraft, _ fetcher: ResourceFetcher, _ environment: TextEncoding,
        _ nodes: Int
    ) async -> Result<(FetchedResource, LoadedResource), any Error> {
        do {
            let fetched = try await fetcher.fetch(draft)
            return .success(
                (
                    fetched,
                    try LoadedResource(fetched, id: job.id, kind: job.kind, environment: environment, nodes: nodes)
                ))
        } catch {
            return .failure(error)
        }
    }

    private static func checkCancellation() throws {
        if Task.isCancelled { throw SternaError.cancelled(phase: .read) }
    }
}

/// Counts what is loaded, and tells the caller.
final class PageProgressReport: Sendable {
    private let state = Mutex(PageProgress())
    private let report: (@Sendable (PageProgress) -> Void)?

    init(_ report: (@Sendable (PageProgress) -> Void)?) { self.report = report }

    func add(bytes: Int) { change { $0.bytes += bytes } }

    func set(found: Int) { change { $0.found = found } }

    func fetchedOne() { change { $0.fetched += 1 } }

    func failedOne() { change { $0.failed += 1 } }

    private func change(_ change: (inout PageProgress) -> Void) {
        guard let report else { return }
        // Under the lock, so that no step comes behind a later one.
        state.withLock { state in
            change(&state)
            report(state)
        }
    }
}
