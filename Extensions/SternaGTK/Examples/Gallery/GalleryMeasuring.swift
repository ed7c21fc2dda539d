import CGTKChecks
import SternaGTK
import SternaPlatform

/// Measures the main thread: the main actor's turns and the giving of items to cells, which are Sterna's work, and GTK's frames.
@MainActor final class GalleryMeasuring {
    private(set) var turns: [MainLoop.Turn] = []
    private(set) var cells: [MainLoop.Turn] = []
    private var frameTimes: [Duration] = []
    private var frameBegin: ContinuousClock.Instant?
    private var isOver = false

    /// Layout and drawing, of which the cells' times are a part.
    var frames: Times { Times(frameTimes) }

    init(_ widget: WidgetPointer) {
        GalleryCell.turns = []
        MainLoop.measureTurns { [weak self] turn in self?.turns.append(turn) }
        // Kept for good: the frame clock has no end but the program's.
        let data = Unmanaged.passRetained(self).toOpaque()
        check_frames(
            widget, { data in GalleryMeasuring.at(data) { $0.frameBegin = ContinuousClock.now } },
            { data in GalleryMeasuring.at(data) { $0.frameEnded() } }, data)
    }

    private nonisolated static func at(_ data: UnsafeMutableRawPointer?, _ act: @MainActor (GalleryMeasuring) -> Void) {
        guard let data else { return }
        let measuring = Unmanaged<GalleryMeasuring>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { act(measuring) }
    }

    private func frameEnded() {
        if let frameBegin, !isOver { frameTimes.append(ContinuousClock.now - frameBegin) }
    }

    func end() {
        MainLoop.measureTurns(nil)
        cells = GalleryCell.turns ?? []
        GalleryCell.turns = nil
        isOver = true
    }
}
