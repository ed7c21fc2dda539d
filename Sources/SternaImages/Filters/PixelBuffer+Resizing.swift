extension PixelBuffer {
    /// Returns the pixels scaled to a size: smaller by the mean of the area that each pixel covers, larger by linear interpolation.
    /// Throws `limitExceeded` for an empty size, or if memory for it cannot be allocated.
    public func resized(to size: PixelSize) throws -> PixelBuffer { try Resampling.resize(self, to: size) }
}
