public import SternaCore

#if Foundation
public import Foundation
#endif

/// Where a ``NetworkReachability`` leads to.
public enum ReachabilityDestination: Sendable, Hashable {
    /// The Internet: whatever the default route leads to.
    case defaultRoute

    /// A host, whose addresses are looked up whenever the network changes. While that fails, the default route counts; without any
    /// network, the addresses that were found last.
    case host(String)
    case address(IPAddress)
}

/// How a ``NetworkReachability`` works.
public struct ReachabilityOptions: Sendable {
    /// How long a change must last to be reported; 250 ms by default. What is as before by then is not reported. The first answer, and with
    /// zero any change, comes at once. Of changes that come faster than they can be looked at, the last one counts.
    public var settlingTime = Duration.milliseconds(250)

    /// Returns whether each byte over an interface costs, such as by NetworkManager's opinion; nil for one that it does not know. None by
    /// default: Linux itself does not know.
    public var isMetered: (@Sendable (_ interface: String) -> Bool?)?

    /// Returns the kind of an interface where the system's answer is wrong, such as for a tunnel over Wi-Fi; nil to keep that. None by
    /// default.
    public var linkKind: (@Sendable (_ interface: String) -> NetworkPath.Link?)?

    /// Confirms that the destination answers, whenever the path has changed; none by default.
    public var probe: ReachabilityProbe?

    /// Where ``NetworkReachability/pathChanged`` is called and notifications are posted; the main queue by default.
    public var callbacks = CallbackTarget.main

    #if Foundation
    /// The centre that receives ``SternaNotification/reachabilityDidChange``; nil, the default, posts none.
    public var notificationCenter: NotificationCenter?
    #endif

    public init() {}

    var facts: LinkFacts {
        var facts = LinkFacts()
        (facts.kind, facts.isMetered) = (linkKind, isMetered)
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
