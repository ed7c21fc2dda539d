import Logging
import ServiceLifecycle
import Sterna
import SternaLifecycle
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// The example of docs/Metrics.md about the end of a program.
@Suite("Documentation: lifecycle", .timeLimit(.minutes(5)))
struct LifecycleExamplesTests {
    @Test("Services")
    func services() async throws {
        let folder = try TestFolder()
        let (engine, store, queue) = (Engine(), try TransferStore(folder: folder.path), TransferQueue())
        let logger = Logger(label: "example")

        let group = ServiceGroup(services: [engine, store, queue], logger: logger)

        // A group that has not run ends at once.
        await group.triggerGracefulShutdown()
    }
}
