import CSternaGTK
import CSternaLibGTK
import Dispatch
import Sterna
import SternaGTK
import SternaPlatform

/// Widgets belong to the main thread.
@MainActor enum OtherThreadChecks {
    static var all: [Check] {
        [
            Check("A signal on another thread stops the program") { findings in
                let path = CommandLine.arguments.first ?? ""
                let status = try await Program.run(path, ["--use-widget-elsewhere"])
                // SIGILL or SIGTRAP; 7 would say that nothing stopped it.
                findings.expect(status == -4 || status == -5, "the status is \(status)")
            },
            Check("The main queue is attached on the first thread alone") { findings in
                let isMain = await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume(returning: sterna_gtk_attach_main_queue()) }
                }
                findings.expect(!isMain, "another thread was taken for the main one")
                findings.expect(sterna_gtk_attach_main_queue(), "the main thread was not")
            },
        ]
    }

    /// Emits a signal on another thread, in a process of its own.
    static func useWidgetElsewhere() {
        do {
            try MainLoop.start()
            let action = RefreshAction(label: "Refresh") { nil }
            nonisolated(unsafe) let pointer = action.action
            // A GSimpleAction is a GObject without a thread check of its own.
            DispatchQueue.global().async {
                g_action_activate(pointer, nil)
                exit(7)
            }
            try MainLoop.run()
            withExtendedLifetime(action) {}
        } catch {
            exit(1)
        }
    }
}
