package import SternaCore

/// The decoding settings of a session, which its responses refer to.
package final class SharedDecoding: Sendable {
    let settings: DecodingSettings

    /// Whether the settings are the default ones, which hold for a response without settings, too.
    package let isDefault: Bool

    package init(_ settings: DecodingSettings) {
        self.settings = settings
        isDefault = settings.isDefault
    }
}

extension Response {
    /// The decoding settings of the session that received the response; nil if it set none.
    package var decoding: DecodingSettings? { (sessionDecoding as? SharedDecoding)?.settings }
}
