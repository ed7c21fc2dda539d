import NIOCore
import Sterna
import SternaTesting

/// The environment of the steps: the servers, a session, and the output.
struct DemoStage: Sendable {
    let server: TestServer
    let secureServer: TestServer
    let authority: CertificateAuthority
    let api: Session
    let progress: ProgressDisplay
    let isColoured: Bool

    static func start(isColoured: Bool) async throws -> DemoStage {
        let authority = try CertificateAuthority(commonName: "tern demo")
        let server = try await TestServer.start(.init())
        let secureServer = try await TestServer.start(.init(tls: try authority.issue()))
        return DemoStage(
            server: server, secureServer: secureServer, authority: authority, api: try Session(baseURL: server.url),
            progress: ProgressDisplay(), isColoured: isColoured)
    }

    func stop() async throws {
        try await server.stop()
        try await secureServer.stop()
    }

    func say(_ line: String) { Descriptor.standardOutput.print(line) }

    /// Runs a step and prints its result; throws only if the demo itself was interrupted.
    func play(_ step: DemoStep, number: Int) async throws -> DemoOutcome {
        say("\n\(Colour.bold.wrap("\(number). \(step.title)", if: isColoured)): \(step.explanation)")
        let start = NIODeadline.now()
        var outcome = DemoOutcome(title: step.title)
        do {
            let told = try await progress.run { try await step.play(self) }
            for line in told.lines { say("   \(TerminalText.line(line))") }
            outcome.result = told.result
        } catch {
            try Task.checkCancellation()
            outcome.failure = TerminalText.line("\(error)")
            say("   \(Colour.red.wrap("failed", if: isColoured)): \(TerminalText.line("\(error)"))")
        }
        outcome.time = .nanoseconds((NIODeadline.now() - start).nanoseconds)
        return outcome
    }
}

/// One step of the demo: its title and explanation, and the function that runs it and checks the response.
struct DemoStep: Sendable {
    var title: String
    var explanation: String
    var play: @Sendable (DemoStage) async throws -> Told

    /// The report of a step.
    struct Told: Sendable {
        /// A few words for the table.
        var result: String
        /// The lines to print.
        var lines: [String]
    }

    static let all: [DemoStep] = parameterSteps + transferSteps + failureSteps + trustSteps + routingSteps

    /// Throws if a response is not as expected.
    static func check(_ isTrue: Bool, _ claim: String) throws {
        guard isTrue else { throw DemoFailure(description: "unexpected result; expected: \(claim)") }
    }
}

/// A response that was not as expected.
struct DemoFailure: Error, CustomStringConvertible {
    var description: String
}
