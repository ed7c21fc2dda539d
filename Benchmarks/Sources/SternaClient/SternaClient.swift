import BenchKit
import Sterna
import SternaSigning

/// Sterna as its users have it: the session's public verbs, with every interceptor and setting at its default.
@main
struct SternaClient {
    static func main() async throws {
        let arguments = Arguments()
        if arguments.work == .cookies { return try await CookieLoad.run(arguments).printLine() }
        if let name = arguments.feature {
            guard let feature = FeatureLoad.Feature(rawValue: name) else { throw Refused() }
            return try await FeatureLoad.run(feature, arguments).printLine()
        }
        // An entry takes an eighth at most.
        let cache = arguments.cache.map { place in
            place == "memory"
                ? ResponseCache.memory(bytes: 64 << 20) : .folder(place, bytes: 16 << 30, memoryBytes: 0)
        }
        let session = try Session { settings in
            settings.responseSerializer = .data
            if let file = arguments.authorities { settings.trust.policy = .authority(file: file) }
            if arguments.keepsState {
                settings.cookies.jar = CookieJar()
                settings.trust.hsts = HSTSStore()
            }
            settings.cache.store = cache
            if arguments.isSigned {
                settings.auth.awsSigning = AWSSigning(
                    region: "eu-central-1", service: "execute-api",
                    credentials: AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "benchmark"))
            }
        }
        if [.messages, .receive].contains(arguments.work) {
            return try await WebSocketLoad.run(arguments, by: session).printLine()
        }
        let urls = try arguments.urls.map { try HTTPURL($0) }
        let work = arguments.work
        let file = arguments.file
        let body = work == .upload ? try Body.file(file) : nil
        let request: Load.Request = { number in
            let url = urls[number % urls.count]
            switch work {
            case .get, .origins, .idle:
                return try await session.get(url).body.count
            case .download:
                return try await session.withResponse(to: .get(url)) { response in
                    guard response.status == .ok else { throw Refused() }
                    var bytes = 0
                    for try await chunk in response.body { bytes += chunk.count }
                    // As a download to a file, which ends when the disk has it.
                    await cache?.sync()
                    return bytes
                }
            case .save:
                return Int(try await session.download(url, to: .file(file, existing: .replace)).value.length)
            case .upload:
                guard let body else { throw Refused() }
                try await session.put(url, body: body)
                return Int(body.length ?? 0)
            case .events:
                var events = 0
                for try await _ in session.events(url, { $0.reconnects = false }) { events += 1 }
                return events
            case .messages, .receive, .cookies:
                throw Refused()
            }
        }
        let load =
            arguments.isOnLoop
            ? Load(place: { caller in await session.onEventLoop { await caller() } }, request: request)
            : Load(request: request)
        if work == .idle {
            let settle: @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(200)) }
            await load.idle(count: arguments.count, settle: settle).printLine()
        } else {
            await load.run(count: arguments.count, concurrency: arguments.concurrency).printLine()
        }
    }
}
