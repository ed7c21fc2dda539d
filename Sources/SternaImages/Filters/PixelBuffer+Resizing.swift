extension PixelBuffer {
    /// Returns the pixels scaled to a size: to a smaller one by the mean of the area that each pixel covers, to a larger one by linear
    /// interpolation. Throws `limitExceeded` where there is no memory for it.
    public func resized(to size: PixelSize) throws -> PixelBuffer { try Resampling.resize(self, to: size) }
}
