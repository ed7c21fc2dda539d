import Dispatch
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

#if Foundation
import Foundation
import SternaReachability

@testable import SternaTestSupport
#endif

/// The rows about reachability and activity, of docs/Migrating.
@Suite("Coming from other libraries: reachability", .timeLimit(.minutes(5)))
struct MigratingReachabilityTests {
    @Test("Objects")
    func objects() throws {
        do {
            let reachability = NetworkReachability.shared
            #expect(reachability.destination == .defaultRoute)
        }
        do {
            let reachability = NetworkReachability()
            #expect(reachability.status == .unknown)
        }
        do {
            let reachability = NetworkReachability(to: .host("api.example.com"))
            #expect(!reachability.isReachable)
        }
        let address = try #require(IPAddress("192.0.2.1"))
        do {
            let reachability = NetworkReachability(to: .address(address))
            #expect(reachability.path == reachability.path)
        }
    }

    @Test("The status and its changes")
    func status() async throws {
        let network = TestNetwork(.wifi)
        var options = ReachabilityOptions()
        options.callbacks = .queue(DispatchQueue(label: "reachability"))
        let reachability = network.reachability(options: options)
        reachability.pathChanged = { path in print(path.status) }
        reachability.start()
        let path = await reachability.current()
        _ = await reachability.current()
        #expect(reachability.status == .reachable(.wifi))
        #expect(!(reachability.status == .reachable(.cellular)) && !(reachability.status == .reachable(.cable)))
        #expect(path.isReachable && path.link == .wifi && !(path.link == .cellular))
        #expect(path.families.contains(.v6) && path.isMetered == nil && path.interface == "test0")
        let all: [NetworkPath.Status] = [
            .unknown, .notReachable, .reachable(.cellular), .reachable(.wifi), .reachable(.cable),
        ]
        #expect(all.map(\.number) == [-1, 0, 1, 2, 2])
        #expect(path.status.localizedDescription == "reachable by Wi-Fi" && path.status.number == 2)
        let reader = Task {
            for await path in reachability.updates { print(path) }
        }
        reader.cancel()
        await reader.value
        reachability.stop()
        #expect(!network.isWatched)
    }

    @Test("Sessions")
    func sessions() throws {
        let reachability = TestNetwork().reachability()
        let activity = NetworkActivity()
        let api = try Session {
            $0.network.reachability = reachability
            $0.network.waitsForConnectivity = true
            $0.timeouts.total = .seconds(60)
            $0.events.observers = [activity.observer]
        }
        #expect(dumped(api).contains("waitsForConnectivity"))
    }

    #if Foundation
    @Test("Notifications")
    func notifications() async {
        let center = NotificationCenter()
        let seen = Mutex<Int?>(nil)
        let token = center.addObserver(
            forName: SternaNotification.reachabilityDidChange, object: nil, queue: nil
        ) { note in
            let number = note[SternaNotification.reachabilityStatus]
            seen.withLock { $0 = number }
        }
        defer { center.removeObserver(token) }
        var options = ReachabilityOptions()
        options.notificationCenter = center
        options.callbacks = .queue(DispatchQueue(label: "notes"))
        let reachability = TestNetwork(.cellular).reachability(options: options)
        reachability.start()
        #expect(await eventually { seen.withLock { $0 } == 1 })
    }
    #endif

    @Test("Activity")
    func activity() {
        let shared = {
            let activity = NetworkActivity.shared
            return activity
        }
        #expect(!shared().isActive)
        let activity = NetworkActivity()
        activity.setAction { isActive in print(isActive) }
        activity.startDelay = .seconds(1)
        activity.endDelay = .milliseconds(170)
        activity.increment()
        #expect(activity.state == .delayingStart && !activity.isActive)
        activity.decrement()
        activity.isEnabled = false
        #expect(activity.state == .notActive)
    }
}
