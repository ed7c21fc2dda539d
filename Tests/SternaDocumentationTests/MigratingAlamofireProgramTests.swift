import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The programs of docs/Migrating/Alamofire.md, against a server.
@Suite("Coming from Alamofire: programs", .timeLimit(.minutes(5)))
struct MigratingAlamofireProgramTests {
    struct User: Codable, Sendable {
        var id: Int
        var name: String
    }

    private struct Photo: Decodable, Sendable {
        var id: Int
    }

    enum Route {
        case user(Int)
        case create(User)

        var draft: RequestDraft {
            switch self {
            case .user(let id): .get("users/\(id)")
            case .create(let user): .post("users", json: user)
            }
        }
    }

    @Test("A user is made, and the user's photo saved")
    func photo() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let token = "sesame"
                server.route("POST", "/users") { _ in .json(["id": 7, "name": "Ada"]) }
                server.route("GET", "/photos/7") { _ in ServerResponse(body: .bytes(Array("photo".utf8))) }
                // swift-format-ignore: AlwaysUseLowerCamelCase
                let Session = SessionMaker(server)

                let api = try Session(baseURL: "https://api.example.com/v1") {
                    $0.auth.header = .bearer(token)
                    $0.requestSerializer = .json
                    $0.retry = .transient
                }
                do {
                    let user: User = try await api.post("users", parameters: ["name": "Ada"]).decode()
                    let photo = api.download("photos/\(user.id)", to: .folder(folder, existing: .replace))
                    for await step in photo.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
                    print(try await photo.value.path)
                } catch let error as SternaError where error.status == 409 {
                    print(error.message)  // the server's own, if it sent one
                }

                #expect(try Downloading.names(in: folder) == ["7"])
                let heads = server.requests()
                #expect(heads.map(\.method) == ["POST", "GET"])
                #expect(heads.allSatisfy { $0.headers["Authorization"] == "Bearer sesame" })
                #expect(heads.first?.headers["Content-Type"] == "application/json")
            }
        }
    }

    @Test("Routes, and a token that is refreshed")
    func routes() async throws {
        let saved = AccessToken("t0")
        @Sendable func login(_ expired: AccessToken?) async throws -> AccessToken {
            AccessToken("t1", lifetime: .seconds(600))
        }
        try await TestServer.withServer { server in
            let base = server.url
            for (method, path) in [("GET", "/users/7"), ("POST", "/users")] {
                server.route(method, path) { request in
                    guard request.headers["Authorization"] == "Bearer t1" else {
                        return .message("Expired", status: 401, headers: ["WWW-Authenticate": "Bearer"])
                    }
                    return .json(["id": 7, "name": "Ada"])
                }
            }

            let tokens = try TokenAuthentication(saved, for: [base]) { expired in try await login(expired) }
            let api = try Session(baseURL: base) { $0.auth.tokens = tokens }  // "https://api.example.com"
            let user: User = try await api.send(Route.user(7).draft).decode()
            let made: User = try await api.send(Route.create(user).draft).decode()

            #expect(made.name == "Ada")
            #expect(server.requests().map { $0.headers["Authorization"] } == ["Bearer t0", "Bearer t1", "Bearer t1"])
            #expect(server.requests().map(\.method) == ["GET", "GET", "POST"])
        }
    }

    @Test("A form with a photo, and a stream")
    func forms() async throws {
        let journal = Journal()
        func show(_ line: String) { journal.add(line) }
        let temporary = try TemporaryPhoto()
        let file = temporary.path
        try await TestServer.withServer { server in
            server.route("POST", "/photos") { request in
                let form = String(decoding: try await request.body.collect(), as: UTF8.self)
                return form.contains("Terns") ? .json(["id": 7]) : .message("No caption", status: 422)
            }
            server.route("GET", "/log") { _ in .text("one\ntwo\n") }
            let api = try Session(baseURL: server.url)

            let reply = try await api.upload(
                "photos",
                multipart: { form in
                    form.append(file: file, name: "image")
                    form.append("Terns", name: "caption")
                }, progress: { print($0) })
            let photo: Photo = try await reply.decode()

            for try await line in api.streamTask(.get("log")).lines { show(line) }

            #expect(photo.id == 7)
            #expect(journal.entries == ["one", "two"])
        }
    }
}
