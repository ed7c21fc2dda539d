import HTTPTypes
import SternaCore

/// The fields of a response that affect the state of the session.
struct StateFields: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let cookies = StateFields(rawValue: 1 << 0)
    static let transportSecurity = StateFields(rawValue: 1 << 1)
    static let alternatives = StateFields(rawValue: 1 << 2)
    static let clearing = StateFields(rawValue: 1 << 3)

    /// The names in lower case, in the order of the bits.
    private static let names = FieldNameList(["set-cookie", "strict-transport-security", "alt-svc", "clear-site-data"])

    /// Finds the fields in one pass over a section, since most responses have none of them.
    init(of section: FieldSection) { rawValue = UInt8(truncatingIfNeeded: section.present(Self.names)) }
}
