import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Proxies of an environment")
struct ProxyEnvironmentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var variables: [String: String]
        /// The proxies' hosts for http and https; nil where there is none.
        var plain: String?
        var secure: String?
        var testDescription: String {
            variables.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        }

        init(_ variables: [String: String], _ plain: String?, _ secure: String?) {
            (self.variables, self.plain, self.secure) = (variables, plain, secure)
        }
    }

    static let rows: [Row] = [
        Row([:], nil, nil),
        Row(["http_proxy": "a"], "a", nil),
        Row(["HTTP_PROXY": "a"], nil, nil),
        Row(["HTTP_PROXY": "a", "http_proxy": "b"], "b", nil),
        Row(["Http_Proxy": "a", "Https_Proxy": "a", "All_Proxy": "a"], nil, nil),
        Row(["https_proxy": "a"], nil, "a"),
        Row(["HTTPS_PROXY": "a"], nil, "a"),
        Row(["https_proxy": "a", "HTTPS_PROXY": "b"], nil, "a"),
        Row(["http_proxy": "a", "https_proxy": "b"], "a", "b"),
        Row(["all_proxy": "a"], "a", "a"),
        Row(["ALL_PROXY": "a"], "a", "a"),
        Row(["all_proxy": "a", "ALL_PROXY": "b"], "a", "a"),
        Row(["all_proxy": "a", "http_proxy": "b"], "b", "a"),
        Row(["all_proxy": "a", "HTTP_PROXY": "b"], "a", "a"),
        Row(["ALL_PROXY": "a", "HTTPS_PROXY": "b"], "a", "b"),
        Row(["http_proxy": "", "https_proxy": " "], nil, nil),
        Row(["http_proxy": "", "https_proxy": "", "all_proxy": "a"], "a", "a"),
        Row(["https_proxy": "\t", "HTTPS_PROXY": "a"], nil, "a"),
        Row(["all_proxy": "", "ALL_PROXY": "a"], "a", "a"),
        Row(["all_proxy": "a", "no_proxy": "h.example"], nil, nil),
        Row(["all_proxy": "a", "NO_PROXY": ".example"], nil, nil),
        Row(["all_proxy": "a", "no_proxy": "*"], nil, nil),
        Row(["all_proxy": "a", "no_proxy": "other", "NO_PROXY": "*"], "a", "a"),
        Row(["all_proxy": "a", "no_proxy": "", "NO_PROXY": "*"], nil, nil),
        Row(["all_proxy": "a", "no_proxy": "h.example:443"], "a", nil),
        Row(["all_proxy": "a", "no_proxy": "h.example:80"], nil, "a"),
        Row(["all_proxy": "a", "no_proxy": "h.example:8080"], "a", "a"),
        // What would not be used need not be right.
        Row(["http_proxy": "a", "https_proxy": "b", "all_proxy": "socks://a"], "a", "b"),
        Row(["https_proxy": "a", "HTTPS_PROXY": "socks4://b"], nil, "a"),
        Row(["HTTP_PROXY": "socks4://a"], nil, nil),
    ]

    @Test("Which variable counts", arguments: rows)
    func variables(row: Row) throws {
        let settings = try ProxySettings.environment(row.variables)
        for scheme in ["http", "ws"] {
            #expect(try settings.proxy(for: HTTPURL("\(scheme)://h.example/"))?.host == row.plain)
        }
        for scheme in ["https", "wss"] {
            #expect(try settings.proxy(for: HTTPURL("\(scheme)://h.example/"))?.host == row.secure)
        }
    }

    @Test(
        "A value that names no proxy is an error that names the variable, without the password",
        arguments: [
            ("http_proxy", "http://u:s3cret@p:x"), ("https_proxy", "socks4://u:s3cret@p"),
            ("HTTPS_PROXY", "http://u:s3cret%00@p"), ("all_proxy", "s3cret://u@p"), ("ALL_PROXY", "http://u:s3cret@"),
            ("https_proxy", "http://a:s3cret,http://b"),
        ])
    func unreadable(name: String, value: String) throws {
        let error = try #require(throws: SternaError.self) { try ProxySettings.environment([name: value]) }
        expectEqual(error.kind, .invalidURL)
        #expect(error.detail.contains("variable \(name):"), "\(error)")
        #expect(!"\(error) \(String(reflecting: error))".contains("s3cret"), "\(error)")
    }

    @Test("An unreadable value fails only the requests that it applies to")
    func concerned() throws {
        let environment = ProxyEnvironment([
            "http_proxy": "a", "HTTPS_PROXY": "socks4://u:s3cret@b", "no_proxy": "direct.example",
        ])
        #expect(try environment.proxy(for: HTTPURL("http://h.example/"))?.host == "a")
        #expect(try environment.proxy(for: HTTPURL("https://www.direct.example/")) == nil)
        #expect(try environment.proxy(for: HTTPURL("https://localhost/")) == nil)
        let error = try #require(throws: SternaError.self) {
            try environment.proxy(for: HTTPURL("https://h.example/"))
        }
        #expect(error.kind == .invalidURL && error.detail.contains("HTTPS_PROXY"), "\(error)")
        #expect(!"\(error) \(String(reflecting: environment))".contains("s3cret"))
        #expect(throws: SternaError.self) { try environment.check() }

        let every = ProxyEnvironment(["all_proxy": "b:x", "https_proxy": "a"])
        #expect(try every.proxy(for: HTTPURL("https://h.example/"))?.host == "a")
        #expect(throws: SternaError.self) { try every.proxy(for: HTTPURL("ws://h.example/")) }
    }

    static let loopbackURLs = [
        "http://localhost/", "https://LOCALHOST:8443/", "http://a.b.localhost./", "http://127.0.0.1:3000/",
        "http://127.1/", "http://127.255.255.254/", "http://[::1]:80/", "http://[::ffff:127.0.0.1]/",
        "wss://localhost/",
    ]

    @Test(
        "Loopback hosts do not go through the environment's proxy, but through one that is set", arguments: loopbackURLs
    )
    func loopback(text: String) throws {
        let url = try HTTPURL(text)
        try expectNil(ProxySettings.environment(["all_proxy": "a"]).proxy(for: url))
        let proxy = try Proxy("a")
        try expectEqual(ProxySettings.proxy(proxy).proxy(for: url), proxy)
        try expectNil(ProxySettings.proxy(proxy, except: ["localhost"]).proxy(for: url))
    }

    @Test(
        "Hosts that only look like loopback go through the proxy",
        arguments: [
            "http://localhost.example/", "http://notlocalhost/", "http://128.0.0.1/", "http://[::2]/", "http://[::]/",
        ])
    func remote(text: String) throws {
        try expectEqual(ProxySettings.environment(["all_proxy": "a"]).proxy(for: HTTPURL(text))?.host, "a")
    }

    @Test("Settings without a proxy, with one, and with a choice of one")
    func settings() throws {
        let (a, b) = (try Proxy("a"), try Proxy("b"))
        let url = try HTTPURL("https://h.example/")
        try expectNil(ProxySettings.none.proxy(for: url))
        try expectEqual(ProxySettings.proxy(a, except: ["x.example"]).proxy(for: url), a)
        try expectNil(ProxySettings.proxy(a, except: ["x.example", "example:443"]).proxy(for: url))
        let each = ProxySettings.each { $0.host == "h.example" ? b : nil }
        try expectEqual(each.proxy(for: url), b)
        #expect(try each.proxy(for: HTTPURL("https://i.example/")) == nil)
    }

    @Test("Settings are equal by their values, closures by their identity")
    func equality() throws {
        let (a, b) = (try Proxy("a"), try Proxy("b"))
        let choose: @Sendable (HTTPURL) -> Proxy? = { _ in nil }
        let each = ProxySettings.each(choose)
        let copy = each
        #expect(each == copy && each.hashValue == copy.hashValue)
        let all: [ProxySettings] = try [
            .none, .proxy(a), .proxy(b), .proxy(a, except: ["x"]), each, .each(choose), .environment([:]),
            .environment(["http_proxy": "a"]), .environment(["https_proxy": "a"]),
        ]
        expectEqual(Set(all).count, all.count)
        expectEqual(ProxySettings.proxy(a, except: ProxyExceptions("x,y")), .proxy(a, except: ["y", ".x"]))
        #expect(
            try ProxySettings.environment(["http_proxy": "a", "PATH": "/bin"])
                == .environment(["http_proxy": "http://A:80/"]))
    }

    @Test("This process's environment is read once")
    func process() {
        expectEqual(ProxySettings.environment, ProxySettings.environment)
    }
}
