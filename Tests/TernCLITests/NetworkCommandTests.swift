import ArgumentParser
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern network", .timeLimit(.minutes(5)))
struct NetworkCommandTests {
    @Test("This machine reaches itself, as text and as JSON")
    func itself() async throws {
        let text = try await TernProcess.run("network", "--to", "127.0.0.1")
        #expect(text.status == 0 && text.text == "reachable by cable (lo), IPv4\n")
        let json = try await TernProcess.run("network", "show", "--to", "127.0.0.1", "--json")
        expectEqual(
            json.text,
            #"{"status":"reachable","link":"cable","interface":"lo","families":["IPv4"],"metered":null,"probe":null}"#
                + "\n")
    }

    @Test("A probe confirms the path, and its failure is the exit status")
    func probe() async throws {
        try await TestServer.withServer { server async throws in
            let good = try await TernProcess.run("network", "--to", "127.0.0.1", "--probe", server.url("/status/204"))
            #expect(good.status == 0 && good.text.hasSuffix(", confirmed\n"))
            let portal = try await TernProcess.run(
                "network", "--to", "127.0.0.1", "--probe", server.url("/status/204"), "--expect", "200")
            #expect(portal.status == 1 && portal.text.hasSuffix("captive portal\n"))
        }
        let gone = try await TernProcess.run("network", "--to", "127.0.0.1", "--probe", "http://127.0.0.1:1/")
        #expect(gone.status == 1 && gone.text.hasSuffix("probe failed\n"))
    }

    @Test("watch runs until it is interrupted")
    func watch() async throws {
        let process = try TernProcess(["network", "watch", "--to", "127.0.0.1", "--json"])
        let lines = await process.lines(1)
        expectEqual(lines.first?.hasPrefix(#"{"status":"reachable""#), true)
        process.signal(SIGINT)
        try await expectEqual(process.outcome().status, 130)
    }

    @Test(
        "Contradictory and invalid options are refused",
        arguments: [
            ["--expect", "204"], ["--probe", "http://a/", "--expect", "99"], ["--to", ""], ["--probe", "ftp://a/"],
        ])
    func refused(arguments: [String]) async throws {
        let outcome = try await TernProcess.run(["network"] + arguments)
        #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty)
    }
}
