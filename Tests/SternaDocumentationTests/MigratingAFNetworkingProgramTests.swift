import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The programs of docs/Migrating/AFNetworking.md, against a server.
@Suite("Coming from AFNetworking: programs", .timeLimit(.minutes(5)))
struct MigratingAFNetworkingProgramTests {
    @Test("A client of an API")
    func client() async throws {
        let (journal, queue, name) = (Journal(), DispatchQueue(label: "callbacks"), "tern")
        @Sendable func show(_ text: String) { journal.add("shown \(text)") }
        @Sendable func alert(_ text: String) { journal.add("failed \(text)") }
        try await TestServer.withServer { server in
            server.route("POST", "/birds") { request in
                let body = String(decoding: try await request.body.collect(), as: UTF8.self)
                return body == #"{"name":"tern","tags":["sea","white"]}"#
                    ? .text(body, mediaType: "application/json", status: 201)
                    : .message("There is no such bird.", status: 404)
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com/v1") {
                $0.requestSerializer = .json
                $0.headers["X-Client"] = "7"
                $0.callbacks = .queue(queue)
            }
            api.post(
                "birds", parameters: ["name": name, "tags": ["sea", "white"]],
                success: { task, bird in show(bird["name"].string ?? "") },
                failure: { task, error in alert(error.message) })  // the server's own, if it sent one

            await journal.wait(for: "shown tern")
            #expect(server.requests().first?.headers["X-Client"] == "7")
            api.post(
                "birds", parameters: ["name": "roc"], success: { task, bird in show("roc") },
                failure: { task, error in alert(error.message) })
            await journal.wait(for: "failed There is no such bird.")
            #expect(journal.entries.count == 2)
        }
    }

    @Test("A form with a photo")
    func forms() async throws {
        let journal = Journal()
        @Sendable func show(_ text: String) { journal.add(text) }
        @Sendable func alert(_ text: String) { journal.add(text) }
        let file = try TemporaryPhoto()
        let photo = file.path
        try await TestServer.withServer { server in
            server.route("POST", "/photos") { request in
                let form = String(decoding: try await request.body.collect(), as: UTF8.self)
                return form.contains("Terns") ? .json([:]) : .message("No caption", status: 400)
            }
            let api = try Session(baseURL: server.url) { $0.callbacks = .queue(DispatchQueue(label: "callbacks")) }

            api.upload(
                "photos", parameters: ["caption": "Terns"],
                multipart: { form in form.append(file: photo, name: "image") },
                progress: { task, progress in print(progress) },
                success: { task, reply in show("sent") },
                failure: { task, error in alert(error.message) })

            await journal.wait(for: "sent")
            #expect(server.requests().first?.headers["Content-Type"]?.hasPrefix("multipart/form-data;") == true)
        }
    }

    @Test("A download")
    func downloads() async throws {
        let journal = Journal()
        func show(_ path: String) { journal.add(path) }
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/films/7") { _ in
                    ServerResponse(
                        headers: ["Content-Disposition": #"attachment; filename="tern.mov""#],
                        body: .bytes(Array("film".utf8)))
                }
                let api = try Session(baseURL: server.url)

                let download = api.download("films/7", to: .folder(folder))  // by the server's name, made safe
                for await step in download.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
                show(try await download.value.path)

                #expect(journal.entries.first?.hasSuffix("/tern.mov") == true)
                #expect(try Downloading.names(in: folder) == ["tern.mov"])
            }
        }
    }
}
