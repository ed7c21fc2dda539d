import Foundation
import SternaTesting
import Testing

@testable import TernPage

/// The built `tern-page`, against a server in this process.
@Suite(.timeLimit(.minutes(5))) struct PageProgramTests {
    private static let program: String = {
        let bundle = CommandLine.arguments.first ?? ""
        return (bundle.lastIndex(of: "/").map { String(bundle[..<$0]) } ?? ".") + "/tern-page"
    }()

    private func run(_ arguments: [String], window: TernProcess.Window? = nil) async throws -> TernProcess.Outcome {
        try await TernProcess(arguments, window: window, program: Self.program).outcome()
    }

    private static let site: [String: PageSite.Content] = [
        "/": "<link rel=stylesheet href=a.css><img src=b.png><img src=missing.png>", "/a.css": .css("a{b:url(b.png)}"),
        "/b.png": .png,
    ]

    @Test("Saves into a folder, and says what is missing")
    func folder() async throws {
        try await PageSite.run(Self.site) { site in
            let folder = try PageFolder()
            let outcome = try await run([site.server.url, "-o", folder.path("x/y")])
            #expect(outcome.status == 0)
            #expect(
                outcome.text == "Saved \(folder.path("x/y/page.html")) and 2 resources, \(bytes(folder, "x/y")) bytes\n"
            )
            #expect(outcome.errors.hasPrefix("tern: Not saved: "))
            #expect(outcome.errors.contains("/missing.png"))
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(folder.files.count == 6)

            let again = try await run([site.server.url, "-o", folder.path("x/y")])
            #expect(again.status == 23)
            #expect(again.errors.contains("--replace"))
            let replaced = try await run([site.server.url, "-o", folder.path("x/y"), "--replace", "-s"])
            #expect(replaced.status == 0)
            #expect(replaced.text.isEmpty && replaced.errors.isEmpty)
        }
    }

    private func bytes(_ folder: PageFolder, _ path: String) -> Int {
        ["page.html", "page_files/a.css", "page_files/b.png"].reduce(0) { sum, name in
            sum + (FileManager.default.contents(atPath: folder.path("\(path)/\(name)"))?.count ?? 0)
        }
    }

    @Test("Saves as one file")
    func single() async throws {
        try await PageSite.run(Self.site) { site in
            let folder = try PageFolder()
            let outcome = try await run([site.server.url, "--single", folder.path("a.html"), "-s"])
            #expect(outcome.status == 0)
            #expect(folder.files == ["a.html"])
            #expect(folder.text("a.html")?.contains("data:image/png;base64,iVBORw==") == true)
            #expect(try await run([site.server.url, "--single", folder.path("a.html")]).status == 23)
            #expect(try await run([site.server.url, "--single", folder.path("a.html"), "--replace"]).status == 0)
            #expect(try await run([site.server.url, "--single", folder.path("no/a.html"), "-s"]).status == 23)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("b.html.sterna-new"), withDestinationPath: folder.path("elsewhere"))
            #expect(try await run([site.server.url, "--single", folder.path("b.html")]).status == 0)
            #expect(folder.files == ["a.html", "b.html"])
            try FileManager.default.removeItem(atPath: folder.path("b.html"))
            #expect(folder.files == ["a.html"])
        }
    }

    @Test(
        "Exit statuses are tern's",
        arguments: [
            (22, ["/missing"]), (1, ["/b.png"]), (22, ["/", "--fail"]), (2, ["/", "--depth", "-1"]),
            (2, ["/", "--bogus"]), (2, ["/", "-H", "secret"]),
            (56, ["/", "--max-bytes", "3"]), (0, ["/", "--max-resources", "0"]), (0, ["/", "--same-origin"]),
            (0, ["/", "--depth", "0"]), (47, ["/loop"]),
            (18, ["/cut"]),
        ] as [(Int32, [String])])
    func statuses(_ status: Int32, _ arguments: [String]) async throws {
        try await PageSite.run(Self.site) { site in
            site.server.route("GET", "/loop") { _ in .redirect(to: "/loop") }
            site.server.route("GET", "/cut") { _ in
                ServerResponse(
                    status: 200, headers: ["Content-Type": "text/html"],
                    body: .stream(length: 100) { try await $0.write("<p>") })
            }
            let folder = try PageFolder()
            let outcome = try await run(
                [site.server.url(arguments[0])] + arguments.dropFirst() + ["-o", folder.path("x")])
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(status == 0 || folder.files.isEmpty)
            #expect(!outcome.errors.contains("secret"))
            #expect(
                status == 0 || outcome.errors.hasPrefix("tern: ") && outcome.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("Without a server, a URL or a place")
    func unusable() async throws {
        #expect(try await run(["http://127.0.0.1:1/", "-o", "/nonexistent"]).status == 7)
        #expect(try await run(["ftp://x/", "-o", "/nonexistent"]).status == 3)
        #expect(try await run(["http://[x", "-o", "/nonexistent"]).status == 3)
        #expect(try await run(["http://127.0.0.1:1/"]).status == 2)
        #expect(try await run(["-o", "x"]).status == 2)
        #expect(try await run(["http://127.0.0.1:1/", "-o", "x", "--single", "y"]).status == 2)
        let help = try await run(["--help"])
        #expect(help.status == 0 && help.text.contains("tern page URL -o FOLDER"))
        #expect(try await run(["--version"]).status == 0)
    }

    @Test("Header fields go to the page's origin alone")
    func fields() async throws {
        try await PageSite.run(["/other.png": .png]) { other in
            try await PageSite.run([
                "/": .init(stringLiteral: "<img src='\(other.server.url("/other.png"))'><img src=own.png>"),
                "/own.png": .png,
            ]) { site in
                let folder = try PageFolder()
                let outcome = try await run([
                    site.server.url, "-o", folder.path("x"), "-H", "X-Key: secret", "-H", "User-Agent: me", "-H",
                    "Authorization: Bearer secret",
                ])
                #expect(outcome.status == 0)
                let own = site.server.requests()
                #expect(
                    own.count == 2
                        && own.allSatisfy {
                            $0.headers["X-Key"] == "secret" && $0.headers["Authorization"] == "Bearer secret"
                        })
                let foreign = other.server.requests()
                #expect(
                    foreign.count == 1
                        && foreign.allSatisfy { !$0.headers.contains("X-Key") && !$0.headers.contains("Authorization") }
                )
                #expect(foreign.first?.headers["User-Agent"] == "me")
            }
        }
    }

    @Test("Ctrl-C removes what is incomplete", arguments: [["-o"], ["--single"]])
    func interrupted(_ option: [String]) async throws {
        try await PageSite.run(["/": "<img src=b.png><img src=stall>", "/b.png": .png]) { site in
            site.server.route("GET", "/stall") { _ in
                ServerResponse(
                    status: 200, body: .stream(length: nil) { _ in try await Task.sleep(for: .seconds(600)) })
            }
            let folder = try PageFolder()
            let process = try TernProcess([site.server.url] + option + [folder.path("x")], program: Self.program)
            try await site.server.waitForRequests(3, within: 60)
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            #expect(outcome.status == 130)
            #expect(outcome.errors.isEmpty)
            #expect(folder.files.isEmpty)
        }
    }

    @Test("Progress on a terminal, and no control characters of the server")
    func terminal() async throws {
        try await PageSite.run(["/": "<img src='b.png?\u{1B}[31m'><img src=slow>"]) { site in
            site.server.route("GET", "/slow") { _ in
                ServerResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        for _ in 0..<8 {
                            try await writer.write("x")
                            try await Task.sleep(for: .milliseconds(50))
                        }
                    })
            }
            let folder = try PageFolder()
            let outcome = try await run(
                [site.server.url, "-o", folder.path("x")], window: .init(rows: 24, columns: 80))
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("of 2 resources"))
            #expect(!outcome.errors.contains("\u{1B}[31m"))
        }
    }
}
