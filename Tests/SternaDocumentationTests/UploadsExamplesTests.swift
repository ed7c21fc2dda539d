import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Uploads.md, so that they compile and do what it says.
@Suite("Examples: uploads")
struct UploadsExamplesTests {
    @Test("Files and forms, received by a server")
    func uploads() async throws {
        let file = try TemporaryPhoto()
        let (photo, image) = (file.path, file.path)
        try await TestServer.withServer { server in
            let received = { @Sendable (request: ServerRequest) async throws -> ServerResponse in
                .text("\(try await request.body.collect().count)")
            }
            for path in ["/photos", "/isos/big.iso", "/people", "/pieces/1"] {
                server.route(nil, path, received)
            }
            let api = try Session(baseURL: server.url) { $0.responseSerializer = .text }

            try await api.upload(
                "photos",
                multipart: { form in
                    form.append(file: photo, name: "image")  // name and media type of the file, sent from the disk
                    form.append("Terns", name: "caption")
                }, progress: { print($0) })  // 37% of 1.2 GB, 48 MB/s, 16 s left

            try await api.upload(file: image, to: "isos/big.iso", method: .put, progress: { print($0) })

            var form = FormBuilder()
            form.add("Ada", for: "name")
            try form.add(file: photo, for: "portrait")
            try await api.submit(form, to: "people")  // of several parts; URL-encoded while it has no file

            var builder = BodyBuilder()  // in memory, beyond 256 KiB in a temporary file
            try builder.append(Bytes(text: "one piece "))
            try await builder.append(.file(photo))
            let body = builder.body(mediaType: "application/octet-stream")
            try await api.put("pieces/1", body: body)

            var reader = BodyReader(body)
            while let piece = try await reader.next() { print(piece.count) }

            let requests = server.requests()
            #expect(requests.map(\.method) == ["POST", "PUT", "POST", "PUT"])
            #expect(
                requests.map { $0.headers["Content-Type"]?.prefix(20) ?? "" } == [
                    "multipart/form-data;", "image/jpeg", "multipart/form-data;", "application/octet-st",
                ])
            #expect(requests[1].bodySize == 5)
            #expect(requests[3].bodySize == 15)
        }
    }
}
