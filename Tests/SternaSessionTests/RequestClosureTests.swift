import Dispatch
import SternaCore
import SternaSerialization
import SternaSigning
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

private enum TenantKey: RequestOptionKey {
    static let defaultValue = "public"
}

private struct Untouched: RequestRetrier, RequestAdapter {
    func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
        .undecided
    }

    func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request { request }
}

/// A setting that sessions and requests have.
struct SharedSetting: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// Gives a session a value that is not the default.
    let share: @Sendable (inout SessionSettings) -> Void

    /// Whether settings have that value.
    let isShared: @Sendable (RequestSettings) -> Bool

    /// Changes a part of it, or all of it where it has no parts.
    let change: @Sendable (inout RequestSettings) -> Void

    /// Whether a request of that session was changed, and nothing more.
    let isChanged: @Sendable (Request) -> Bool

    /// Sets none.
    let clear: @Sendable (inout RequestSettings) -> Void

    let isNone: @Sendable (Request) -> Bool

    init(
        _ name: String, _ share: @escaping @Sendable (inout SessionSettings) -> Void,
        isShared: @escaping @Sendable (RequestSettings) -> Bool,
        change: @escaping @Sendable (inout RequestSettings) -> Void,
        isChanged: @escaping @Sendable (Request) -> Bool, clear: @escaping @Sendable (inout RequestSettings) -> Void,
        isNone: @escaping @Sendable (Request) -> Bool
    ) {
        (testDescription, self.share, self.isShared) = (name, share, isShared)
        (self.change, self.isChanged, self.clear, self.isNone) = (change, isChanged, clear, isNone)
    }
}

@Suite("A request's closure starts from the session's settings")
struct RequestClosureTests {
    private static let origin = try? Origin(scheme: .https, host: "site.example")
    private static let site = origin.map { CookieSite($0) }
    private static let navigation = origin.map { CookieSite($0, isNavigation: true) }
    private static let policy = HedgingPolicy(after: .fixed(.seconds(1)))
    private static let limit = BandwidthLimit(download: 1_000)
    private static let group = DispatchGroup()
    private static let signing = AWSSigning(
        region: "r1", service: "s1", credentials: AWSCredentials(accessKey: "a", secretKey: "b"))
    private static let signature = MessageSigning(key: .hmacSHA256(id: "k", secret: [1, 2, 3]))

    static let policies: [SharedSetting] = [
        SharedSetting(
            "retry",
            {
                $0.retry.limit = 7
                $0.retry.statuses = [418]
                $0.retry.backoff.base = .seconds(3)
            }, isShared: { $0.retry.limit == 7 && $0.retry.statuses == [418] && $0.retry.backoff.base == .seconds(3) },
            change: {
                $0.retry.limit = 2
                $0.retry.backoff.cap = .seconds(5)
            },
            isChanged: {
                let policy = $0.options[RetryPolicyKey.self]
                return policy.limit == 2 && policy.statuses == [418] && policy.backoff.base == .seconds(3)
                    && policy.backoff.cap == .seconds(5)
            }, clear: { $0.retry = .none }, isNone: { $0.options[RetryPolicyKey.self].isOff }),
        SharedSetting(
            "retry.budget", { $0.retry.budget = RetryBudget(share: 0.5, floor: 3) },
            isShared: { $0.retry.budget == RetryBudget(share: 0.5, floor: 3) }, change: { $0.retry.budget?.floor = 10 },
            isChanged: { $0.options[RetryPolicyKey.self].budget == RetryBudget(share: 0.5, floor: 10) },
            clear: { $0.retry.budget = nil }, isNone: { $0.options[RetryPolicyKey.self].budget == nil }),
        SharedSetting(
            "redirects",
            {
                $0.redirects.limit = 3
                $0.redirects.methods = .rfc9110
            }, isShared: { $0.redirects.limit == 3 && $0.redirects.methods == .rfc9110 },
            change: { $0.redirects.limit = 20 },
            isChanged: {
                let policy = $0.options[RedirectPolicyKey.self]
                return policy.limit == 20 && policy.methods == .rfc9110
            }, clear: { $0.redirects = .none }, isNone: { !$0.options[RedirectPolicyKey.self].follows }),
        SharedSetting(
            "cache.policy", { $0.cache.policy = .reload }, isShared: { $0.cache.policy == .reload },
            change: { $0.cache.policy.storage = .notAllowed }, isChanged: { $0.cachePolicy == .ignored },
            clear: { $0.cache.policy = .none }, isNone: { $0.cachePolicy == .ignored }),
        SharedSetting(
            "timeouts",
            {
                $0.timeouts.connect = .seconds(11)
                $0.timeouts.minimumThroughput = .init(bytesPerSecond: 13)
            },
            isShared: { $0.timeouts.connect == .seconds(11) && $0.timeouts.minimumThroughput?.bytesPerSecond == 13 },
            change: { $0.timeouts.total = Timeouts().total - .seconds(1) },
            isChanged: {
                $0.timeouts.connect == .seconds(11) && $0.timeouts.total == Timeouts().total - .seconds(1)
                    && $0.timeouts.minimumThroughput?.bytesPerSecond == 13
            }, clear: { $0.timeouts.minimumThroughput = nil },
            isNone: { $0.timeouts.minimumThroughput == nil && $0.timeouts.connect == .seconds(11) }),
        SharedSetting(
            "auth.policy",
            {
                $0.auth.policy.schemes = [.digest]
                $0.auth.policy.isPreemptive = false
            }, isShared: { $0.auth.policy.schemes == [.digest] && !$0.auth.policy.isPreemptive },
            change: { $0.auth.policy.isPreemptive = true },
            isChanged: {
                var shared = AuthenticationPolicy(schemes: [.digest])
                shared.isPreemptive = false
                return $0.state.choices.authentication?.over(shared) == AuthenticationPolicy(schemes: [.digest])
            }, clear: { $0.auth.policy = .none },
            isNone: { $0.state.choices.authentication?.over(.standard).schemes == [] }),
    ]

    static let values: [SharedSetting] = [
        SharedSetting(
            "auth.header", { $0.auth.header = .bearer("shared") },
            isShared: { $0.auth.header == .bearer("shared") }, change: { $0.auth.header = .bearer("own") },
            isChanged: { $0.headers[.authorization] == "Bearer own" }, clear: { $0.auth.header = .none },
            isNone: { $0.headers[.authorization] == nil }),
        SharedSetting(
            "auth.credential", { $0.auth.credential = Credential(user: "a", password: "b") },
            isShared: { $0.auth.credential?.user == "a" },
            change: { $0.auth.credential = Credential(user: "c", password: "d") },
            isChanged: { $0.state.access.credentials?.credential(.request, for: $0)?.user == "c" },
            clear: { $0.auth.credential = nil }, isNone: { $0.state.access.credentials == nil }),
        SharedSetting(
            "auth.challengeHandler", { $0.auth.challengeHandler = { _ in .cancel } },
            isShared: { $0.auth.challengeHandler != nil },
            change: { $0.auth.challengeHandler = { _ in .useDefault } },
            isChanged: { $0.state.choices.ownChallengeHandler != nil }, clear: { $0.auth.challengeHandler = nil },
            isNone: { $0.state.choices.challengeHandler.isSetToNil() }),
        SharedSetting(
            "redirectHandler", { $0.redirectHandler = { _, _ in .refuse } }, isShared: { $0.redirectHandler != nil },
            change: { $0.redirectHandler = { _, _ in .deliver } },
            isChanged: { $0.options[RedirectHandlerKey.self] != nil }, clear: { $0.redirectHandler = nil },
            isNone: { $0.options[RedirectHandlerKey.self] == nil }),
        SharedSetting(
            "network.hedging", { $0.network.hedging = policy }, isShared: { $0.network.hedging === policy },
            change: { $0.network.hedging = .off },
            isChanged: { $0.options[HedgingKey.self] === HedgingPolicy.off }, clear: { $0.network.hedging = nil },
            isNone: { $0.options[HedgingKey.self] == nil }),
        SharedSetting(
            "cookies.site", { $0.cookies.site = site }, isShared: { $0.cookies.site != nil && $0.cookies.site == site },
            change: { $0.cookies.site = navigation },
            isChanged: { $0.options[CookieSiteKey.self] == navigation },
            clear: { $0.cookies.site = nil }, isNone: { $0.options[CookieSiteKey.self] == nil }),
        SharedSetting(
            "cookies.callerField", { $0.cookies.callerField = .replacing },
            isShared: { $0.cookies.callerField == .replacing }, change: { $0.cookies.callerField = .merged },
            isChanged: { $0.options[CallerCookieFieldKey.self] == .merged },
            clear: { $0.cookies.isOn = false }, isNone: { $0.state.choices.handlesCookies == false }),
        SharedSetting(
            "network.waitsForConnectivity", { $0.network.waitsForConnectivity = true },
            isShared: { $0.network.waitsForConnectivity },
            change: { $0.network.waitsForConnectivity = true }, isChanged: { $0.options[WaitsForConnectivityKey.self] },
            clear: { $0.network.waitsForConnectivity = false }, isNone: { !$0.options[WaitsForConnectivityKey.self] }),
        SharedSetting(
            "network.coalescesRequests", { $0.network.coalescesRequests = true },
            isShared: { $0.network.coalescesRequests },
            change: { $0.network.coalescesRequests = true }, isChanged: { $0.options[CoalescingUseKey.self] },
            clear: { $0.network.coalescesRequests = false }, isNone: { !$0.options[CoalescingUseKey.self] }),
        SharedSetting(
            "decodesContent", { $0.decodesContent = false }, isShared: { !$0.decodesContent },
            change: { $0.decodesContent = true }, isChanged: { $0.options[ContentDecodingKey.self] },
            clear: { $0.decodesContent = false }, isNone: { !$0.options[ContentDecodingKey.self] }),
        SharedSetting(
            "network.resendsNonIdempotentRequests", { $0.network.resendsNonIdempotentRequests = false },
            isShared: { !$0.network.resendsNonIdempotentRequests },
            change: { $0.network.resendsNonIdempotentRequests = true },
            isChanged: { $0.options[ResendsNonIdempotentKey.self] },
            clear: { $0.network.resendsNonIdempotentRequests = false },
            isNone: { !$0.options[ResendsNonIdempotentKey.self] }),
        SharedSetting(
            "limits.bandwidth", { $0.limits.bandwidth = limit },
            // A request's limit cannot be read, so that it is not changed for the whole session.
            isShared: { $0.session?.settings.limits.bandwidth === limit },
            change: { $0.limits.bandwidth = limit }, isChanged: { $0.state.choices.bandwidth.flattened() === limit },
            clear: { $0.limits.bandwidth = nil }, isNone: { $0.state.choices.bandwidth.isSetToNil() }),
        SharedSetting(
            "tasks.completionGroup", { $0.tasks.completionGroup = group },
            isShared: { $0.tasks.completionGroup === group },
            change: { $0.tasks.completionGroup = group },
            isChanged: { $0.state.choices.completionGroup.flattened() === group },
            clear: { $0.tasks.completionGroup = nil },
            isNone: { $0.state.choices.completionGroup.isSetToNil() }),
        SharedSetting(
            "limits.continueThreshold", { $0.limits.continueThreshold = 2 },
            isShared: { $0.limits.continueThreshold == 2 },
            change: { $0.limits.continueThreshold = 3 }, isChanged: { $0.headers[.expect] == "100-continue" },
            clear: { $0.limits.continueThreshold = nil }, isNone: { $0.headers[.expect] == nil }),
        SharedSetting(
            "retriers", { $0.retriers = [Untouched(), Untouched()] }, isShared: { $0.retriers.count == 2 },
            change: { $0.retriers.append(Untouched()) },
            isChanged: {
                $0.state.choices.retryHandlers.retriers.elements([Untouched(), Untouched()]).count == 3
            }, clear: { $0.retriers.removeAll() },
            isNone: { $0.state.choices.retryHandlers.retriers.elements([Untouched()]).isEmpty }),
        SharedSetting(
            "adapters", { $0.adapters = [Untouched(), Untouched()] }, isShared: { $0.adapters.count == 2 },
            change: { $0.adapters.append(Untouched()) },
            isChanged: {
                $0.state.choices.retryHandlers.adapters.elements([Untouched(), Untouched()]).count == 3
            }, clear: { $0.adapters = [] },
            isNone: { $0.state.choices.retryHandlers.adapters.elements([Untouched()]).isEmpty }),
        SharedSetting(
            "auth.awsSigning", { $0.auth.awsSigning = signing }, isShared: { $0.auth.awsSigning?.region == "r1" },
            change: { $0.auth.awsSigning = signing },
            isChanged: { $0.options[SigningKey.self][.service]?.isOfRequest == true },
            clear: { $0.auth.awsSigning = nil }, isNone: { $0.options[SigningKey.self][.service]?.signer == nil }),
        SharedSetting(
            "auth.messageSigning", { $0.auth.messageSigning = signature },
            isShared: { $0.auth.messageSigning?.label == "sig1" },
            change: { $0.auth.messageSigning = signature },
            isChanged: { $0.options[SigningKey.self][.message]?.isOfRequest == true },
            clear: { $0.auth.messageSigning = nil },
            isNone: { $0.options[SigningKey.self][.message]?.signer == nil }),
        SharedSetting(
            "options", { $0.options[TenantKey.self] = "blue" }, isShared: { $0.options[TenantKey.self] == "blue" },
            change: { $0.options[TenantKey.self] = "public" }, isChanged: { $0.options[TenantKey.self] == "public" },
            clear: { $0.options[TenantKey.self] = "" }, isNone: { $0.options[TenantKey.self].isEmpty }),
    ]

    private func request(_ draft: RequestDraft, by api: Session) throws -> Request {
        var draft = draft
        draft.body = .text("four")
        return try api.request(for: draft)
    }

    @Test("In a closure of a session's method", arguments: policies + values)
    func inSession(setting: SharedSetting) throws {
        let (api, _) = try mocked { setting.share(&$0) }
        var sawShared = false
        let changed = RequestDraft(.put, "a").configured(in: api) {
            sawShared = setting.isShared($0)
            setting.change(&$0)
        }
        #expect(sawShared)
        let cleared = RequestDraft(.put, "a").configured(in: api) { setting.clear(&$0) }
        let (first, second) = (try request(changed, by: api), try request(cleared, by: api))
        #expect(setting.isChanged(first))
        #expect(setting.isNone(second))
    }

    @Test("In the closure of a draft, which several sessions send", arguments: policies + values)
    func ofDraft(setting: SharedSetting) throws {
        let changed = RequestDraft.put("a") { setting.change(&$0) }
        var cleared = RequestDraft.put("a")
        setting.clear(&cleared.settings)
        for _ in 0..<2 {
            let (api, _) = try mocked { setting.share(&$0) }
            let (first, second) = (try request(changed, by: api), try request(cleared, by: api))
            #expect(setting.isChanged(first))
            #expect(setting.isNone(second))
        }
    }

    @Test("A closure that changes nothing sets nothing")
    func untouched() throws {
        let (api, _) = try mocked { $0.retry = .transient }
        let draft = RequestDraft(.get, "a").configured(in: api) { _ = $0.retry.limit + $0.redirects.limit }
        #expect(draft.settings.ownOptions.isEmpty)
        expectNil(draft.settings.ownTimeouts)
        #expect(draft.settings.carried == nil && draft.settings.session == nil)
    }

    @Test("Reading groups sets nothing, and a group that is assigned replaces its own settings only")
    func groups() throws {
        let (api, _) = try mocked {
            $0.auth.header = .bearer("session")
            $0.cache.policy = .reload
        }
        let read = RequestDraft(.get, "a").configured(in: api) {
            _ = ($0.auth.header, $0.cookies.site, $0.cache.policy, $0.network.hedging)
            _ = $0.tasks.completionGroup
        }
        #expect(read.settings.ownOptions.isEmpty && read.settings.carried == nil && read.settings.session == nil)
        let other = RequestDraft.get("b") {
            $0.auth.header = .bearer("other")
            $0.auth.usesTokens = false
            $0.limits.bandwidth = Self.limit
            $0.priority = .high
        }
        let draft = RequestDraft(.get, "a").configured(in: api) {
            $0.cookies.isOn = false
            $0.auth = other.settings.auth
            $0.cache = other.settings.cache
        }
        let request = try api.request(for: draft)
        expectEqual(request.headers[.authorization], "Bearer other")
        expectEqual(request.options[CachePolicyKey.self], .reload)
        #expect(!request.state.choices.usesToken && request.state.choices.handlesCookies == false)
        #expect(request.state.choices.bandwidth.flattened() == nil && request.priority == .normal)
    }

    @Test("A value that the closure reads and changes starts as the session's")
    func reading() async throws {
        let (api, mock) = try mocked { $0.retry = .transient }
        try await api.get("a") {
            $0.retry.limit += 5
            $0.retry.statuses.insert(418)
            if $0.retry.statuses.contains(503) { $0.priority = .high }
        }
        var expected = RetryPolicy.transient
        expected.limit = 7
        expected.statuses.insert(418)
        expectEqual(mock.requests.first?.options[RetryPolicyKey.self], expected)
        expectEqual(mock.requests.first?.priority, .high)
    }

    @Test("A policy that was assigned as a whole replaces the session's, also through a function")
    func whole() throws {
        let (api, _) = try mocked { $0.retry.statuses = [418] }
        func replace(_ policy: inout RetryPolicy) { policy = .connectionLost }
        let drafts: [RequestDraft] = [
            .get("a") { $0.retry = .connectionLost },
            .get("a") { replace(&$0.retry) },
            .get("a") {
                $0.retry.limit = 1
                $0.retry = .connectionLost
            },
            RequestDraft(.get, "a").configured(in: api) { replace(&$0.retry) },
        ]
        for var draft in drafts {
            draft.settings.retry.limit = 5
            var expected = RetryPolicy.connectionLost
            expected.limit = 5
            expectEqual(try api.request(for: draft).options[RetryPolicyKey.self], expected)
        }
    }

    @Test("A part of a policy that is assigned from another draft replaces the whole part")
    func handedOn() throws {
        let (api, _) = try mocked { $0.retry.backoff.base = .seconds(9) }
        var first = RequestDraft.get("a")
        first.settings.retry.backoff.cap = .seconds(4)
        let second = RequestDraft.get("a") { [first] in $0.retry.backoff = first.settings.retry.backoff }
        let policy = try api.request(for: second).options[RetryPolicyKey.self]
        expectEqual(policy.backoff, RetryBackoff(base: .milliseconds(250), cap: .seconds(4)))
    }

    @Test("The time limits of a serializer stay if the request sets others")
    func serializerTimeouts() async throws {
        var serializer = HTTPRequestSerializer()
        serializer.timeout = .seconds(3)
        let (api, mock) = try mocked { [serializer] in $0.requestSerializer = serializer }
        try await api.get("a") { $0.timeouts.total = .seconds(60) }
        expectEqual(mock.requests.first?.timeouts.total, .seconds(60))
        expectEqual(mock.requests.first?.timeouts.firstByte, .seconds(3))
    }

    @Test("The serializers")
    func serializers() async throws {
        let (api, mock) = try mocked {
            $0.requestSerializer = .json
            $0.responseSerializer = .data
        }
        var saw: [String] = []
        try await api.post("a", parameters: ["b": 1]) {
            saw = ["\(type(of: $0.requestSerializer))", "\(type(of: $0.responseSerializer))"]
        }
        expectEqual(saw, ["JSONRequestSerializer", "DataResponseSerializer"])
        expectEqual(mock.requests.first?.headers[.contentType], "application/json")
    }

    @Test("Names of secret fields are only added")
    func secretHeaders() async throws {
        let (api, mock) = try mocked { $0.auth.secretHeaders = ["X-Key"] }
        var saw: Set<String> = []
        try await api.get("a") {
            $0.auth.secretHeaders = ["X-Own"]
            saw = $0.auth.secretHeaders
        }
        expectEqual(saw, ["X-Key", "X-Own"])
        try await api.get("a") { $0.auth.secretHeaders.removeAll() }
        try await api.send(.get("a") { $0.auth.secretHeaders = [] })
        expectEqual(
            mock.requests.map { $0.options[SecretHeadersKey.self] }, [["X-Key", "X-Own"], ["X-Key"], ["X-Key"]])
    }

    @Test("A session's signing of which a part is changed still is for the session's origin")
    func signingOrigin() throws {
        let (api, _) = try mocked { $0.auth.awsSigning = Self.signing }
        let draft = RequestDraft(.get, "a").configured(in: api) { $0.auth.awsSigning?.region = "r2" }
        let choice = try #require(try api.request(for: draft).options[SigningKey.self][.service])
        expectEqual((choice.signer as? AWSSigning)?.region, "r2")
        #expect(!choice.isOfRequest)
    }

    @Test("A draft that changes a part of the session's signing, which it does not know, is not sent unsigned")
    func signingOfDraft() async throws {
        let (api, mock) = try mocked {
            $0.auth.awsSigning = Self.signing
            $0.auth.messageSigning = Self.signature
        }
        let drafts: [RequestDraft] = [
            .get("a") { $0.auth.awsSigning?.region = "r2" }, .get("a") { $0.auth.messageSigning?.label = "own" },
        ]
        for draft in drafts {
            let error = await #expect(throws: SternaError.self) { try await api.send(draft) }
            expectEqual(error?.kind, .invalidRequest)
            #expect(error?.message.contains("does not know the session's") == true)
        }
        #expect(mock.requests.isEmpty)
        let whole = RequestDraft.get("a") {
            $0.auth.awsSigning?.region = "r2"
            $0.auth.awsSigning = Self.signing
            $0.auth.awsSigning?.region = "r3"
        }
        let signer = try api.request(for: whole).options[SigningKey.self][.service]?.signer
        expectEqual((signer as? AWSSigning)?.region, "r3")
    }

    /// A session with values that are none by default.
    private func limited() throws -> (api: Session, mock: MockTransport) {
        try mocked {
            $0.timeouts.minimumThroughput = .init(bytesPerSecond: 13)
            $0.retry.totalTime = .seconds(7)
        }
    }

    @Test("A draft that changes a value of its session in place, which it does not know, is not sent without the value")
    func inPlaceOfDraft() async throws {
        let (api, mock) = try limited()
        let (other, otherMock) = try mocked()
        let drafts: [(name: String, draft: RequestDraft)] = [
            ("timeouts.minimumThroughput", .get("a") { $0.timeouts.minimumThroughput?.bytesPerSecond *= 2 }),
            ("retry.totalTime", .get("a") { $0.retry.totalTime? += .seconds(1) }),
        ]
        for (name, draft) in drafts {
            let error = await #expect(throws: SternaError.self) { try await api.send(draft) }
            expectEqual(error?.kind, .invalidRequest)
            #expect(error?.message.contains("`\(name)` would do nothing: it was changed in a draft") == true)
            // A session without the value has nothing to change.
            try await other.send(draft)
        }
        #expect(mock.requests.isEmpty)
        expectEqual(otherMock.requests.count, 2)
    }

    @Test("A closure of a session's method changes such values in place, and a draft that assigns them first")
    func inPlace() throws {
        let (api, _) = try limited()
        func expect(_ bytes: Int?, _ time: Duration?, _ draft: RequestDraft) throws {
            let request = try api.request(for: draft)
            expectEqual(request.timeouts.minimumThroughput?.bytesPerSecond, bytes)
            expectEqual(request.options[RetryPolicyKey.self].totalTime, time)
        }
        func change(_ settings: inout RequestSettings) {
            settings.timeouts.minimumThroughput?.bytesPerSecond *= 2
            settings.retry.totalTime? += .seconds(1)
        }
        try expect(26, .seconds(8), RequestDraft(.get, "a").configured(in: api, change))
        try expect(
            10, .seconds(4),
            .get("a") {
                change(&$0)
                $0.timeouts.minimumThroughput = .init(bytesPerSecond: 5)
                $0.retry.totalTime = .seconds(3)
                change(&$0)
            })
        try expect(
            nil, nil,
            .get("a") {
                $0.timeouts.minimumThroughput = nil
                $0.retry.totalTime = nil
                change(&$0)
            })
        try expect(
            nil, nil,
            .get("a") {
                change(&$0)
                $0.timeouts.minimumThroughput = nil
                $0.retry.totalTime = nil
            })
    }

    @Test("Of the two kinds of signatures, each is chosen without the other")
    func signingStages() throws {
        func signers(_ request: Request) -> [String] {
            request.options[SigningKey.self].all.map { choice in
                "\(choice.type) \(choice.isOfRequest ? "own" : "shared")" + (choice.signer == nil ? " none" : "")
            }
        }
        let (api, _) = try mocked { $0.auth.messageSigning = Self.signature }
        let drafts: [(RequestDraft, [String])] = [
            (.get("a"), ["MessageSigning shared"]),
            (.get("a") { $0.auth.awsSigning = Self.signing }, ["AWSSigning own", "MessageSigning shared"]),
            (.get("a") { $0.auth.awsSigning = nil }, ["AWSSigning own none", "MessageSigning shared"]),
            (
                .get("a") { settings in
                    settings.auth.messageSigning = nil
                    settings.auth.awsSigning = Self.signing
                }, ["AWSSigning own", "MessageSigning own none"]
            ),
        ]
        for (draft, expected) in drafts {
            expectEqual(signers(try api.request(for: draft)), expected)
            // The group of a draft that is assigned in a closure of the session's, or to another draft.
            let inSession = RequestDraft(.get, "a").configured(in: api) { $0.auth = draft.settings.auth }
            expectEqual(signers(try api.request(for: inSession)), expected)
            let other = RequestDraft.get("a") {
                $0.auth.messageSigning = Self.signature
                $0.auth = draft.settings.auth
            }
            expectEqual(signers(try api.request(for: other)), expected)
        }
        // A request that one session has made, sent by another.
        let made = try api.request(for: .get("a"))
        let (aws, _) = try mocked { $0.auth.awsSigning = Self.signing }
        let both = try aws.plan.request(ready: made, isOfTask: false)
        expectEqual(signers(both), ["AWSSigning shared", "MessageSigning shared"])
        // A session whose signature was taken away has no choice that other sessions would follow.
        let unsigned = try aws.with { $0.auth.awsSigning = nil }.request(for: .get("a"))
        let later = try aws.plan.request(ready: unsigned, isOfTask: false)
        expectEqual([signers(unsigned), signers(later)], [[], ["AWSSigning shared"]])
    }

    @Test("With a policy that follows no redirects, a redirect is not an error")
    func redirectsOfDraft() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .redirect(to: "/b") })
        try await expectEqual(api.send(.get("a") { $0.redirects.follows = false }).status, 302)
        try await expectEqual(api.get("a") { $0.redirects = .none }.status, 302)
        expectEqual(mock.requests.count, 2)
    }

    @Test(
        "Settings that would do nothing fail the request, and say so",
        arguments: [
            "cookies.isOn", "cookies.site", "cookies.callerField", "network.waitsForConnectivity", "cache.policy",
            "auth.awsSigning", "auth.messageSigning", "tasks.completionGroup", "downloadProgress",
        ])
    func ineffective(name: String) async throws {
        let (api, mock) = try mocked { $0.cookies.jar = nil }
        func send() async throws {
            switch name {
            case "cookies.isOn": try await api.get("a") { $0.cookies.isOn = true }
            case "cookies.site": try await api.get("a") { $0.cookies.site = Self.site }
            case "cookies.callerField": try await api.send(.get("a") { $0.cookies.callerField = .merged })
            case "network.waitsForConnectivity":
                try await api.send(.get("a") { $0.network.waitsForConnectivity = true })
            case "cache.policy": try await api.get("a") { $0.cache.policy = .cachedOnly }
            case "auth.awsSigning": try await api.get("a") { $0.auth.awsSigning?.region = "r2" }
            case "auth.messageSigning": try await api.send(.get("a") { $0.auth.messageSigning?.label = "own" })
            case "tasks.completionGroup": try await api.get("a") { $0.tasks.completionGroup = DispatchGroup() }
            default: try await api.withResponse(to: .get("a") { $0.downloadProgress = { _ in } }) { _ in }
            }
        }
        let error = await #expect(throws: SternaError.self) { try await send() }
        expectEqual(error?.kind, .invalidRequest)
        #expect(error?.message.contains("`\(name)` would do nothing") == true)
        #expect(mock.requests.isEmpty)
    }

    @Test("A group of a request that is awaited fails it, however it is sent", arguments: ["draft", "stream", "ready"])
    func groupWithoutTask(way: String) async throws {
        let (api, mock) = try mocked()
        func send(_ draft: RequestDraft) async throws {
            switch way {
            case "draft": try await api.send(draft)
            case "stream": try await api.withResponse(to: draft) { _ in }
            default: try await api.send(try api.request(for: draft))
            }
        }
        let draft = RequestDraft.get("a") { $0.tasks.completionGroup = DispatchGroup() }
        let error = await #expect(throws: SternaError.self) { try await send(draft) }
        expectEqual(error?.kind, .invalidRequest)
        #expect(error?.message.contains("`tasks.completionGroup` would do nothing") == true)
        #expect(mock.requests.isEmpty)
        try await send(.get("a") { $0.tasks.completionGroup = nil })
        expectEqual(mock.requests.count, 1)
    }

    @Test("Settings of the session that have no effect are not errors of a request")
    func ofSession() async throws {
        let (api, mock) = try mocked {
            $0.cookies.jar = nil
            $0.cookies.site = Self.site
            $0.cookies.callerField = .replacing
            $0.cache.policy = .cachedOnly
            $0.network.unixSocket = "/nowhere"
            $0.network.waitsForConnectivity = true
        }
        try await api.get("a") {
            $0.retry.limit = 1
            $0.cookies.isOn = false
        }
        try await api.get("a") { $0.cookies.site = nil }
        expectEqual(mock.requests.count, 2)
    }

    @Test("An upload has one closure, with progress or without")
    func uploads() async throws {
        let (api, mock) = try mocked { $0.retry.statuses = [418] }
        try await api.upload(.text("b"), to: "a") { $0.retry.limit = 1 }
        try await api.upload(.text("b"), to: "a") {
            $0.retry.limit = 1
        } progress: { _ in
        }
        try await api.upload("a", multipart: { $0.append("b", name: "c") }) {
            $0.retry.limit = 1
        } progress: { _ in
        }
        expectEqual(mock.requests.map { $0.options[RetryPolicyKey.self].limit }, [1, 1, 1])
        expectEqual(mock.requests.map { $0.options[RetryPolicyKey.self].statuses }, [[418], [418], [418]])
        expectEqual(mock.requests.map { $0.uploadProgress != nil }, [false, true, true])
    }
}
