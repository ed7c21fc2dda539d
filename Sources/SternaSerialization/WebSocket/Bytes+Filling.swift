import NIOCore
import SternaCore

extension Bytes {
    /// Makes bytes with one allocation and one access; the closure returns how many bytes it wrote.
    @inline(__always)
    init(room capacity: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Int) {
        // All empty buffers share their storage.
        guard capacity > 0 else {
            self.init()
            return
        }
        self = ByteBufferAllocator().buffer(capacity: capacity)
        writeWithUnsafeMutableBytes(minimumWritableBytes: 0, fill)
    }
}
