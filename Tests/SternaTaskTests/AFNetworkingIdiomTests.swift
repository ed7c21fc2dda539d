import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A program as people write it with AFNetworking: an object that owns a manager, sets its blocks one by one, makes requests with
/// success and failure blocks, and resumes its tasks itself.
@Suite("A program in AFNetworking's idiom", .timeLimit(.minutes(5)))
struct AFNetworkingIdiomTests {
    @Test("GET, with a success block")
    func get() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/photos") { request in
                .json([
                    "page": .string(request.query("page") ?? ""), "client": .string(request.headers["X-Client"] ?? ""),
                ])
            }
            let client = try PhotoClient(server.url) { blocks, journal in
                blocks.dataReceived = { _, data in journal.add("data") }
            }
            let journal = client.journal

            let task = client.manager.get(
                "photos", parameters: ["page": 2],
                progress: { _, progress in
                    if progress.download.fraction == 1 { journal.addOnce("all received") }
                },
                success: { _, value in
                    journal.add("success \(value["page"].string ?? "") \(value["client"].string ?? "")")
                },
                failure: { _, error in journal.add("failure \(error.message)") })
            expectEqual(task?.state, .suspended)
            expectEqual(server.requestCount, 0)
            task?.resume()

            await expectEqual(
                client.finished(),
                [
                    "created", "resumed", "completed", "response 200", "data", "all received", "success 2 photos",
                ])
            expectEqual(task?.state, .completed)
            #expect(client.manager.tasks.isEmpty)
        }
    }

    @Test("POST, with a failure block and the server's message")
    func post() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/photos") { request in
                let form = String(decoding: try await request.body.collect(), as: UTF8.self)
                return .json(["message": "no room for \(form)"], status: 507)
            }
            let client = try PhotoClient(server.url)
            let journal = client.journal

            client.manager.post(
                "photos", parameters: ["name": "tern"],
                success: { _, _ in journal.add("success") },
                failure: { task, error in
                    journal.add("failure \(error.status): \(error.message), with \(task == nil ? "no task" : "a task")")
                }
            )?.resume()

            await expectEqual(
                client.finished("completed unacceptableStatus"),
                [
                    "created", "resumed", "completed unacceptableStatus", "response 507",
                    "failure 507: no room for name=tern, with a task",
                ])
        }
    }

    @Test("A request that cannot be made calls its failure block, without a task")
    func unmade() async throws {
        let client = try PhotoClient("http://127.0.0.1:1")
        let journal = client.journal
        let task = client.manager.get(
            "http://other.example.com/photos", success: { _, _ in journal.add("success") },
            failure: { task, error in journal.add("failure \(error.kind), task: \(task != nil)") })
        expectNil(task)
        await journal.wait(for: "failure originRefused, task: false")
        expectEqual(journal.entries.count, 1)
        #expect(client.events.entries.isEmpty)
    }

    @Test("An upload, with progress blocks of the manager and of the request")
    func upload() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/photos") { request in
                .text(#"{"size": \#(try await request.body.collect().count)}"#, mediaType: "application/json")
            }
            let client = try PhotoClient(
                server.url,
                told: { event, events in
                    if case .bodyDataSent(let progress) = event.kind, progress.fraction == 1 {
                        events.addOnce("all sent, says the manager")
                    }
                })
            let journal = client.journal

            let task = client.manager.upload(
                .data(Data(repeating: 7, count: 300_000), mediaType: "image/jpeg"), to: "photos",
                progress: { _, progress in
                    if progress.upload.fraction == 1 { journal.addOnce("all sent, says the request") }
                },
                success: { _, value in journal.add("success \(value["size"].int ?? 0)") },
                failure: { _, error in journal.add("failure \(error.message)") })
            expectEqual(client.manager.uploadTasks.map(\.id), [task?.id])
            task?.resume()

            await expectEqual(
                client.finished(),
                [
                    "created", "resumed", "all sent, says the manager", "completed", "all sent, says the request",
                    "response 200", "success 300000",
                ])
            expectEqual(server.requests().first?.headers["Content-Type"], "image/jpeg")
        }
    }

    @Test("A multipart form, with a constructing block")
    func multipart() async throws {
        try await TestServer.withServer { server in
            let file = try TemporaryPhoto()
            let client = try PhotoClient(server.url)
            let journal = client.journal

            client.manager.upload(
                "post", parameters: ["album": "terns"],
                multipart: { form in
                    journal.add("constructing")
                    form.append(file: URL(fileURLWithPath: file.path), name: "photo")
                    form.append(Data("small".utf8), name: "thumbnail", fileName: "a.png", mediaType: "image/png")
                    form.append("sitting", name: "caption")
                },
                success: { _, value in
                    journal.add("form \(value["form"]["album"].string ?? "") \(value["form"]["caption"].string ?? "")")
                    journal.add(
                        "files \(value["files"]["photo"].string ?? "") \(value["files"]["thumbnail"].string ?? "")")
                },
                failure: { _, error in journal.add("failure \(error.message)") }
            )?.resume()

            await expectEqual(
                client.finished(),
                [
                    "created", "resumed", "completed", "constructing", "response 200", "form terns sitting",
                    "files photo small",
                ])
        }
    }

    @Test("A download, with a destination block")
    func download() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let written = Journal()
                let client = try PhotoClient(
                    server.url,
                    told: { event, events in
                        switch event.kind {
                        case .downloadFinished(let path): events.add("file \(path.split(separator: "/").last ?? "")")
                        case .bytesWritten(let progress) where progress.fraction == 1:
                            written.addOnce("\(progress.completed)")
                        default: break
                        }
                    })
                let journal = client.journal

                let task = client.manager.download(
                    "range/100000",
                    to: .choose { temporary, response in
                        let size = try Data(contentsOf: temporary).count
                        journal.add("destination of \(size) bytes, \(response.status.code)")
                        return URL(fileURLWithPath: folder).appendingPathComponent("photo.raw")
                    })
                expectEqual(client.manager.downloadTasks.map(\.id), [task.id])
                task.resume()

                await expectEqual(
                    client.finished(),
                    [
                        "created", "resumed", "file photo.raw", "completed", "response 200",
                        "destination of 100000 bytes, 200",
                    ])
                expectEqual(written.entries, ["100000"])
                try expectEqual(Downloading.bytes(folder + "/photo.raw"), Downloading.alphabet(100_000))
            }
        }
    }

    @Test("A download is cancelled with resume data, and continued")
    func resumeData() async throws {
        let count = 20_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.holdBody(of: count, until: release)
                let client = try PhotoClient(
                    server.url,
                    told: { event, events in
                        switch event.kind {
                        case .bytesWritten(let progress) where progress.completed >= 1 << 20:
                            events.addOnce("a megabyte")
                        case .downloadResumed(let offset, let length):
                            events.add("continued at \(offset) of \(length ?? -1)")
                        default: break
                        }
                    })
                let place = URL(fileURLWithPath: folder + "/held")

                let first = client.manager.download("held", to: .choose { _, _ in place })
                first.resume()
                await client.events.wait(for: "a megabyte")
                let data = try #require(await first.cancelProducingResumeData())
                await expectEqual(
                    client.finished("completed cancelled"),
                    [
                        "created", "resumed", "a megabyte", "cancelled", "completed cancelled", "response 200",
                    ])

                // The program keeps the data over its restart.
                release.open()
                let kept = try ResumeData(data: data.data)
                let second = client.manager.downloadTask(resuming: kept, to: .choose { _, _ in place })
                second.resume()
                await expectEqual(
                    client.finished().dropFirst(5),
                    [
                        "created", "resumed", "continued at \(data.receivedBytes) of \(count)", "completed",
                        "response 200", "response 206",
                    ])
                try await expectEqual(second.value.resumedAt, data.receivedBytes)
                try expectEqual(Downloading.bytes(folder + "/held"), Downloading.alphabet(count))
            }
        }
    }

    @Test("Tasks are listed by kind, suspended until they are resumed, and cancelled")
    func tasks() async throws {
        try await TestServer.withServer { server in
            let client = try PhotoClient(server.url)
            let manager = client.manager
            let data = manager.dataTask(.get("get"))
            let upload = try manager.uploadTask(.upload(.data(Data("a".utf8)), to: "post"))
            let download = manager.download("range/10", to: .file("/nowhere/photo"))
            expectEqual(manager.tasks.map(\.id), [data.id, upload.id, download.id])
            expectEqual(manager.dataTasks.map(\.id), [data.id])
            expectEqual(manager.uploadTasks.map(\.id), [upload.id])
            expectEqual(manager.downloadTasks.map(\.id), [download.id])
            #expect(manager.tasks.allSatisfy { $0.state == .suspended })

            for task in manager.tasks { task.cancel() }
            for task in [data, upload] {
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .cancelled)
            }
            await #expect(throws: SternaError.self) { try await download.value }
            #expect(manager.tasks.isEmpty)
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("A task that runs is suspended and resumed")
    func suspended() async throws {
        try await TestServer.withServer { server in
            let (release, isAsked) = (Gate(), Gate())
            server.route("GET", "/slow") { _ in
                isAsked.open()
                await release.wait()
                return .json([1])
            }
            let client = try PhotoClient(server.url)
            let journal = client.journal
            let task = client.manager.get(
                "slow", success: { _, value in journal.add("success \(value)") },
                failure: { _, error in journal.add("failure \(error.message)") })
            task?.resume()
            await isAsked.wait()
            task?.suspend()
            task?.suspend()
            release.open()
            await client.events.wait(for: "suspended")
            task?.resume()
            await expectEqual(
                client.finished(),
                [
                    "created", "resumed", "suspended", "resumed", "completed", "response 200", "success [1]",
                ])
        }
    }

    @Test("The manager is invalidated: its task finishes, another one fails; then it is reset")
    func invalidated() async throws {
        try await TestServer.withServer { server in
            let (release, isAsked) = (Gate(), Gate())
            server.route("GET", "/slow") { _ in
                isAsked.open()
                await release.wait()
                return .json([1])
            }
            let client = try PhotoClient(server.url)
            let journal = client.journal
            let task = client.manager.get(
                "slow", success: { _, _ in journal.add("success") },
                failure: { _, error in journal.add("failure \(error.kind)") })
            task?.resume()
            await isAsked.wait()
            client.manager.finishTasksAndInvalidate()

            let late = Journal()
            client.manager.get(
                "slow", success: { _, _ in late.add("success") },
                failure: { _, error in late.add("failure \(error.kind)") }
            )?.resume()
            await late.wait(for: "failure shutDown")
            #expect(!client.events.entries.contains("invalidated"))

            release.open()
            await client.events.wait(for: "invalidated")
            expectEqual(client.events.entries.suffix(2), ["completed", "invalidated"])
            expectEqual(journal.entries, ["response 200", "success"])

            let again = client.manager.resetSession().dataTask(.get("slow"))
            again.resume()
            try await expectEqual(again.value.json(), [1])
        }
    }

    /// Parameters as lines, as a program's own AFHTTPRequestSerializer would write them.
    private struct LineRequestSerializer: RequestSerializer {
        func serialize(_ parameters: Parameters?, into request: inout Request) throws {
            guard let parameters else { return }
            request.body = .text(parameters.keys.joined(separator: "\n"), mediaType: "text/x-lines")
        }
    }

    /// The lines of a response, as a program's own AFHTTPResponseSerializer would read them.
    private struct LineResponseSerializer: ResponseSerializer {
        var validation = ResponseValidation(mediaTypes: ["text/x-lines"])

        func value(of response: Response, body: Bytes) throws -> [String] {
            body.text.split(separator: "\n").map(String.init)
        }
    }

    @Test("Custom serializers; another media type is rejected")
    func serializers() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/lines") { request in
                .bytes(try await request.body.collect(), mediaType: request.headers["Content-Type"] ?? "")
            }
            let client = try PhotoClient(server.url)
            let journal = client.journal
            let manager = client.manager.with { $0.requestSerializer = LineRequestSerializer() }
            manager.post(
                "lines", parameters: ["sand": 1, "sea": 2], as: LineResponseSerializer(),
                success: { _, lines in journal.add("lines \(lines.joined(separator: ", "))") },
                failure: { _, error in journal.add("failure \(error.kind)") }
            )?.resume()
            await expectEqual(
                client.finished(), ["created", "resumed", "completed", "response 200", "lines sand, sea"])

            let other = Journal()
            client.manager.post(
                "lines", parameters: ["sand": 1], as: LineResponseSerializer(),
                success: { _, _ in other.add("success") },
                failure: { _, error in other.add("failure \(error.kind)") }
            )?.resume()
            await other.wait(for: "failure unacceptableMediaType")
        }
    }

    @Test("A redirection block returns nil, so the redirect is the response")
    func redirection() async throws {
        try await TestServer.withServer { server in
            let client = try PhotoClient(server.url) { blocks, journal in
                blocks.redirect = { _, response, request in
                    journal.add("redirect \(response.status.code) to \(request.url.path)")
                    return .deliver
                }
            }
            let journal = client.journal
            client.manager.get(
                "redirect/1", as: DataResponseSerializer().validating(statuses: 200..<400),
                success: { task, _ in journal.add("success \(task.response?.status.code ?? 0)") },
                failure: { _, error in journal.add("failure \(error.kind)") }
            )?.resume()
            await expectEqual(
                client.finished(),
                [
                    "created", "resumed", "completed", "redirect 302 to /get", "response 302", "success 302",
                ])
        }
    }

    @Test("A batch of requests, as AFNetworking 2's operations")
    func batch() async throws {
        try await TestServer.withServer { server in
            let client = try PhotoClient(server.url)
            let operations = (1...5).map { number in
                let operation = client.manager.dataTask(.get("bytes/\(number)") { $0.responseSerializer = .data })
                operation.userInfo["number"] = number
                return operation
            }
            for operation in operations { operation.resume() }
            for operation in operations { _ = try await operation.value }
            #expect(operations.allSatisfy { $0.isFinished })
            for operation in operations {
                let number = operation.userInfo["number"] as? Int
                let data = try await operation.value.data()
                expectEqual(data.count, number)
            }
        }
    }
}
