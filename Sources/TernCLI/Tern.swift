import ArgumentParser
import Sterna

func printError(_ s: String) { print(s) }
@main struct Tern: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tern", subcommands: [BenchCommand.self])
}
