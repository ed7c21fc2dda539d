/// The numbers of rtnetlink that are used here (linux/netlink.h, linux/rtnetlink.h, linux/if_link.h, linux/if_addr.h).
enum NetlinkNumbers {
    static let headerLength = 16

    /// Types of messages.
    enum Message {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let overrun: UInt16 = 4
        static let newLink: UInt16 = 16
        static let deletedLink: UInt16 = 17
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let deletedAddress: UInt16 = 21
        static let getAddress: UInt16 = 22
        static let newRoute: UInt16 = 24
        static let deletedRoute: UInt16 = 25
        static let getRoute: UInt16 = 26
    }

    /// Flags of messages.
    enum Flag {
        static let request: UInt16 = 0x1
        /// The dump is inconsistent, since something changed meanwhile.
        static let interrupted: UInt16 = 0x10
        static let replace: UInt16 = 0x100
        static let append: UInt16 = 0x800
        static let dump: UInt16 = 0x300
    }

    /// The mask of multicast groups: links, and addresses and routes of both families.
    static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    static let routeProtocol: Int32 = 0
    static let genericProtocol: Int32 = 16

    /// Families of addresses; `unspecified` in messages that concern the link itself.
    enum Family {
        static let unspecified: UInt8 = 0
        static let v4: UInt8 = 2
        static let v6: UInt8 = 10
    }

    enum LinkAttribute {
        static let name: UInt16 = 3
        static let lowerLink: UInt16 = 5
        static let master: UInt16 = 10
        /// An event of the wireless extensions.
        static let wireless: UInt16 = 11
        static let operState: UInt16 = 16
        static let info: UInt16 = 18
        static let infoKind: UInt16 = 1
        static let lowerNamespace: UInt16 = 37
    }

    enum AddressAttribute {
        static let address: UInt16 = 1
        static let local: UInt16 = 2
        static let flags: UInt16 = 8
    }

    enum RouteAttribute {
        static let destination: UInt16 = 1
        static let outgoing: UInt16 = 4
        static let priority: UInt16 = 6
        static let preferredSource: UInt16 = 7
        static let multipath: UInt16 = 9
        static let table: UInt16 = 15
    }

    /// Flags of a link (net/if.h).
    enum LinkFlag {
        static let up: UInt32 = 0x1
        static let loopback: UInt32 = 0x8
        static let running: UInt32 = 0x40
        static let dormant: UInt32 = 0x20000
    }

    /// Kinds of hardware (linux/if_arp.h).
    enum Hardware {
        static let ethernet: UInt16 = 1
        static let ppp: UInt16 = 512
        static let rawIP: UInt16 = 519
        static let loopback: UInt16 = 772
        static let ieee80211: ClosedRange<UInt16> = 801...803
    }

    /// Operational states (`ifOperStatus` of RFC 2863).
    enum OperState {
        static let unknown: UInt8 = 0
        static let up: UInt8 = 6
    }

    enum AddressFlag {
        static let optimistic: UInt32 = 0x4
        static let duplicate: UInt32 = 0x8
        static let tentative: UInt32 = 0x40
    }

    /// Scopes of addresses, and of routes.
    enum Scope {
        static let link: UInt8 = 253
        static let host: UInt8 = 254
    }

    /// The routing tables that the default policy rules use; those of other rules are ignored.
    enum Table {
        static let fallback: UInt32 = 253
        static let main: UInt32 = 254
        static let local: UInt32 = 255
    }

    enum RouteFlag {
        /// Flags of a hop, also in the flags of a route with a single one.
        static let dead: UInt32 = 0x1
        /// A cached entry.
        static let cloned: UInt32 = 0x200
    }
}
