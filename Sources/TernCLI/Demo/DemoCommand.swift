import ArgumentParser
import Sterna
import SternaTesting

/// Shows the library's features, against its own servers inside this process.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Watch the library at work, step by step, against a local test server.")

    @Flag(name: .customLong("no-color"), help: "Never colour.")
    var noColor = false

    func run() async throws {
        let stage = try await DemoStage.start(isColoured: !noColor && Terminal.standardOutput.wantsColours)
        stage.say("Everything below is real: a server runs in this process at \(stage.server.url).")
        var outcomes: [DemoOutcome] = []
        for step in DemoStep.all {
            try Task.checkCancellation()
            outcomes.append(try await stage.play(step, number: outcomes.count + 1))
        }
        try await stage.stop()
        stage.say("")
        stage.say(DemoTable.render(outcomes, isColoured: stage.isColoured))
        if outcomes.contains(where: { $0.failure != nil }) { throw ExitCode(ExitStatus.failure) }
    }
}
