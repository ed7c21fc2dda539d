import Foundation
import Sterna
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// The programs of docs/Migrating/ASIHTTPRequest.md, against a server.
@Suite("Coming from ASIHTTPRequest: programs", .timeLimit(.minutes(5)))
struct MigratingASIProgramTests {
    @Test("A request with a password")
    func passwords() async throws {
        let (journal, password) = (Journal(), "secret")
        func show(_ text: String) { journal.add(text) }
        func alert(_ text: String) { journal.add("failed \(text)") }
        let ada = Authorization.basic("ada", "secret").fieldValue
        try await TestServer.withServer { server in
            server.route("GET", "/report") { request in
                guard request.headers["Authorization"] == ada else {
                    return ServerResponse(status: 401, headers: ["WWW-Authenticate": #"Basic realm="Staff""#])
                }
                return .text("report")
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com") {
                $0.timeout = .seconds(20)
                $0.auth.credential = Credential(user: "ada", password: password)
            }
            do {
                show(try await api.get("report").text())
            } catch let error as SternaError {
                alert(error.localizedDescription)
            }

            #expect(journal.entries == ["report"])
            #expect(server.requests().map { $0.headers["Authorization"] } == [nil, ada])
        }
    }

    @Test("A form with a photo")
    func forms() async throws {
        let file = try TemporaryPhoto()
        let photo = file.path
        try await TestServer.withServer { server in
            server.route("POST", "/people") { request in
                let form = String(decoding: try await request.body.collect(), as: UTF8.self)
                return form.contains("Ada") && form.contains("photo") ? .json([:]) : .message("No photo", status: 400)
            }
            let api = try Session(baseURL: server.url)

            var form = FormBuilder()
            form.set("Ada", for: "name")
            try form.set(file: photo, for: "portrait")
            try await api.submit(form, to: "people", progress: { print($0) })  // 37% of 1.2 GB, 48 MB/s, 16 s left

            #expect(server.requests().first?.headers["Content-Type"]?.hasPrefix("multipart/form-data;") == true)
        }
    }

    @Test("A queue of downloads")
    func queues() async throws {
        let names = ["a.iso", "b.iso"]
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                for name in names {
                    server.route("GET", "/\(name)") { _ in ServerResponse(body: .bytes(Array("iso".utf8))) }
                }
                let api = try Session(baseURL: server.url)

                let queue = TransferQueue(with: api) { $0.concurrency = 2 }
                for name in names {
                    try queue.add { $0.download(name, to: .file(folder + "/" + name, existing: .replace)) }
                }
                queue.start()
                for await step in queue.progress { print(step) }  // 1 of 2 transfers, 37% of 1.2 GB, 48 MB/s, 16 s left

                #expect(queue.progress.current.finished == 2)
                #expect(try Downloading.names(in: folder) == names)
            }
        }
    }
}
