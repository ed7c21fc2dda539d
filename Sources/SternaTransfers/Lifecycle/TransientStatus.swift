/// The status codes after which a later attempt may succeed.
package enum TransientStatus {
    /// Returns whether a status is transient: 408, 421, 425, 429, and 5xx except for those that a repetition does not change.
    package static func contains(_ status: Int) -> Bool {
        switch status {
        case 408, 421, 425, 429: true
        // Not Implemented, HTTP Version Not Supported, Variant Also Negotiates, Loop Detected, Not Extended.
        case 501, 505, 506, 508, 510: false
        default: (500..<600).contains(status)
        }
    }

    /// Returns whether a server with this status may have stored the content of the request: it, or an upstream server, may have
    /// begun to process it.
    static func mayHaveStored(_ status: Int) -> Bool {
        // Excludes statuses of a server that takes nothing now, and of a captive portal (511).
        (500..<600).contains(status) && ![503, 507, 511, 529].contains(status)
    }
}
