#if os(Linux)
import Dispatch
import Sterna
import SternaPlatform
import SternaReachability
import Synchronization

@testable import SternaTestSupport

/// A network namespace of `ip netns`, which is removed with the object.
final class NetworkNamespace: Sendable {
    private static let program: String? = {
        let places: [String] = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]
        return places.first { access($0, X_OK) == 0 }
    }()
    private static let cloneFlag: CInt = 0x4000_0000

    /// Whether this machine lets the tests make some. In CI they must not be skipped.
    static let isUsable: Bool = {
        if Shell.isRequired { return true }
        guard program != nil else { return false }
        return geteuid() == 0 && onThread { call("unshare", as: (@convention(c) (CInt) -> CInt).self)?(cloneFlag) == 0 }
    }()

    /// A function that the module of the C library does not declare.
    private static func call<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    private final class Box {
        let work: () -> Void

        init(_ work: @escaping () -> Void) { self.work = work }
    }

    private static let lastNumber = Mutex(0)

    let name: String
    private let folder: TestFolder

    init() async throws {
        let number = Self.lastNumber.withLock { number in
            number += 1
            return number
        }
        name = "sterna-\(getpid())-\(number)"
        folder = try TestFolder()
        try await run("netns add \(name)")
        try await ip("link set lo up")
    }

    deinit {
        // Does the work of `ip netns del` without a child process, for which `deinit` has no time.
        let path = "/run/netns/\(name)"
        _ = umount2(path, CInt(2))
        unlink(path)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs commands of `ip` in the namespace.
    func ip(_ commands: String...) async throws {
        for command in commands { try await run("-n \(name) \(command)") }
    }

    /// Runs many commands of `ip` in one process.
    func batch(_ commands: [String]) async throws {
        let file = try folder.write(Array(commands.joined(separator: "\n").utf8 + [0x0A]), to: "batch")
        try await run("-n \(name) -batch \(file)")
    }

    private func run(_ arguments: String) async throws {
        let command = "\(Self.program ?? "ip") \(arguments)"
        let status = try await Shell.run(command, by: "/bin/sh", in: folder.path)
        guard status == 0 else { throw Failure(description: "\(command) ended with \(status).") }
    }

    /// Runs work on a thread of its own.
    private static func onThread<R: Sendable>(_ work: @escaping @Sendable () -> R) -> R {
        let result = Mutex<R?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        var thread = pthread_t()
        let box = Box {
            let value = work()
            result.withLock { $0 = value }
            isDone.signal()
        }
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, Unmanaged.passRetained(box).toOpaque())
        pthread_detach(thread)
        isDone.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("The thread has ended without a result.") }
        return value
    }

    /// Runs work on a thread that has entered the namespace, and ends with it; nil if it cannot.
    func enter<R: Sendable>(_ work: @escaping @Sendable () -> R?) -> R? {
        let path = "/run/netns/\(name)"
        return Self.onThread { () -> R? in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let setns = Self.call("setns", as: (@convention(c) (CInt, CInt) -> CInt).self)
            guard setns?(descriptor, Self.cloneFlag) == 0 else { return nil }
            return work()
        }
    }

    /// Watches the namespace's network.
    func reachability(to destination: ReachabilityDestination = .defaultRoute) -> NetworkReachability {
        var options = ReachabilityOptions()
        options.settlingTime = .zero
        let watch = NetworkWatch(NetlinkSource { [self] in enter { NetlinkSockets.open() } })
        return NetworkReachability(to: destination, options: options, watch: watch)
    }

    /// Attaches to a tun interface, which has a carrier as long as the descriptor is open.
    func attach(tun name: String) -> CInt? {
        enter {
            let descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            var request = [UInt8](repeating: 0, count: 40)
            request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
            // IFF_TUN and IFF_NO_PI.
            request[16] = 0x01
            request[17] = 0x10
            guard ioctl(descriptor, 0x4004_54CA, &request) == 0 else {
                close(descriptor)
                return nil
            }
            return descriptor
        }
    }
}
#endif
