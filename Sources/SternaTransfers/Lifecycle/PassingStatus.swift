/// The statuses after which a later attempt may succeed.
package enum PassingStatus {
    /// Whether a status may pass: 5xx, but for what a server says of itself or of the request for good.
    package static func contains(_ status: Int) -> Bool {
        switch status {
        case 408, 421, 425, 429: true
        // Not implemented, the version, variants that negotiate, loops, and extensions that are missing.
        case 501, 505, 506, 508, 510: false
        default: (500..<600).contains(status)
        }
    }

    /// Whether a server that answers so may have kept the content of the request: it, or one behind it, has begun to work on it.
    static func mayHaveStored(_ status: Int) -> Bool {
        // Those that say that the server takes nothing now, or that a network's portal has answered.
        (500..<600).contains(status) && ![503, 507, 511, 529].contains(status)
    }
}
