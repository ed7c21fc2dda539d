import SternaPlatform
public import SternaTesting
import Synchronization

/// A server of numbered pictures, some of which can be held back or fail.
public final class PictureSite: Sendable {
    public let server: TestServer
    private let state = Mutex(State())

    private struct State {
        var isHeld = false
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastHeld = 0
        var failing: [Int: Int] = [:]
        var requests: [Int: Int] = [:]
        var cancelled = 0
        var files: [Int: [UInt8]] = [:]
    }

    private let size: (width: Int, height: Int)

    /// Starts a server; `/pictures/7.png` is a picture.
    public init(width: Int = 320, height: Int = 240) async throws {
        size = (width, height)
        server = try await TestServer.start()
        server.route("GET", "/pictures/{name}") { [weak self] request in
            guard let self, let number = Int((request.parameters["name"] ?? "").prefix { $0 != "." }) else {
                throw ServerRouteError(status: 404, message: "no such picture")
            }
            return try await answer(number)
        }
    }

    private func answer(_ number: Int) async throws -> ServerResponse {
        let failure = state.withLock { state in
            state.requests[number, default: 0] += 1
            return state.failing[number]
        }
        await waitWhileHeld()
        if Task.isCancelled { state.withLock { $0.cancelled += 1 } }
        if let failure { throw ServerRouteError(status: failure, message: "as the test wants it") }
        let known = state.withLock { $0.files[number] }
        let file = known ?? NumberedPicture(number).file(width: size.width, height: size.height)
        if known == nil { state.withLock { $0.files[number] = file } }
        return .bytes(file, mediaType: "image/png", headers: ["Cache-Control": "max-age=60"])
    }

    private func waitWhileHeld() async {
        guard
            let number = state.withLock({ state -> Int? in
                guard state.isHeld else { return nil }
                state.lastHeld += 1
                return state.lastHeld
            })
        else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.isHeld, !Task.isCancelled else { return true }
                    state.held[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.held.removeValue(forKey: number) }?.resume()
        }
    }

    /// Holds back all answers from now on.
    public func hold() { state.withLock { $0.isHeld = true } }

    /// Lets all answers go.
    public func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [:] }
            return state.held.values
        }
        for continuation in held { continuation.resume() }
    }

    /// Answers the requests of a picture with a status from now on; nil for the picture.
    public func fail(_ number: Int, with status: Int?) { state.withLock { $0.failing[number] = status } }

    /// How often each picture was asked for.
    public var requests: [Int: Int] { state.withLock { $0.requests } }

    /// The requests that were cancelled before they were answered.
    public var cancelled: Int { state.withLock { $0.cancelled } }

    public func stop() async throws {
        release()
        try await server.stop()
    }
}
