import Dispatch
import Foundation
import Sterna
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// The programs of docs/Migrating/URLSession.md, against a server.
@Suite("Coming from URLSession: programs", .timeLimit(.minutes(5)))
struct MigratingURLSessionProgramTests {
    private struct Bird: Decodable, Sendable {
        var id: Int
        var wingSpan: Double
        var ringedAt: Date
    }

    private struct Sighting: Codable, Sendable, Equatable {
        var bird: Int
        var count: Int
    }

    @Test("A value is read, and another one sent")
    func values() async throws {
        let token = "sesame"
        let journal = Journal()
        try await TestServer.withServer { server in
            server.route("GET", "/birds/7") { _ in
                .json(["id": 7, "wing_span": 0.8, "ringed_at": "2026-06-01T10:00:00Z"])
            }
            server.route("POST", "/sightings") { request in
                let sighting = try JSONDecoder().decode(Sighting.self, from: Data(try await request.body.collect()))
                journal.add("\(sighting.count) of \(sighting.bird)")
                return .json([:], status: 201, headers: ["Location": "/sightings/1"])
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com/v1") {
                $0.auth.header = .bearer(token)
                $0.timeout = .seconds(15)
                $0.decoding = DecodingSettings(keys: .snakeCase, dates: .iso8601)
            }
            do {
                let bird: Bird = try await api.get("birds/7").decode()
                let reply = try await api.post("sightings", json: Sighting(bird: bird.id, count: 3))
                print(reply.status, reply.headers["Location"] ?? "")
            } catch let error as SternaError where error.status == 409 {
                print(error.message)  // the server's own, if it sent one
            }

            #expect(journal.entries == ["3 of 7"])
            #expect(server.requests().allSatisfy { $0.headers["Authorization"] == "Bearer sesame" })
            #expect(server.requests().last?.headers["Content-Type"] == "application/json")
        }
    }

    @Test("Completion handlers")
    func callbacks() async throws {
        let journal = Journal()
        @Sendable func show(_ name: String) { journal.add(name) }
        @Sendable func alert(_ text: String) { journal.add("failed") }
        try await TestServer.withServer { server in
            let found = server.url("/birds/7")
            server.route("GET", "/birds/7") { _ in .json(["name": "tern"]) }
            let api = try Session(baseURL: server.url) { $0.callbacks = .queue(DispatchQueue(label: "callbacks")) }

            let task = api.get(
                "birds/7",
                success: { task, bird in show(bird["name"].string ?? "") },
                failure: { task, error in alert(error.localizedDescription) })

            await journal.wait(for: "tern")
            #expect(task?.originalRequest?.url.description == found)
            api.get(
                "status/404", success: { task, bird in show("found") },
                failure: { task, error in alert(error.localizedDescription) })
            await journal.wait(for: "failed")
        }
    }

    @Test("An upload with progress, and a form")
    func uploads() async throws {
        let file = try TemporaryPhoto()
        let (film, photo) = (file.path, file.path)
        try await TestServer.withServer { server in
            for path in ["/films/7", "/photos"] {
                server.route(nil, path) { request in
                    .text("{\"size\": \(try await request.body.collect().count)}", mediaType: "application/json")
                }
            }
            let api = try Session(baseURL: server.url)

            try await api.upload(file: film, to: "films/7", method: .put, progress: { print($0) })  // 37% of 1.2 GB
            try await api.upload(
                "photos",
                multipart: { form in
                    form.append(file: photo, name: "image")  // read from the disk while it is sent
                    form.append("Terns", name: "caption")
                })

            let requests = server.requests()
            #expect(requests.map(\.method) == ["PUT", "POST"])
            #expect(requests.first?.bodySize == 5)
            #expect(requests.last?.headers["Content-Type"]?.hasPrefix("multipart/form-data;") == true)
        }
    }

    @Test("A download that is paused and resumed")
    func downloads() async throws {
        let release = Gate()
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                defer { release.open() }
                let count = 20_000_000
                server.holdBody(at: "/films/7", of: count, until: release)
                let (path, saved) = (folder + "/film.mov", URL(filePath: folder + "/film.json"))
                let api = try Downloading.session(server)

                let download = api.download("films/7", to: .file(path))
                for await step in download.progress where step.completed > 1_000_000 { break }  // until a pause
                if let data = await download.cancelProducingResumeData() { try data.data.write(to: saved) }  // JSON

                let data = try ResumeData(data: Data(contentsOf: saved))  // in a later process, too
                let again = api.downloadTask(resuming: data)
                for await step in again.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
                print(try await again.value.path)

                #expect(try await again.value.path == path)
                #expect(try await again.value.resumedAt == data.receivedBytes)
                #expect(try Downloading.bytes(path).count == count)
            }
        }
    }

    @Test("A body that is read while it arrives")
    func streams() async throws {
        let journal = Journal()
        func show(_ line: String) { journal.add(line) }
        try await TestServer.withServer { server in
            server.route("GET", "/log") { _ in .text("one\ntwo\n") }
            let api = try Session(baseURL: server.url)

            try await api.withResponse(to: .get("log")) { response in
                for try await line in response.lines { show(line) }  // reading slowly slows the server down
            }

            #expect(journal.entries == ["one", "two"])
        }
    }

    @Test("A session with a configuration: time limits, cookies, cache, proxy")
    func configuration() async throws {
        try await TestServer.withServer { server in
            try await TestProxy.withProxy { relay in
                try await Downloading.withFolder { folder in
                    let address = relay.url
                    server.route("GET", "/news") { _ in .json([], headers: ["Cache-Control": "max-age=600"]) }
                    server.route("GET", "/login") { _ in
                        .json([:], headers: ["Set-Cookie": "sid=31d4; Max-Age=600; Path=/"])
                    }
                    // swift-format-ignore: AlwaysUseLowerCamelCase
                    let Session = SessionMaker(server)

                    let proxy = try Proxy(address)  // "http://ada:secret@proxy.example:3128"
                    let api = try Session(baseURL: "https://api.example.com") {
                        $0.headers["X-Client"] = "7"
                        $0.timeout = .seconds(15)  // of each step
                        $0.timeouts.total = .seconds(120)
                        $0.cookies.jar = CookieJar(path: folder + "/cookies.json")
                        $0.cache.store = .folder(folder + "/cache", bytes: 100 << 20, memoryBytes: 8 << 20)
                        $0.network.proxies = .proxy(proxy)
                    }

                    #expect(try await api.get("news").source == .network)
                    #expect(try await api.get("news").source == .cache)
                    try await api.get("login")
                    try await api.get("get")
                    let requests = server.requests()
                    #expect(requests.map(\.target) == ["/news", "/login", "/get"])
                    #expect(requests.allSatisfy { $0.headers["X-Client"] == "7" })
                    #expect(requests.last?.headers["Cookie"] == "sid=31d4")
                    #expect(relay.requests().count == 3)
                }
            }
        }
    }

    @Test("Trust and passwords")
    func trust() async throws {
        let (password, ada) = ("secret", Authorization.basic("ada", "secret").fieldValue)
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(CertificateOptions(hosts: ["localhost"]))
        try await TestServer.withServer(TestServer.Options(tls: bundle, http2: .byALPN)) { server in
            try await Downloading.withFolder { folder in
                try Data(authority.pem.utf8).write(to: URL(filePath: folder + "/company-ca.pem"))
                try bundle.writeChainPEM(toPath: folder + "/server.pem")
                server.route("GET", "/report") { request in
                    guard request.headers["Authorization"] == ada else {
                        return ServerResponse(status: 401, headers: ["WWW-Authenticate": #"Basic realm="Staff""#])
                    }
                    return .text("report")
                }
                // swift-format-ignore: AlwaysUseLowerCamelCase
                let Session = SessionMaker(server)

                var policy = SecurityPolicy.authority(file: folder + "/company-ca.pem")  // instead of the system's
                policy.pins = try Pin.publicKeys(at: folder + "/server.pem")
                let api = try Session(baseURL: "https://api.example.com") {
                    $0.trust.policy = policy
                    $0.auth.credential = Credential(user: "ada", password: password)  // when asked, by Digest or Basic
                }
                let reply = try await api.get("report")
                print(reply.response.version, try await reply.text())  // HTTP/2 where the server speaks it

                #expect(reply.response.version == .http2)
                #expect(try await reply.text() == "report")
                #expect(server.requests().map { $0.headers["Authorization"] } == [nil, ada])
                policy.pins = ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
                let strict = try Session(baseURL: nil) { $0.trust.policy = policy }
                let error = await #expect(throws: SternaError.self) { try await strict.get("report") }
                #expect(error?.kind == .certificateRejected)
            }
        }
    }

    @Test("A delegate that decides")
    func delegates() async throws {
        let (journal, queue) = (Journal(), DispatchQueue(label: "decisions"))
        @Sendable func show(_ text: String) { journal.add(text) }
        try await TestServer.withServer { server in
            server.route("GET", "/report") { _ in .redirect(to: "/reports/7") }
            server.route("GET", "/reports/7") { _ in .json([7]) }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com") { settings in
                var decisions = TaskDecisions()
                decisions.redirect = { task, response, request in .follow(request) }
                decisions.responseReceived = { task, response in response.status == .ok ? .allow : .cancel }
                decisions.dataReceived = { task, bytes in show(bytes.text) }  // the next piece is read when it returns
                settings.tasks.decisions = decisions
                settings.callbacks = .queue(queue)
            }
            print(try await api.dataTask(.get("report")).value.status)

            #expect(journal.entries.joined() == "[7]")
            let error = await #expect(throws: SternaError.self) { try await api.dataTask(.get("status/404")).value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test("Requests that are sent again")
    func retries() async throws {
        let attempts = Counter()
        try await TestServer.withServer { server in
            server.route("GET", "/report") { _ in
                attempts.add(1)
                return attempts.value < 3 ? .message("Busy", status: 503) : .json([:])
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com") {
                $0.retry = .transient  // back-off, Retry-After, a budget; never a POST without an Idempotency-Key
                $0.retry.backoff = RetryBackoff(base: .milliseconds(100), factor: 2)
            }
            print(try await api.get("report").status)

            #expect(attempts.value == 3)
        }
    }

    @Test("Transfers that outlive the process")
    func background() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/films/7") { _ in
                    ServerResponse(headers: ["ETag": "\"v\""], body: .bytes(Array("film".utf8)))
                }
                let path = folder + "/film.mov"
                let api = try Session(baseURL: server.url)

                let store = try TransferStore(folder: folder + "/transfers")
                try await store.resumeAll(with: api)  // what earlier processes have not finished
                try await store.download("films/7", to: path, with: api)
                for await done in store.completions {
                    print(done.details.path, done.state)
                    try await store.acknowledge(done.id)  // until then it is delivered again, also to the next process
                    break  // a program reads on
                }

                #expect(try Downloading.bytes(path) == Array("film".utf8))
                #expect(await store.list().isEmpty)
            }
        }
    }

    @Test("Tests without a network")
    func mocks() async throws {
        let mock = MockTransport { request in .json(["path": .string(request.url.path)]) }
        let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }

        #expect(try await api.get("birds").json()["path"].string == "/birds")
        #expect(mock.requests.map(\.method) == [.get])
    }
}
