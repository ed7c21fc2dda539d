import Dispatch
import Foundation
import Sterna
import SternaCore
import SternaReachability
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The examples of docs/Reachability.md.
@Suite("Documentation: reachability", .timeLimit(.minutes(5)))
struct ReachabilityExamplesTests {
    @Test("The present path")
    func present() async throws {
        let path = await NetworkReachability.shared.current()
        print(path)  // reachable by cable (eth0), IPv4 and IPv6
        print(path.isReachable, path.status, path.link as Any, path.families, path.isMetered as Any)

        let server = try #require(IPAddress("127.0.0.1"))
        let host = NetworkReachability(to: .host("api.example.com"))
        let address = NetworkReachability(to: .address(server))
        #expect(host.status == .unknown)
        #expect(await address.current().isReachable)
    }

    @Test("Changes")
    func changes() async throws {
        let seen = Mutex<[NetworkPath.Status]>([])
        let show: @Sendable (NetworkPath) -> Void = { path in seen.withLock { $0.append(path.status) } }
        let network = TestNetwork()
        let reachability = network.reachability()
        let watching = Task {
            for await path in reachability.updates { show(path) }
        }
        #expect(await eventually { seen.withLock { $0 } == [.reachable(.cable)] })
        watching.cancel()
        #expect(await eventually { !network.isWatched })
    }

    #if Foundation
    @Test("Options")
    func options() async throws {
        let count = Mutex(0)
        let show: @Sendable (NetworkPath) -> Void = { _ in count.withLock { $0 += 1 } }
        let queue = DispatchQueue(label: "reachability")
        let center = NotificationCenter()
        var options = ReachabilityOptions()
        options.settlingTime = .milliseconds(500)  // what is as before by then is not reported; 250 ms by default
        options.callbacks = .queue(queue)  // the main queue by default
        options.notificationCenter = center
        let watched = NetworkReachability(options: options)
        watched.pathChanged = { path in show(path) }
        watched.start()
        #expect(await eventually { count.withLock { $0 } > 0 })
        watched.stop()

        options.isMetered = { interface in interface.hasPrefix("wwan") ? true : nil }
        options.linkKind = { interface in interface == "wg0" ? .wifi : nil }
        options.probe = ReachabilityProbe("https://example.com/generate_204")
        #expect(options.isMetered?("eth0") == nil && options.probe?.status == 204)
    }
    #endif

    @Test("Requests that wait, on a network that a test takes away")
    func waiting() async throws {
        let network = TestNetwork(.wifi)
        let held = try Session(baseURL: "https://api.example.com") {
            $0.network.waitsForConnectivity = true
            $0.network.reachability = network.reachability()
        }
        network.lose()
        network.connect(by: .cellular, isMetered: true)
        #expect(held.baseURL != nil)
        #expect(await network.reachability().current().isMetered == true)
    }

    /// Compiled, not run: there is no such server.
    private func call() async throws {
        let api = try Session(baseURL: "https://api.example.com") { $0.network.waitsForConnectivity = true }
        try await api.get("users") { $0.deadline = .now + .seconds(60) }
    }

    private struct Indicator { func show(_ isActive: Bool) {} }

    @Test("Activity")
    func activity() throws {
        let indicator = Indicator()
        let activity = NetworkActivity { isActive in indicator.show(isActive) }
        let session = try Session(baseURL: "https://api.example.com") { $0.events.observers = [activity.observer] }
        activity.increment()  // what is no task of a session
        activity.decrement()
        #expect(activity.state == .notActive && session.baseURL != nil)
    }
}
