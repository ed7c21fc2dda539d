import CSternaCodecs
import Sterna
import SternaImages
import Synchronization

/// The frames of a WebP file. They are decoded in order: each is drawn on the one before.
final class WebPAnimation: ImageAnimation {
    /// The decoder, and the number of the frame that it decodes next.
    // Invariant: the decoder is used by one thread at a time, under the lock.
    private struct State: @unchecked Sendable {
        let decoder: OpaquePointer
        var next = 0
    }

    private let state: Mutex<State>
    private let file: FileMemory
    private let plan: DecodingPlan
    /// The profile of the colours; empty for none.
    private let profile: [UInt8]
    private let delays: [Duration]

    let frameCount: Int
    let loopCount: Int
    let cost: Int

    init(_ file: FileMemory, _ info: CSternaWebPInfo, _ plan: DecodingPlan, fileSize: Int) throws(SternaError) {
        let profile = info.profile.copy(upTo: Self.longestProfile)
        guard let decoder = CSternaWebPAnimation_open(file.codecBytes, profile.isEmpty ? 1 : 0) else {
            throw SternaError(.decodingFailed, phase: .decode, "The WebP animation is damaged.")
        }
        frameCount = Int(info.frames)
        loopCount = Int(info.loops)
        delays = (0..<info.frames).map { FrameDelay.shown(milliseconds: CSternaWebPAnimation_delay(decoder, $0)) }
        cost = fileSize + profile.count + 2 * (plan.source.byteCount ?? 0)
        (self.file, self.plan, self.profile) = (file, plan, profile)
        state = Mutex(State(decoder: decoder))
    }

    /// Profiles are no longer than this; longer ones are passed over.
    private static let longestProfile = 4 << 20

    /// Converts pixels by the profile, if there is one, and multiplies them by alpha then.
    private func convert(_ pixels: UnsafeMutableRawBufferPointer) {
        guard !profile.isEmpty, let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        profile.withUnsafeBytes { CSternaColor_convert($0.codecBytes, CSternaColorsRGBA, base, pixels.count / 4) }
        CSternaColor_premultiply(base, pixels.count / 4)
    }

    deinit { state.withLock { CSternaWebPAnimation_close($0.decoder) } }

    func delay(of index: Int) -> Duration { delays.isEmpty ? .zero : delays[min(max(0, index), delays.count - 1)] }

    func pixels(of index: Int) throws -> PixelBuffer {
        let pixels = try state.withLock { state in
            if index < state.next || index >= frameCount {
                CSternaWebPAnimation_rewind(state.decoder)
                state.next = 0
            }
            let last = min(max(0, index), max(0, frameCount - 1))
            var decoded: UnsafePointer<UInt8>?
            while state.next <= last {
                decoded = CSternaWebPAnimation_next(state.decoder)
                state.next += 1
                if decoded == nil { break }
            }
            guard let decoded else {
                CSternaWebPAnimation_rewind(state.decoder)
                state.next = 0
                throw SternaError(.decodingFailed, phase: .decode, "Frame \(last) of the WebP animation is damaged.")
            }
            return try PixelBuffer(plan.source) { target in
                target.copyMemory(from: UnsafeRawBufferPointer(start: decoded, count: target.count))
                convert(target)
            }
        }
        return try plan.orientation.turn(try pixels.resized(to: plan.scaled))
    }
}

/// How long frames are shown.
enum FrameDelay {
    /// Browsers show frames that ask for 10 ms or less for 100 ms, since old programs wrote such numbers without meaning them.
    static func shown(milliseconds: UInt32) -> Duration {
        .milliseconds(Int64(milliseconds <= 10 ? 100 : milliseconds))
    }
}
