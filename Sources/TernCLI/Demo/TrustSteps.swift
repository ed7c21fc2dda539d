import Sterna
import SternaTesting

extension DemoStep {
    static let trustSteps: [DemoStep] = [
        DemoStep(
            title: "TLS refused", explanation: "the certificate's authority is not trusted on this machine",
            play: refused),
        DemoStep(
            title: "TLS accepted", explanation: "the same server, with its authority given as a root", play: accepted),
    ]

    private static func refused(_ stage: DemoStage) async throws -> Told {
        let api = try Session(baseURL: stage.secureServer.url)
        do {
            try await api.get("get")
        } catch let error as SternaError {
            try check(error.kind == .certificateRejected, "the certificate is refused")
            try check(!error.requestSent, "nothing was sent")
            return Told(result: "nothing was sent", lines: ["→ \(error.detail)"])
        }
        throw DemoFailure(description: "an unknown certificate was accepted")
    }

    private static func accepted(_ stage: DemoStage) async throws -> Told {
        let api = try Session(baseURL: stage.secureServer.url) { settings in
            settings.trust.policy = .authority(pem: stage.authority.pem)
        }
        let reply = try await api.get("get")
        try check(reply.status == 200, "the status is 200")
        try check(try await reply.json()["url"].string?.hasPrefix("https://") == true, "the server saw https")
        return Told(result: "200 over https", lines: ["→ \(reply.status) from \(reply.url)"])
    }
}
