import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Files that are named by symbolic links.
@Suite("tern: links", .timeLimit(.minutes(5)))
struct LinkOptionTests {
    private static let old = Array("old".utf8)

    private func link(_ name: String, to target: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    private func isLink(_ name: String, in folder: TemporaryFolder) -> Bool {
        FileStatus(linkAt: folder.path(name))?.isSymbolicLink == true
    }

    private func permit(_ mode: mode_t, _ folder: TemporaryFolder) { expectEqual(chmod(folder.path, mode), 0) }

    @Test(
        "A link whose name is typed is followed, also to a file that does not exist",
        arguments: [["-o"], ["download", "-o"]])
    func typed(command: [String]) async throws {
        try await TestServer.withServer { server in
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            for one in [folder, other] { permit(0o755, one) }
            try link("dangling", to: "new", in: folder)
            try link("far", to: other.path("new"), in: folder)
            try link("twice", to: "again", in: folder)
            try link("again", to: other.path("second"), in: folder)
            try other.write("old", to: "there")
            try link("live", to: other.path("there"), in: folder)
            for name in ["dangling", "far", "twice", "live"] {
                let outcome = try await TernProcess(command + [name, server.url("/range/10")], folder: folder.path)
                    .outcome()
                expectEqual(outcome.status, 0, "\(name): \(outcome.errors)")
                #expect(isLink(name, in: folder), "\(name)")
            }
            expectEqual(folder.content("new")?.count, 10)
            for name in ["new", "second", "there"] { expectEqual(other.content(name)?.count, 10, "\(name)") }
            expectEqual(other.names, ["new", "second", "there"])
        }
    }

    @Test(
        "A link in a folder that other users can write to is not followed", arguments: [["-o"], ["download", "-o"]],
        [mode_t(0o777), 0o775, 0o1777])
    func unsafe(command: [String], mode: mode_t) async throws {
        try await TestServer.withServer { server in
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            permit(mode, folder)
            permit(0o755, other)
            try link("dangling", to: other.path("new"), in: folder)
            _ = try await TernProcess(command + ["dangling", server.url("/range/10")], folder: folder.path).outcome()
            expectEqual(other.names, [])
            // By way of a folder that is safe.
            try link("first", to: folder.path("dangling"), in: other)
            try link("dangling2", to: "new", in: folder)
            try link("second", to: folder.path("dangling2"), in: other)
            _ = try await TernProcess(command + ["second", server.url("/range/10")], folder: other.path).outcome()
            expectNil(folder.content("new"))
        }
    }

    @Test("Links that lead to each other are not followed for ever")
    func loop() throws {
        let folder = try TemporaryFolder()
        permit(0o755, folder)
        try link("a", to: "b", in: folder)
        try link("b", to: "a", in: folder)
        expectEqual(TypedLink.target(of: folder.path("a")), folder.path("a"))
    }

    @Test(
        "-O and names from a server never follow a link",
        arguments: [["-O"], ["-OJ"], ["download", "-O"], ["download", "-O", "-J"], ["download"]])
    func remote(command: [String]) async throws {
        try await TestServer.withServer { server in
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            for one in [folder, other] { permit(0o755, one) }
            try other.write("old", to: "there")
            for target in [other.path("there"), other.path("new")] {
                try? FileManager.default.removeItem(atPath: folder.path("10"))
                try link("10", to: target, in: folder)
                _ = try await TernProcess(command + [server.url("/range/10")], folder: folder.path).outcome()
                expectEqual(other.names, ["there"])
                expectEqual(other.content("there"), Self.old)
            }
        }
    }

    @Test("-O replaces a link to a file, and refuses one to a folder or a device")
    func replaced() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try link("10", to: "nowhere", in: folder)
            try await expectEqual(
                TernProcess(["-O", server.url("/range/10")], folder: folder.path).outcome().status, 0)
            #expect(!isLink("10", in: folder))
            expectEqual(folder.content("10")?.count, 10)
            for target in ["/dev/null", "/tmp"] {
                try FileManager.default.removeItem(atPath: folder.path("10"))
                try link("10", to: target, in: folder)
                try await expectEqual(
                    TernProcess(["-O", server.url("/range/10")], folder: folder.path).outcome().status, 23)
                #expect(isLink("10", in: folder))
            }
        }
    }
}
