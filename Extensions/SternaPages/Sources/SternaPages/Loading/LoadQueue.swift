import SternaCore

/// What is to be fetched for a page and what was: a value without tasks.
struct LoadQueue: Sendable {
    /// A URL to fetch.
    struct Job: Sendable {
        var id: Int
        var url: HTTPURL
        var kind: ReferenceKind
        /// How many frames and imports lie between the page and this.
        var level: Int
        /// What refers to it first.
        var referrer: Int
    }

    private let options: PageOptions
    private let rule: OriginRule
    private(set) var jobs: [Job] = []
    private var next = 0

    /// The numbers of the jobs by their URLs without fragments, also those after redirects. The page is number 0.
    private(set) var ids: [HTTPURL: Int] = [:]

    /// URLs that are not fetched, so that each is listed once.
    private var refused: Set<HTTPURL> = []

    private(set) var failures = PageFailures()
    private(set) var skipped = PageFailures()

    init(page: HTTPURL, aliases: [HTTPURL], rule: OriginRule, options: PageOptions) {
        self.options = options
        self.rule = rule
        jobs = [Job(id: 0, url: page, kind: .frame, level: 0, referrer: 0)]
        next = 1
        for url in [page] + aliases { ids[url.replacingFragment(nil)] = 0 }
    }

    /// Adds what a document or a style sheet refers to.
    mutating func add(_ url: HTTPURL, _ kind: ReferenceKind, referrer: Int) {
        guard ids[url] == nil, !refused.contains(url) else { return }
        let level = jobs[referrer].level + (kind.isDeeper ? 1 : 0)
        if let reason = rule.refusal(of: url) {
            refuse(
                url, referrer, SternaError(.originRefused, phase: .prepare, "\(reason) Nothing was sent."),
                isFailure: false)
        } else if level > options.depth {
            let detail = "It is more than \(options.depth) frames or imports away from the page."
            refuse(url, referrer, SternaError(.limitExceeded, phase: .prepare, detail), isFailure: false)
        } else if jobs.count > options.maxResources {
            let detail = "The page has more than \(options.maxResources) resources."
            refuse(url, referrer, SternaError(.limitExceeded, phase: .prepare, detail), isFailure: true)
        } else {
            ids[url] = jobs.count
            jobs.append(Job(id: jobs.count, url: url, kind: kind, level: level, referrer: referrer))
        }
    }

    /// Notes a reference that is too long to be one.
    mutating func addTooLong(referrer: Int) {
        let detail = "A reference is longer than \(options.maxReferenceLength) bytes."
        failures.add(
            PageFailure(
                url: jobs[referrer].url, referrer: jobs[referrer].url,
                error: SternaError(.invalidURL, phase: .prepare, detail)))
    }

    private mutating func refuse(_ url: HTTPURL, _ referrer: Int, _ error: SternaError, isFailure: Bool) {
        let failure = PageFailure(url: url, referrer: jobs[referrer].url, error: error)
        // So that a hostile page does not fill memory, only those that are listed are known.
        if refused.count < PageFailures.longest { refused.insert(url) }
        if isFailure { failures.add(failure) } else { skipped.add(failure) }
    }

    /// Returns the next job to begin; nil if there is none now.
    mutating func begin() -> Job? {
        guard next < jobs.count else { return nil }
        defer { next += 1 }
        return jobs[next]
    }

    /// Notes that a job's URL has redirected to another.
    mutating func redirected(_ id: Int, to url: HTTPURL) {
        let url = url.replacingFragment(nil)
        if ids[url] == nil { ids[url] = id }
    }

    mutating func failed(_ id: Int, _ error: SternaError) {
        let job = jobs[id]
        let failure = PageFailure(url: job.url, referrer: jobs[job.referrer].url, error: error)
        if error.kind == .originRefused { skipped.add(failure) } else { failures.add(failure) }
    }
}

/// A list with a limit, and the number of all.
struct PageFailures: Sendable {
    static let longest = 1_000

    private(set) var list: [PageFailure] = []
    private(set) var count = 0

    mutating func add(_ failure: PageFailure) {
        count += 1
        if list.count < Self.longest { list.append(failure) }
    }
}
