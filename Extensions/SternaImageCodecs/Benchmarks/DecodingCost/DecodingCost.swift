import CCodecSamples
import Sterna
import SternaImageCodecs
import SternaImages
import SternaPlatform

/// Measures what a JPEG file of 12 megapixels costs that is shown in 300 x 300 pixels, beside libjpeg-turbo alone at an eighth, the smallest
/// scale that covers them. Prints a line of JSON for each kind of file, with milliseconds of the processor.
@main struct DecodingCost {
    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 21
        for (name, isProgressive) in [("baseline", false), ("progressive", true)] {
            let (own, library) = try measure(isProgressive: isProgressive, rounds: max(1, rounds))
            print(#"{"jpeg":"\#(name)","own_ms":\#(own),"library_ms":\#(library)}"#)
        }
    }

    private static let (width, height) = (4_000, 3_000)

    /// Returns the medians of rounds, in which the two take turns.
    private static func measure(isProgressive: Bool, rounds: Int) throws -> (own: Double, library: Double) {
        var count = 0
        guard let file = CCodecSamples_photo(Int32(width), Int32(height), isProgressive ? 1 : 0, &count) else {
            throw Failure("The file was not made.")
        }
        defer { free(file) }
        let bytes = Bytes(copying: UnsafeRawBufferPointer(start: file, count: count))
        var options = ImageDecodingOptions()
        options.target = .fill(width: 300, height: 300)
        var (own, library): ([Double], [Double]) = ([], [])
        // The first round warms up.
        for round in 0...rounds {
            var begun = processorTime()
            let image = try ImageCodecs().decode(bytes, options: options)
            let first = processorTime() - begun
            guard image.pixelSize == PixelSize(width: 400, height: 300) else {
                throw Failure("The image has \(image.pixelSize).")
            }
            begun = processorTime()
            var (width, height) = (Int32(0), Int32(0))
            guard let pixels = CCodecSamples_decodeJPEG(file, count, 1, &width, &height) else {
                throw Failure("No pixels.")
            }
            let second = processorTime() - begun
            guard width == 500, height == 375 else { throw Failure("The library has decoded \(width) x \(height).") }
            free(pixels)
            if round > 0 {
                own.append(first)
                library.append(second)
            }
        }
        return (own.sorted()[rounds / 2], library.sorted()[rounds / 2])
    }

    /// The milliseconds that this thread has run.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
