import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import SternaTransport
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Printed settings, drafts, requests and replies show no secrets")
struct ShownSettingsTests {
    private func expectHidden(_ value: Any, shows names: [String] = []) {
        let dumped = dumped(value)
        for text in [dumped, "\(value)", String(reflecting: value)] {
            #expect(!text.contains("s3cret"), "\(text)")
            #expect(!text.replacing(" ", with: "").contains("733363726574"), "\(text)")
        }
        for name in names { #expect(dumped.contains(name), "\(dumped)") }
    }

    @Test("Fields that the session calls secret, its own and its serializer's")
    func session() throws {
        var serializer = JSONRequestSerializer()
        serializer.headers = ["x-own": "s3cret", "X-Kept": "shown2"]
        var settings: SessionSettings?
        let (api, _) = try mocked {
            $0.headers = ["X-Own": "s3cret", "X-Other": "shown1"]
            $0.auth.secretHeaders = ["X-OWN"]
            $0.requestSerializer = serializer
            settings = $0
        }
        expectHidden(api, shows: ["shown1", "shown2"])
        expectHidden(settings as Any, shows: ["shown1", "shown2", "collectedBytes"])
        expectHidden(try api.request(for: .get("a", headers: ["X-OWN": "s3cret"])), shows: ["shown1"])
    }

    @Test("Groups of settings, of a session and of a request")
    func groups() throws {
        var session: SessionSettings?
        _ = try mocked {
            $0.auth.header = .bearer("s3cret")
            $0.auth.credential = Credential(user: "ada", password: "s3cret")
            session = $0
        }
        expectHidden(try #require(session).auth, shows: ["header", "credential"])
        var own = RequestSettings()
        own.auth.header = .bearer("s3cret")
        own.auth.credential = Credential(user: "ada", password: "s3cret")
        for group in [own.auth, own.cookies, own.cache, own.limits, own.network, own.tasks] as [Any] {
            expectHidden(group, shows: ["auth.header"])
        }
    }

    private func labels(of value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }

    #if os(Linux)
    /// Expects that a mirror has all stored properties of a type, each under its name or the given labels.
    private func expectShown(_ type: any Any.Type, in shown: Set<String>, _ others: [String: [String]] = [:]) {
        let names = StoredProperties.names(of: type)
        #expect(!names.isEmpty)
        for name in names {
            for label in others[name] ?? [name] { #expect(shown.contains(label), "\(type).\(name)") }
        }
        for name in others.keys { #expect(names.contains(name), "\(type).\(name)") }
    }

    @Test("Mirrors of a session's settings have all of them")
    func settings() throws {
        var session: SessionSettings?
        _ = try mocked { session = $0 }
        let settings = try #require(session)
        // Those without labels are no settings of the program.
        expectShown(
            SessionSettings.self, in: labels(of: settings),
            ["retryHandlers": ["adapters", "retriers"], "transferLink": [], "coalescingLimits": []])
        expectShown(
            SessionSettings.Auth.self, in: labels(of: settings.auth),
            ["challenges": ["policy", "credential", "credentialStore", "netrc", "hasChallengeHandler"]])
        expectShown(SessionSettings.Trust.self, in: labels(of: settings.trust))
        expectShown(SessionSettings.Cookies.self, in: labels(of: settings.cookies))
        expectShown(SessionSettings.Cache.self, in: labels(of: settings.cache), ["willStore": ["hasWillStore"]])
        expectShown(SessionSettings.Limits.self, in: labels(of: settings.limits))
        expectShown(
            SessionSettings.Events.self, in: labels(of: settings.events),
            [
                "notifications": ["postsNotifications"], "logging": ["logs"], "spans": ["traces"],
                "meter": ["measures"], "recorder": ["records"],
            ])
        expectShown(
            SessionSettings.Network.self, in: labels(of: settings.network), ["watchedNetwork": ["reachability"]])
        expectShown(SessionSettings.Tasks.self, in: labels(of: settings.tasks), ["decisionsNumber": []])
    }

    @Test("The mirror of a request's settings has all of them")
    func requestSettings() {
        let shown = labels(of: RequestSettings())
        expectShown(
            RequestSettings.self, in: shown,
            [
                "ownRequestSerializer": ["requestSerializer"], "ownResponseSerializer": ["responseSerializer"],
                "ownTimeouts": ["timeouts"], "ownOptions": ["options"], "ownAuthorization": ["auth.header"],
                "ownSecretHeaders": ["auth.secretHeaders"], "ownContinueThreshold": ["limits.continueThreshold"],
                "session": [], "optionsOrigin": [], "carried": [],
            ])
        expectShown(
            CallState.Choices.self, in: shown,
            [
                "authentication": ["auth.policy"], "credential": ["auth.credential"],
                "challengeHandler": ["auth.hasChallengeHandler"], "retryHandlers": ["adapters", "retriers"],
                "usesToken": ["auth.usesTokens"], "handlesCookies": ["cookies.isOn"],
                "bandwidth": ["limits.bandwidth"], "completionGroup": ["tasks.completionGroup"], "savedName": [],
            ])
    }
    #endif

    @Test("Proxies, adapters and retriers are shown without what they know, and traffic limits with their parameters")
    func traffic() throws {
        struct Stamp: RequestAdapter, RequestRetrier {
            let token = "s3cret"
            func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request { request }
            func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async
                -> RetryDecision
            { .undecided }
        }
        let proxy = try Proxy("http://ada:s3cret@proxy.example:3128")
        var session: SessionSettings?
        let (api, _) = try mocked {
            $0.network.proxies = .proxy(proxy)
            $0.network.hedging = HedgingPolicy(after: .fixed(.seconds(4_711)))
            $0.limits.rate = RateLimit(requests: 1, per: .seconds(4_712))
            $0.limits.concurrency = AdaptiveConcurrencyLimit(maxLimit: 4_713)
            $0.limits.circuitBreaker = CircuitBreaker(failures: 4_714)
            $0.adapters = [Stamp()]
            $0.retriers = [Stamp()]
            session = $0
        }
        let shown = ["proxy.example", "4711", "4712", "4713", "4714", "adapters", "retriers", "Stamp"]
        expectHidden(api, shows: shown)
        expectHidden(try #require(session), shows: shown)
        var own = RequestSettings()
        own.adapters = [Stamp()]
        expectHidden(own, shows: ["adapters", "Stamp"])
    }

    @Test("A dump ends at the engine: its connections belong to other threads, and their buffers hold requests")
    func engine() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.auth.header = .bearer("s3cret") }
            try await api.get("get")
            for value in [api, api.get, Engine.shared] as [Any] {
                expectHidden(value)
                for name in ["HTTP1Connection", "Shard", "Channel", "EventLoop"] {
                    #expect(!dumped(value).contains(name))
                }
            }
        }
    }

    @Test("Fields, reference, parameters and body of a draft")
    func draft() throws {
        var draft = RequestDraft.post(
            "https://u:s3cret@api.example.com/a?token=s3cret", parameters: ["password": "s3cret"],
            query: ["key": "s3cret"], body: .text("password=s3cret"), headers: ["X-Own": "s3cret", "X-Other": "shown"])
        draft.settings.auth.secretHeaders = ["x-own"]
        var serializer = HTTPRequestSerializer()
        serializer.headers = ["X-Own": "s3cret"]
        draft.settings.requestSerializer = serializer
        expectHidden(draft, shows: ["shown", "password", "text/plain", "api.example.com"])
        expectHidden(draft.settings, shows: ["x-own"])
        let (api, _) = try mocked()
        expectHidden(try api.request(for: draft), shows: ["shown"])
    }

    @Test("A reply, with an identity body and with a decoded body")
    func reply() async throws {
        let mock = MockTransport { _ in
            .init(
                headers: [
                    "Content-Type": "application/json", "Set-Cookie": "a=s3cret", "Location": "/?code=s3cret",
                    "Server": "shown",
                ], body: ResponseBody(Bytes(text: #"{"access_token":"s3cret"}"#)))
        }
        let (api, _) = try mocked(by: mock)
        expectHidden(try await api.get("a?access_token=s3cret"), shows: ["shown", "25"])
    }

    @Test("An error with a response")
    func error() async throws {
        let mock = MockTransport { _ in
            .init(
                status: 400, headers: ["Content-Type": "application/json", "Set-Cookie": "a=s3cret"],
                body: ResponseBody(Bytes(text: #"{"message":"no","token":"s3cret"}"#)))
        }
        let (api, _) = try mocked(by: mock)
        let error = await #expect(throws: SternaError.self) { try await api.get("a?access_token=s3cret") }
        expectHidden(try #require(error), shows: ["400", "33", "no"])
    }
}
