import NIOCore
import Sterna

extension DemoStep {
    static let transferSteps: [DemoStep] = [
        DemoStep(
            title: "Download", explanation: "64 MiB, taken chunk by chunk as it arrives, in constant memory",
            play: download),
        DemoStep(title: "Upload", explanation: "a file of 16 MiB, read while it is sent", play: upload),
    ]

    private static func download(_ stage: DemoStage) async throws -> Told {
        let size = 64 << 20
        var meter = ProgressMeter()
        meter.add(0, at: .now())
        let received = try await stage.api.withResponse(to: .get("bytes/\(size)")) { response in
            stage.progress.begin("download", total: response.body.length)
            meter.total = response.body.length
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                meter.add(chunk.count, at: .now())
                stage.progress.add(chunk.count)
            }
            return count
        }
        stage.progress.finish()
        try check(received == size, "\(size) bytes came, not \(received)")
        let bar = ProgressBar.render(meter.progress(at: .now()), width: 76)
        return Told(result: "\(ByteSize(Int64(received))) complete", lines: ["→ \(bar)"])
    }

    private static func upload(_ stage: DemoStage) async throws -> Told {
        let line = "arctic tern, 16\n"
        let file = try PrivateTemporaryFile(content: String(repeating: line, count: 1 << 20), name: "tern-demo")
        let body = try Body.file(file.path)
        stage.progress.begin("upload", total: body.length)
        let reply = try await stage.api.post("upload", body: body) { settings in
            settings.uploadProgress = { stage.progress.update($0) }
        }
        stage.progress.finish()
        let seen = try await reply.json()
        try check(seen["bytes"].int == 16 << 20, "the server counted \(16 << 20) bytes")
        try check(seen["sha256"].string == digest, "the server's SHA-256 is that of the file")
        return Told(result: "SHA-256 agrees", lines: ["→ \(seen)"])
    }

    /// The SHA-256 of the file that is sent.
    private static let digest = "25f6c6a32ad0cd5dac576abb3fd587f7f9bf07163d1244d7bb52a1e94b75e986"
}
