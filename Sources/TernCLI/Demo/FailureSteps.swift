import NIOCore
import Sterna
import SternaTesting

extension DemoStep {
    static let failureSteps: [DemoStep] = [
        DemoStep(
            title: "Error with a message",
            explanation: "a status of 404 is an error that carries the server's own words",
            play: notFound),
        DemoStep(
            title: "Cancellation", explanation: "the task ends at once and its connection is closed", play: cancellation
        ),
        DemoStep(title: "Redirects", explanation: "followed, and listed on the reply", play: redirects),
    ]

    private static func notFound(_ stage: DemoStage) async throws -> Told {
        do {
            try await stage.api.get("status/404")
        } catch let error as SternaError {
            try check(error.kind == .unacceptableStatus && error.status == 404, "the error is about status 404")
            let message = error.serverMessage ?? ""
            try check(!message.isEmpty, "the error has the server's message")
            return Told(result: "404, “\(message)”", lines: ["→ \(error)"])
        }
        throw DemoFailure(description: "status 404 was taken for success")
    }

    private static func cancellation(_ stage: DemoStage) async throws -> Told {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            let task = Task { try await api.get("delay/10") }
            try await server.waitForRequests(1)
            let start = NIODeadline.now()
            task.cancel()
            let result = await task.result
            let milliseconds = (NIODeadline.now() - start).nanoseconds / 1_000_000
            guard case .failure(let error as SternaError) = result, error.kind == .cancelled else {
                throw DemoFailure(description: "the request was not cancelled")
            }
            try check(milliseconds < 1_000, "it ended at once, not after \(milliseconds) ms")
            try await server.waitForOpenConnections(0)
            let open = "the server has \(server.openConnections) connections open"
            return Told(
                result: "ended, connection closed",
                lines: ["→ \(error.detail) That took \(milliseconds) ms; \(open)."])
        }
    }

    private static func redirects(_ stage: DemoStage) async throws -> Told {
        let reply = try await stage.api.get("redirect/3")
        let steps = reply.response.redirects
        try check(steps.map(\.status) == [302, 302, 302], "there were three redirects")
        try check(reply.url.path == "/get", "the reply is from /get")
        let way = steps.map { "\($0.url.path) (\($0.status))" } + ["\(reply.url.path) (\(reply.status))"]
        return Told(result: "3 followed", lines: ["→ " + way.joined(separator: ", ")])
    }
}
