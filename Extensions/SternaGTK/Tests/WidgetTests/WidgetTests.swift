import CSternaGTK
import CSternaLibGTK
import SternaGTK
import SternaPlatform

/// Tests of widgets: `WidgetTests [PATTERN]` runs those whose name contains the pattern.
///
/// They run as any program with GTK does: from a `main` that is not async, with the main actor in GTK's main loop.
@main @MainActor struct WidgetTests {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--use-widget-elsewhere" { return OtherThreadChecks.useWidgetElsewhere() }
        do {
            try MainLoop.start()
            let pattern = arguments.popFirst()
            var failed = 1
            Task {
                failed = await Checks.run(all, only: pattern)
                MainLoop.quit()
            }
            try MainLoop.run()
            exit(failed == 0 ? 0 : 1)
        } catch {
            print("not ok - \(error)")
            exit(1)
        }
    }

    private static var all: [Check] {
        MainLoopChecks.all + OtherThreadChecks.all + PictureChecks.all + ReuseChecks.all + ButtonChecks.all
            + TaskChecks.all + ListChecks.all + AccessibilityChecks.all + GTKExamples.all + MigratingGTKTests.all
    }
}
