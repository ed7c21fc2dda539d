import Sterna
import SternaTesting

extension DemoStep {
    static let routingSteps: [DemoStep] = [
        DemoStep(
            title: "Through a proxy",
            explanation: "a tunnel to the TLS server; the proxy's password stays outside of it",
            play: proxied),
        DemoStep(
            title: "Private address", explanation: "a URL from outside points to this machine", play: refused),
    ]

    private static func proxied(_ stage: DemoStage) async throws -> Told {
        try await TestProxy.withProxy(.init(.http, username: "ada", password: "lovelace")) { proxy in
            let credentials = try Proxy(
                .http, host: "127.0.0.1", port: proxy.port, username: "ada", password: "lovelace")
            let api = try Session(baseURL: stage.secureServer.url) { settings in
                settings.trust.policy = .authority(pem: stage.authority.pem)
                settings.network.proxies = .proxy(credentials)
                settings.events.collectsMetrics = true
            }
            let reply = try await api.get("headers")
            try check(reply.status == 200, "the status is 200")
            try check(try await !reply.text().contains("Proxy-Authorization"), "the server does not see the password")
            try check(proxy.totalConnections == 1, "the request went through the proxy")
            guard let metrics = reply.response.metrics else { throw DemoFailure(description: "there are no metrics") }
            let drawing = Waterfall(metrics: metrics, width: 60).lines
            return Told(result: "200 by CONNECT", lines: ["→ \(credentials)"] + drawing.dropFirst().map { "  \($0)" })
        }
    }

    private static func refused(_ stage: DemoStage) async throws -> Told {
        let api = try Session { $0.network.dialPolicy = .publicOnly }
        do {
            try await api.get("\(stage.server.url)/get")
        } catch let error as SternaError {
            try check(error.kind == .addressRefused, "the address is refused")
            return Told(result: "not connected", lines: ["→ \(error.detail)"])
        }
        throw DemoFailure(description: "a private address was connected to")
    }
}
