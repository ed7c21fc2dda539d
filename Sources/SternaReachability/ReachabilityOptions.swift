public import Sterna
public import SternaCore

#if Foundation
public import Foundation
#endif

/// The destination of a ``NetworkReachability``.
public enum ReachabilityDestination: Sendable, Hashable {
    /// The Internet: whatever the default route leads to.
    case defaultRoute

    /// A host, whose addresses are looked up whenever the network changes. If the lookup fails, the default route decides; without
    /// any network, the addresses that were found last.
    case host(String)
    /// An IP address.
    case address(IPAddress)
}

/// The options of a ``NetworkReachability``.
public struct ReachabilityOptions: Sendable {
    /// How long a change must last to be reported; 250 ms by default. A change that is undone within that time is not reported. The
    /// first result is reported at once, and with zero every change is. Of changes that come faster than they can be processed,
    /// only the last one counts.
    public var settlingTime = Duration.milliseconds(250)

    /// Returns whether traffic over an interface is paid for by volume, for instance according to NetworkManager; nil for an
    /// interface that the closure does not know. None by default: Linux itself does not know.
    public var isMetered: (@Sendable (_ interface: String) -> Bool?)?

    /// Returns the kind of an interface where the system's answer is wrong, such as for a tunnel over Wi-Fi; nil to keep the
    /// system's. None by default.
    public var linkKind: (@Sendable (_ interface: String) -> NetworkPath.Link?)?

    /// Confirms that the destination responds, whenever the path has changed; none by default.
    public var probe: ReachabilityProbe?

    /// Where ``NetworkReachability/pathChanged`` is called and notifications are posted; the main queue by default.
    public var callbacks = CallbackTarget.main

    #if Foundation
    /// The centre that receives ``Sterna/SternaNotification/reachabilityDidChange``; nil, the default, posts none.
    public var notificationCenter: NotificationCenter?
    #endif

    public init() {}

    var facts: LinkFacts {
        var facts = LinkFacts()
        facts.isMetered = isMetered
        if let linkKind { facts.kind = { linkKind($0)?.ofRoute } }
        return facts
    }

    #if Foundation
    func post(_ path: NetworkPath) {
        notificationCenter?.post(
            name: SternaNotification.reachabilityDidChange, object: nil,
            userInfo: [
                SternaNotification.reachabilityStatus.name: path.status.number,
                SternaNotification.networkPath.name: path,
            ])
    }
    #else
    func post(_ path: NetworkPath) {}
    #endif
}

#if Foundation
extension SternaNotification {
    /// The path of a ``NetworkReachability`` has changed; without an object, as AFNetworking's. Carries ``reachabilityStatus`` and
    /// ``networkPath``.
    public static let reachabilityDidChange = Notification.Name("Sterna.reachability.didChange")

    /// The status of the path, by AFNetworking's numbers; see ``NetworkPath/Status/number``.
    public static let reachabilityStatus = Key<Int>(name: "Sterna.reachabilityStatus")

    /// The new path.
    public static let networkPath = Key<NetworkPath>(name: "Sterna.networkPath")
}
#endif
