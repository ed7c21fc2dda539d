import CSternaLibGTK
import SternaImages

/// The size in which an image is decoded for a widget.
enum ScaledTarget {
    /// Returns the target of a size in GTK's pixels on the widget's screen; nil, the image's own size, for an empty one.
    @MainActor static func of(_ size: PixelSize?, _ mode: ImageTarget.Mode, shownBy widget: WidgetPointer)
        -> ImageTarget?
    {
        size.flatMap { scaled($0, by: Int(gtk_widget_get_scale_factor(widget)), mode) }
    }

    static func scaled(_ size: PixelSize, by factor: Int, _ mode: ImageTarget.Mode) -> ImageTarget? {
        guard !size.isEmpty else { return nil }
        let (width, isWide) = size.width.multipliedReportingOverflow(by: max(1, factor))
        let (height, isHigh) = size.height.multipliedReportingOverflow(by: max(1, factor))
        return isWide || isHigh ? nil : ImageTarget(PixelSize(width: width, height: height), mode: mode)
    }
}
