import SternaTesting

/// Requests to an upload server.
struct UploadClient: Sendable {
    let server: TestServer

    /// Serves uploads on a server for the time of a closure.
    static func with<R: Sendable>(
        _ options: UploadServer.Options = .init(),
        _ body: @Sendable (UploadClient, UploadServer) async throws -> R
    ) async throws -> R {
        let uploads = try UploadServer(options)
        return try await TestServer.withServer { server in
            uploads.serve(on: server)
            return try await body(UploadClient(server: server), uploads)
        }
    }

    /// Sends a request; returns the interim responses and the final one.
    func send(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ content: String? = nil
    ) async throws -> (interim: [RawClient.Response], final: RawClient.Response) {
        try await RawClient.with(port: server.port) { client async throws in
            var headers = ServerHeaders()
            for (name, value) in fields { headers.add(name, value) }
            var interim: [RawClient.Response] = []
            var response = try await client.request(method, target, headers: headers, body: content)
            while response.status < 200 {
                interim.append(response)
                response = try await client.response(bodyless: method == "HEAD")
            }
            return (interim, response)
        }
    }

    func ietf(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ content: String? = nil,
        version: Int = 8
    ) async throws -> RawClient.Response {
        try await send(method, target, [("Upload-Draft-Interop-Version", "\(version)")] + fields, content).final
    }

    func tus(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ content: String? = nil
    ) async throws -> RawClient.Response {
        try await send(method, target, [("Tus-Resumable", "1.0.0")] + fields, content).final
    }

    /// The path of the upload that a response names.
    static func path(_ response: RawClient.Response) -> String {
        let location = response.headers["Location"] ?? ""
        return location.firstRange(of: "/uploads/").map { String(location[$0.lowerBound...]) } ?? "none"
    }

    static let tusContent = ("Content-Type", "application/offset+octet-stream")
    static let ietfContent = ("Content-Type", "application/partial-upload")
}
