import CSternaCodecs
import Sterna
import SternaImages
import Synchronization

/// The frames of a GIF file. They are decoded in order: each is drawn on what the one before leaves.
final class GIFAnimation: ImageAnimation {
    private struct State {
        var drawing: GIFDrawing?
    }

    private let state = Mutex(State())
    private let file: FileMemory
    private let frames: [CSternaGIFFrame]
    private let plan: DecodingPlan
    private let allowsPartial: Bool

    let loopCount: Int
    let cost: Int

    init(
        _ file: FileMemory, _ contents: GIFContents, _ plan: DecodingPlan, _ options: ImageDecodingOptions,
        fileSize: Int
    ) {
        (self.file, self.plan, frames) = (file, plan, contents.frames)
        allowsPartial = options.allowsPartialImages
        loopCount = contents.loops
        cost = fileSize + 2 * (plan.source.byteCount ?? 0)
    }

    var frameCount: Int { frames.count }

    func delay(of index: Int) -> Duration {
        FrameDelay.shown(milliseconds: 10 * frames[min(max(0, index), frames.count - 1)].delay)
    }

    func pixels(of index: Int) throws -> PixelBuffer { try frame(index).pixels }

    /// Decodes a frame; tells whether the file ends within it.
    func frame(_ index: Int) throws -> (pixels: PixelBuffer, isCut: Bool) {
        let last = min(max(0, index), frames.count - 1)
        let (pixels, isCut) = try state.withLock { state in
            let known = state.drawing.flatMap { $0.next <= last ? $0 : nil }
            let drawing = try known ?? GIFDrawing(file, plan.source)
            // What fails leaves a canvas that is half drawn.
            state.drawing = nil
            while drawing.next <= last { try drawing.draw(allowsPartial: allowsPartial) }
            let pixels = try PixelBuffer(plan.source) { target in
                drawing.canvas.withUnsafeBytes { target.copyMemory(from: $0) }
            }
            state.drawing = drawing
            return (pixels, drawing.isCut)
        }
        return (try pixels.resized(to: plan.scaled), isCut)
    }
}

/// A canvas on which frames are drawn, and the decoder that reads them.
// Invariant: used by one thread at a time, under the animation's lock.
private final class GIFDrawing: @unchecked Sendable {
    private let file: FileMemory
    private let size: PixelSize
    private let decoder: OpaquePointer
    private(set) var canvas: [UInt8]
    private var earlier: [UInt8] = []
    private var frame: CSternaGIFFrame?

    /// The number of the frame that is drawn next.
    private(set) var next = 0

    /// Whether the file ended within a frame.
    private(set) var isCut = false

    init(_ file: FileMemory, _ size: PixelSize) throws(SternaError) {
        var (width, height) = (UInt32(0), UInt32(0))
        var status = CSternaCodecDone
        guard let decoder = CSternaGIF_open(file.codecBytes, &width, &height, &status) else {
            throw SternaError(.decodingFailed, phase: .decode, "The GIF image cannot be read.")
        }
        (self.file, self.size, self.decoder) = (file, size, decoder)
        canvas = [UInt8](repeating: 0, count: size.byteCount ?? 0)
    }

    deinit { CSternaGIF_close(decoder) }

    /// Draws the next frame.
    func draw(allowsPartial: Bool) throws(SternaError) {
        if let frame { dispose(frame) }
        var frame = CSternaGIFFrame()
        try CSternaGIF_next(decoder, &frame).check(.gif)
        if frame.disposal == 3 { earlier = canvas }
        let status = canvas.withUnsafeMutableBufferPointer { canvas in
            canvas.baseAddress.map {
                CSternaGIF_draw(decoder, $0, UInt32(clamping: size.width), UInt32(clamping: size.height))
            }
        }
        if try (status ?? CSternaCodecDamaged).check(.gif, allowsPartial: allowsPartial) { isCut = true }
        self.frame = frame
        next += 1
    }

    /// Removes a frame from the canvas, if it asks for that.
    private func dispose(_ frame: CSternaGIFFrame) {
        if frame.disposal == 3, earlier.count == canvas.count {
            swap(&canvas, &earlier)
        } else if frame.disposal == 2 {
            let (left, right) = (min(Int(frame.left), size.width), min(Int(frame.left) + Int(frame.width), size.width))
            let (top, bottom) = (min(Int(frame.top), size.height), min(Int(frame.top) + Int(frame.height), size.height))
            for row in top..<bottom {
                for byte in 4 * (row * size.width + left)..<4 * (row * size.width + right) { canvas[byte] = 0 }
            }
        }
    }
}
